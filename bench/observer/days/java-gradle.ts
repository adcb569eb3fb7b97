// A Spring Boot upgrade with two surprises, then a cent lost in rounding.
import { playDay } from './day.ts';
import { bash, bashFails, edit, end, grep, prompt, read, stop, write } from './steps.ts';
import { webSearch } from './talk.ts';

export const javaGradle = playDay({
  name: 'java-gradle',
  root: '/home/dev/ledger-core',
  startsAt: '2026-02-24T10:30:00Z',
  sessions: [
    [
      prompt('Upgrade us from Spring Boot 3.1.12 to 3.3.8. Run everything, fix what breaks.'),
      read(
        'build.gradle',
        `
        plugins {
          id 'java'
          id 'org.springframework.boot' version '3.1.12'
          id 'io.spring.dependency-management' version '1.1.4'
        }
        java { toolchain { languageVersion = JavaLanguageVersion.of(17) } }
        dependencies {
          implementation 'org.springframework.boot:spring-boot-starter-web'
          implementation 'org.flywaydb:flyway-core'
          testImplementation 'org.springframework.boot:spring-boot-starter-test'
        }`,
      ),
      bash(
        './gradlew --version | head -5',
        'Show versions',
        '\n------------------------------------------------------------\nGradle 8.5\n------------------------------------------------------------',
      ),
      bash(
        'cat Dockerfile',
        'Show the image',
        'FROM eclipse-temurin:17-jre\nCOPY build/libs/ledger-core.jar /app.jar\nENTRYPOINT ["java","-jar","/app.jar"]',
      ),
      edit('build.gradle', "version '3.1.12'", "version '3.3.8'"),
      bashFails('./gradle test', 'Run the tests', '/bin/bash: line 1: ./gradle: Is a directory', 126),
      bashFails(
        './gradlew test',
        'Run the tests',
        `
        > Task :compileJava
        > Task :test FAILED

        AccountControllerTest > returnsAccount() FAILED
            jakarta.servlet.ServletException: Request processing failed: java.lang.IllegalArgumentException: Name for argument of type [java.lang.Long] not specified, and parameter name information not available via reflection. Ensure that the compiler uses the '-parameters' flag.

        LedgerApplicationTests > contextLoads() FAILED
            java.lang.IllegalStateException at DefaultCacheAwareContextLoaderDelegate.java:180
                Caused by: org.flywaydb.core.api.FlywayException at DatabaseTypeRegister.java:105

        112 tests completed, 19 failed

        FAILURE: Build failed with an exception.
        BUILD FAILED in 41s`,
      ),
      edit(
        'build.gradle',
        'java { toolchain',
        "tasks.withType(JavaCompile).configureEach { options.compilerArgs.add('-parameters') }\njava { toolchain",
      ),
      bashFails(
        './gradlew test',
        'Run the tests',
        `
        LedgerApplicationTests > contextLoads() FAILED
            Caused by: org.flywaydb.core.api.FlywayException: Unsupported Database: PostgreSQL 15.6

        112 tests completed, 6 failed
        BUILD FAILED in 38s`,
      ),
      webSearch(
        'flyway "Unsupported Database: PostgreSQL 15" spring boot 3.3',
        [['Flyway 10 modularization', 'https://documentation.red-gate.com/flyway/flyway-10']],
        'Since Flyway 10 database support lives in separate modules; PostgreSQL needs org.flywaydb:flyway-database-postgresql at runtime.',
      ),
      edit(
        'build.gradle',
        "  implementation 'org.flywaydb:flyway-core'\n",
        "  implementation 'org.flywaydb:flyway-core'\n  runtimeOnly 'org.flywaydb:flyway-database-postgresql'\n",
      ),
      bash(
        './gradlew test',
        'Run the tests',
        '> Task :compileJava\nNote: SecurityConfig.java uses or overrides a deprecated API.\n> Task :test\n\nBUILD SUCCESSFUL in 52s\n5 actionable tasks: 4 executed, 1 up-to-date',
      ),
      bash(
        'git checkout -b boot-3.3 && git commit -qam "Upgrade to Spring Boot 3.3.8"',
        'Commit on a branch',
        '',
        "Switched to a new branch 'boot-3.3'",
      ),
      stop(`
        ### Spring Boot 3.3.8: done, all 112 tests green

        Two things broke:
        * **Parameter names.** Spring 6.1 no longer reads them from debug information; \`@PathVariable Long id\` failed with "Name for argument not specified". Fixed by compiling with \`-parameters\`.
        * **Flyway.** Boot 3.3 brings Flyway 10, which moved PostgreSQL into its own module ("Unsupported Database: PostgreSQL 15.6"). Added \`flyway-database-postgresql\`.

        ### Decisions
        * I stayed on Java 17 rather than going to 21 in the same step, since the production image is eclipse-temurin:17.

        ### Left over
        * \`SecurityConfig\` still uses the deprecated \`authorizeRequests()\`; it goes away in Spring Security 7`),
      prompt('next one: accounting says interest is one cent off for some accounts. the bank rule is half even'),
      grep('interest', ['src/main/java/ledger/Interest.java', 'src/test/java/ledger/InterestTest.java']),
      read(
        'src/main/java/ledger/Interest.java',
        `
        package ledger;

        final class Interest {
          static double daily(double balance, double rate) {
            return Math.floor(balance * rate / 365 * 100) / 100;
          }
        }`,
      ),
      edit(
        'src/test/java/ledger/InterestTest.java',
        'class InterestTest {',
        'class InterestTest {\n  @ParameterizedTest @CsvSource({"36968.75,0.1,10.13", "36478.10,0.1,9.99", "912.50,0.01,0.02"})\n  void followsTheBank(String balance, String rate, String cents) {\n    assertEquals(new BigDecimal(cents), Interest.daily(new BigDecimal(balance), new BigDecimal(rate)));\n  }',
      ),
      edit(
        'src/main/java/ledger/Interest.java',
        'return Math.floor(balance * rate / 365 * 100) / 100;',
        'return Math.round(balance * rate / 365 * 100) / 100.0;',
      ),
      bashFails(
        './gradlew test --tests "*InterestTest"',
        'Run the interest tests',
        `
        > Task :test FAILED

        InterestTest > followsTheBank(String, String, String) > [3] 912.50, 0.01, 0.02 FAILED
            org.opentest4j.AssertionFailedError: expected: <0.02> but was: <0.03>
                at app//ledger.InterestTest.followsTheBank(InterestTest.java:14)

        3 tests completed, 1 failed
        BUILD FAILED in 9s`,
      ),
      write(
        'src/main/java/ledger/Interest.java',
        `
        package ledger;

        import java.math.BigDecimal;
        import java.math.RoundingMode;

        final class Interest {
          private static final BigDecimal YEAR = BigDecimal.valueOf(365);

          static BigDecimal daily(BigDecimal balance, BigDecimal rate) {
            return balance.multiply(rate).divide(YEAR, 2, RoundingMode.HALF_EVEN);
          }
        }`,
      ),
      bash('./gradlew test', 'Run all tests', '> Task :test\n\nBUILD SUCCESSFUL in 55s'),
      stop(`
        The cent got lost because \`Interest.daily\` cut off with \`Math.floor\` on doubles. It now computes in BigDecimal and rounds HALF_EVEN at the end, as the bank does.

        I first tried \`Math.round\` on the double. That does not work: it rounds half up, so the 0.025 case came out as 0.03. Dropped.

        Everything is green. Not done: the interest already booked for January and February is not corrected, that needs a correction run with accounting.`),
      prompt('git branch?'),
      bash('git branch', 'List branches', '* boot-3.3\n  main\n  release/2.8'),
      stop('You are on `boot-3.3`; there are also `main` and `release/2.8`.'),
      end(),
    ],
  ],
  truths: {
    decisions: [{ what: 'stayed on Java 17 because of the image', mustMention: ['java 17', '21|image|temurin'] }],
    fixes: [
      {
        what: 'parameter names need -parameters',
        mustMention: ['-parameters', 'parameter name|argument|reflection|compil'],
      },
      {
        what: 'Flyway 10 needs the PostgreSQL module',
        mustMention: ['flyway', 'postgresql', 'unsupported|module|flyway 10'],
      },
      {
        what: 'interest off by a cent: BigDecimal and HALF_EVEN',
        mustMention: ['interest', 'HALF_EVEN|half even', 'BigDecimal|Math.floor|double'],
      },
    ],
    deadEnds: [{ what: 'Math.round rounds half up', mustMention: ['Math.round'] }],
    nextSteps: [
      {
        what: 'SecurityConfig uses a deprecated call',
        mustMention: ['SecurityConfig|authorizeRequests'],
        after: [1, 1],
      },
      {
        what: 'booked interest needs a correction run',
        mustMention: ['correct', 'interest|january|accounting|booked'],
        after: [1, 2],
      },
    ],
    others: [
      {
        what: 'Spring Boot is at 3.3.8',
        mustMention: ['spring boot', '3.3'],
        types: ['change', 'feature', 'refactor'],
      },
    ],
    acceptable: [{ what: 'half even is the rule of the bank', mustMention: ['half even|HALF_EVEN'], types: ['decision'] }],
  },
});
