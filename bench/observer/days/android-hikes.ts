// An Android app in Kotlin: a missing Room migration, kapt to KSP, a service for recording. Reports with emoji and a table.
import { playDay } from './day.ts';
import { bash, bashFails, edit, end, grep, prompt, read, stop, write } from './steps.ts';

export const androidHikes = playDay({
  name: 'android-hikes',
  root: '/home/dev/AndroidStudioProjects/Wanderlog',
  startsAt: '2026-02-11T19:02:00Z',
  sessions: [
    [
      prompt(`
        3.2 is crashing for everybody who updates from 3.1, the reviews are brutal:

        java.lang.IllegalStateException: A migration from 14 to 15 was required but not found.

        and don't you dare use fallbackToDestructiveMigration, people have years of hikes in there`),
      grep('addMigrations', [], 'app/src/main/java/io/wanderlog/db/WanderDb.kt:31:    .addMigrations(MIGRATION_12_13, MIGRATION_13_14)'),
      read(
        'app/src/main/java/io/wanderlog/db/WanderDb.kt',
        `
        @Database(entities = [Hike::class, Point::class], version = 15)
        abstract class WanderDb : RoomDatabase() {
            companion object {
                fun open(context: Context) = Room.databaseBuilder(context, WanderDb::class.java, "wander.db")
                    .addMigrations(MIGRATION_12_13, MIGRATION_13_14)
                    .build()
            }
        }`,
      ),
      bash(
        'diff app/schemas/14.json app/schemas/15.json | head -8',
        'What changed in the schema',
        '> "fieldPath": "elevationGain",\n> "columnName": "elevation_gain",\n> "affinity": "INTEGER",\n> "notNull": true',
      ),
      write(
        'app/src/main/java/io/wanderlog/db/Migrations.kt',
        `
        val MIGRATION_14_15 = object : Migration(14, 15) {
            override fun migrate(db: SupportSQLiteDatabase) {
                db.execSQL("ALTER TABLE hikes ADD COLUMN elevation_gain INTEGER")
            }
        }`,
      ),
      edit(
        'app/src/main/java/io/wanderlog/db/WanderDb.kt',
        '.addMigrations(MIGRATION_12_13, MIGRATION_13_14)',
        '.addMigrations(MIGRATION_12_13, MIGRATION_13_14, MIGRATION_14_15)',
      ),
      bashFails(
        './gradlew :app:connectedDebugAndroidTest --tests "*MigrationTest*"',
        'Run the migration test on the emulator',
        `
        > Task :app:connectedDebugAndroidTest FAILED
        Starting 3 tests on Pixel_6_API_34(AVD) - 14

        io.wanderlog.db.MigrationTest > migrate14to15[Pixel_6_API_34(AVD) - 14] FAILED
        	java.lang.IllegalStateException: Migration didn't properly handle: hikes(io.wanderlog.db.Hike).
        	 Expected: Column{name='elevation_gain', type='INTEGER', notNull=true, defaultValue='0'}
        	 Found: Column{name='elevation_gain', type='INTEGER', notNull=false, defaultValue='null'}

        BUILD FAILED in 48s`,
      ),
      edit(
        'app/src/main/java/io/wanderlog/db/Migrations.kt',
        'ADD COLUMN elevation_gain INTEGER")',
        'ADD COLUMN elevation_gain INTEGER NOT NULL DEFAULT 0")',
      ),
      bash(
        './gradlew :app:connectedDebugAndroidTest --tests "*MigrationTest*"',
        'Run it again',
        'Starting 3 tests on Pixel_6_API_34(AVD) - 14\nFinished 3 tests on Pixel_6_API_34(AVD) - 14\n\nBUILD SUCCESSFUL in 51s\n84 actionable tasks: 6 executed, 78 up-to-date',
      ),
      stop(`
        ## ✅ Updating from 3.1 works again

        | | |
        |---|---|
        | 🔍 Cause | schema 15 added \`hikes.elevation_gain\`, but nobody registered a migration from 14 to 15, so Room threw on the first query |
        | 🛠️ Fix | \`MIGRATION_14_15\` in \`Migrations.kt\` adds the column as NOT NULL DEFAULT 0, registered in \`WanderDb\` |
        | 🧪 Proof | \`MigrationTest\` 3/3 on the API 34 emulator |
        | ⏭️ Open | hotfix 3.2.1 has to be cut from \`release/3.2\` and uploaded to the Play console |

        No destructive fallback anywhere 🥾`),
      prompt('phew, thanks. different topic: builds take forever, can we get rid of kapt?'),
      read(
        'app/build.gradle.kts',
        `
        plugins {
            id("com.android.application")
            kotlin("kapt")
        }
        dependencies {
            kapt("androidx.room:room-compiler:2.6.1")
            kapt("com.google.dagger:hilt-compiler:2.47")
            kapt("com.squareup.moshi:moshi-kotlin-codegen:1.15.1")
        }`,
      ),
      bash(
        './gradlew clean assembleDebug --no-build-cache | tail -2',
        'Time a clean build',
        'BUILD SUCCESSFUL in 3m 12s\n61 actionable tasks: 61 executed',
      ),
      edit('app/build.gradle.kts', '    kotlin("kapt")', '    id("com.google.devtools.ksp")'),
      edit(
        'app/build.gradle.kts',
        '    kapt("androidx.room:room-compiler:2.6.1")\n    kapt("com.google.dagger:hilt-compiler:2.47")\n    kapt("com.squareup.moshi',
        '    ksp("androidx.room:room-compiler:2.6.1")\n    ksp("com.google.dagger:hilt-compiler:2.47")\n    ksp("com.squareup.moshi',
      ),
      bashFails(
        './gradlew assembleDebug',
        'Build',
        '> Task :app:kspDebugKotlin FAILED\ne: [ksp] No providers found in processor classpath for com.google.dagger:hilt-compiler:2.47\n\nBUILD FAILED in 22s',
      ),
      edit('app/build.gradle.kts', 'hilt-compiler:2.47', 'hilt-compiler:2.51.1'),
      bash(
        './gradlew clean assembleDebug --no-build-cache | tail -2',
        'Time it again',
        'BUILD SUCCESSFUL in 1m 41s\n58 actionable tasks: 58 executed',
      ),
      edit('gradle.properties', 'org.gradle.jvmargs=-Xmx4g', 'org.gradle.jvmargs=-Xmx4g\norg.gradle.configuration-cache=true'),
      bashFails(
        './gradlew assembleDebug',
        'Build with the configuration cache',
        "1 problem was found storing the configuration cache.\n- Task `:app:processDebugGoogleServices` of type `com.google.gms.googleservices.GoogleServicesTask`: invocation of 'Task.project' at execution time is unsupported.\n\nBUILD FAILED in 9s",
      ),
      edit('gradle.properties', 'org.gradle.jvmargs=-Xmx4g\norg.gradle.configuration-cache=true', 'org.gradle.jvmargs=-Xmx4g'),
      bash(
        './gradlew testDebugUnitTest && git commit -qam "KSP for Room, Hilt and Moshi"',
        'Unit tests and commit',
        'BUILD SUCCESSFUL in 1m 3s',
      ),
      stop(`
        🚀 kapt is gone: Room, Hilt and Moshi run on KSP, a clean build went from 3m12s to 1m41s. Hilt had to move to 2.51.1 for that, 2.47 has no KSP processor.

        🧱 I also switched the configuration cache on and, well, off again. The google-services plugin touches Task.project at execution time and the build dies, so that is no option as long as we are on this version of the plugin.`),
      prompt('nice. opinion please, no code: should hike recording be a foreground service or WorkManager?'),
      grep('WorkManager', ['app/src/main/java/io/wanderlog/sync/SyncWorker.kt']),
      stop(`
        Foreground service, clearly. WorkManager is for work that may wait: periodic jobs run every 15 minutes at best and Doze shifts them, while a
        track needs a fix every few seconds. The price is a permanent notification, which hikers expect anyway.`),
      prompt(
        "alright, foreground service it is then. use Flow for the points, I don't want any LiveData in new code. just the skeleton for today",
      ),
      write(
        'app/src/main/java/io/wanderlog/record/RecordingService.kt',
        `
        class RecordingService : LifecycleService() {
            private val points = MutableSharedFlow<Point>(extraBufferCapacity = 64)
            override fun onStartCommand(intent: Intent?, flags: Int, startId: Int): Int {
                startForeground(NOTIFICATION_ID, notification())
                return START_STICKY
            }
        }`,
      ),
      edit(
        'app/src/main/AndroidManifest.xml',
        '    </application>',
        '        <service android:name=".record.RecordingService" android:foregroundServiceType="location" />\n    </application>',
      ),
      bashFails(
        './gradlew lintDebug',
        'Lint',
        'AndroidManifest.xml:41: Error: foregroundServiceType:location requires permission:[android.permission.FOREGROUND_SERVICE_LOCATION] [ForegroundServicePermission]\n1 errors, 0 warnings\nBUILD FAILED in 14s',
      ),
      edit(
        'app/src/main/AndroidManifest.xml',
        '<manifest>',
        '<manifest>\n    <uses-permission android:name="android.permission.FOREGROUND_SERVICE_LOCATION" />',
      ),
      bash('./gradlew lintDebug assembleDebug', 'Lint and build', 'BUILD SUCCESSFUL in 38s'),
      stop(`
        🏁 Skeleton stands: \`RecordingService\` starts in the foreground with type location and emits points as a SharedFlow. Lint wanted FOREGROUND_SERVICE_LOCATION in the manifest, it is there.

        👉 Tomorrow: connect the record button to the service, right now nothing starts it.`),
      end(),
    ],
  ],
  truths: {
    decisions: [
      {
        what: 'the user: no destructive migration',
        mustMention: ['destructive|fallbackToDestructiveMigration'],
      },
      {
        what: 'foreground service, not WorkManager',
        mustMention: ['foreground service'],
      },
      { what: 'the user: Flow, no LiveData in new code', mustMention: ['livedata'] },
    ],
    fixes: [
      {
        what: 'crash on update: migration 14 to 15 was missing',
        mustMention: ['migration', '14|15|elevation_gain', 'MIGRATION_14_15|elevation_gain|register|not null'],
      },
    ],
    deadEnds: [
      {
        what: 'configuration cache breaks on google-services',
        mustMention: ['configuration cache|configuration-cache'],
      },
    ],
    nextSteps: [
      { what: 'cut and upload hotfix 3.2.1', mustMention: ['3.2.1|hotfix|play console'], after: [1, 1] },
      { what: 'connect the record button', mustMention: ['button|connect'], after: [1, 4] },
    ],
    others: [
      {
        what: 'kapt replaced by KSP, build time halved',
        mustMention: ['kapt|ksp'],
        types: ['refactor', 'change', 'feature'],
      },
    ],
    acceptable: [
      { what: 'column has to be NOT NULL DEFAULT 0', mustMention: ['elevation_gain|not null|MigrationTest'] },
      { what: 'Hilt needs 2.51.1 for KSP', mustMention: ['hilt'] },
      { what: 'the service skeleton', mustMention: ['RecordingService|skeleton'], types: ['feature', 'change'] },
      { what: 'permission for the service', mustMention: ['FOREGROUND_SERVICE_LOCATION|permission'] },
      { what: 'comparison of service and WorkManager', mustMention: ['workmanager'], types: ['decision', 'discovery'] },
      { what: 'the commit', mustMention: ['commit|ksp for room'] },
      { what: 'KSP as a decision', mustMention: ['ksp'], types: ['decision'] },
    ],
  },
});
