// A C++ SDK whose GitHub Actions are red every third run: retries hide it, caches evict each other, Windows stays red. Hedged reports.
import { playDay } from './day.ts';
import { bash, bashFails, compact, edit, end, grep, prompt, read, stop } from './steps.ts';
import { subagent, webFetch, webSearch } from './talk.ts';

export const actionsPipeline = playDay({
  name: 'actions-pipeline',
  root: '/home/dev/orbit-sdk',
  startsAt: '2026-12-01T08:00:00Z',
  sessions: [
    [
      prompt(
        'Morning! Context: release is Thursday, CI on main has been red about every third run for two weeks and people just hit re-run. I need someone to actually look. Start with the integration job.',
      ),
      bash(
        'gh run list --workflow ci.yml --branch main --limit 6',
        'Last runs',
        'STATUS  TITLE                   WORKFLOW  BRANCH  EVENT  ID           ELAPSED  AGE\nX       Bump fmt                ci        main    push   11873120044  14m2s    about 1 hour ago\n✓       Telemetry: batch size   ci        main    push   11871990812  12m40s   about 3 hours ago\n✓       Docs                    ci        main    push   11870441277  12m51s   about 5 hours ago\nX       Telemetry: retries      ci        main    push   11869013398  13m58s   about 19 hours ago',
      ),
      bash(
        'gh run view 11873120044 --log-failed | tail -5',
        'Log of the failed job',
        'integration\tRun integration tests\t2026-12-01T06:58:14Z [ RUN      ] Broker.PublishesOnConnect\nintegration\tRun integration tests\t2026-12-01T06:58:14Z broker_test.cc:31: Failure\nintegration\tRun integration tests\t2026-12-01T06:58:14Z connect: Connection refused (127.0.0.1:1883)\nintegration\tRun integration tests\t2026-12-01T06:58:14Z [  FAILED  ] Broker.PublishesOnConnect (2 ms)\nintegration\tRun integration tests\t2026-12-01T06:58:14Z ##[error]Process completed with exit code 8.',
      ),
      read(
        '.github/workflows/ci.yml',
        `
        jobs:
          integration:
            runs-on: ubuntu-24.04
            steps:
              - uses: actions/checkout@v4
              - run: docker compose up -d broker
              - name: Run integration tests
                run: ctest --test-dir build -L integration --output-on-failure
          build:
            strategy:
              matrix: { os: [ubuntu-24.04, macos-14, windows-2022] }
            runs-on: \${{ matrix.os }}
            steps:
              - uses: actions/cache@v4
                with: { path: .ccache, key: "ccache-\${{ matrix.os }}-\${{ github.sha }}" }
              - run: cmake --preset ci && cmake --build build && ctest --test-dir build
              - uses: actions/upload-artifact@v4
                with: { name: sdk, path: build/dist }`,
      ),
      edit(
        '.github/workflows/ci.yml',
        '      - name: Run integration tests\n        run: ctest --test-dir build -L integration --output-on-failure\n',
        '      - name: Run integration tests\n        uses: nick-fields/retry@v3\n        with: { max_attempts: 3, command: ctest --test-dir build -L integration --output-on-failure }\n',
      ),
      bash(
        'git switch -qc ci-flake && git commit -qam "ci: retry integration tests" && git push -qu origin HEAD && gh run watch --exit-status $(gh run list -b ci-flake -L1 --json databaseId -q ".[0].databaseId") | tail -3',
        'Push and watch',
        '✓ integration in 6m41s (ID 33090112)\n  ✓ Run integration tests\n  attempt 1 failed, attempt 2 failed, attempt 3 ok',
      ),
      edit(
        '.github/workflows/ci.yml',
        '        uses: nick-fields/retry@v3\n        with: { max_attempts: 3, command: ctest --test-dir build -L integration --output-on-failure }\n',
        '        run: ctest --test-dir build -L integration --output-on-failure\n',
      ),
      read('compose.yaml', 'services:\n  broker:\n    image: eclipse-mosquitto:2\n    ports: ["1883:1883"]\n'),
      edit(
        'compose.yaml',
        '    ports: ["1883:1883"]\n',
        '    ports: ["1883:1883"]\n    healthcheck:\n      test: ["CMD", "mosquitto_sub", "-t", "$$SYS/#", "-C", "1", "-W", "2"]\n      interval: 1s\n      retries: 30\n',
      ),
      edit('.github/workflows/ci.yml', 'docker compose up -d broker', 'docker compose up -d --wait broker'),
      bash(
        'git commit -qam "ci: wait until the broker is healthy" && git push -q && for i in 1 2 3 4 5; do gh workflow run ci.yml --ref ci-flake; done; sleep 900; gh run list -b ci-flake -L5 --json conclusion -q ".[].conclusion" | sort | uniq -c',
        'Five runs',
        '      5 success',
      ),
      stop(`
        I believe the integration flake is gone: five runs in a row are green, where before roughly one in three was red.

        - **Cause:** \`docker compose up -d\` returns as soon as the container *exists*. On a slow runner mosquitto was not listening yet and \`Broker.PublishesOnConnect\` got "connection refused".
        - **Change:** a \`healthcheck\` in \`compose.yaml\`, and \`up -d --wait\` in the workflow.
        - I started with \`nick-fields/retry\`. It went green on attempt 3, i.e. it only hides the problem and triples the time, so that is out again.

        Five runs are not proof, of course.`),
      prompt(
        'Great. Builds also got slow, 4 min to 13 min since November, on all three OSes. Somebody said "ccache is broken". Get that researched on the side, I have no idea how Actions caches work',
      ),
      subagent({
        description: 'Research Actions cache limits',
        prompt: 'Why would ccache stop hitting on GitHub Actions? Find the rules of actions/cache: limits, eviction, scope of branches.',
        steps: [
          webSearch(
            'github actions cache 10 GB limit eviction branch scope',
            [['Caching dependencies', 'https://docs.github.com/actions/cache']],
            'A repository has 10 GB of caches. When it is exceeded, the least recently used caches are evicted.',
          ),
          webFetch(
            'https://docs.github.com/actions/cache',
            'Scope of caches between branches',
            'A run can restore caches of its own branch and of the default branch. Caches saved by a pull request are visible to that pull request only.',
          ),
          bash(
            'gh cache list --limit 4 --json key,sizeInBytes,ref -q ".[] | [.key, .sizeInBytes, .ref] | @tsv"',
            'Our caches',
            'ccache-windows-2022-9f01\t1503238553\trefs/pull/881/merge\nccache-macos-14-9f01\t1395864371\trefs/pull/881/merge\nccache-ubuntu-24.04-9f01\t1460288880\trefs/pull/881/merge',
          ),
        ],
        report:
          'Each pull request saves three caches of about 1.4 GB under its own scope, where nobody else can restore them. The repository limit is 10 GB, least recently used first, so two or three PRs evict the caches of main. The key also contains github.sha without restore-keys, so even a surviving cache never matches.',
      }),
      bash(
        'gh run view 11871990812 --log | grep -i "cache not found" | head -3',
        'Confirm in a log',
        'build (ubuntu-24.04)\tCache not found for input keys: ccache-ubuntu-24.04-71c2',
      ),
      stop(`
        Short version: ccache is fine, the *cache of the cache* is not.

        1. Every pull request saves ~1.4 GB per OS, visible to itself only. With a limit of 10 GB per repository, two or three PRs evict what \`main\` saved.
        2. The key ends in \`github.sha\` and there are no \`restore-keys\`, so nothing ever matches ("Cache not found" in every log I looked at).

        I'd suggest: restore everywhere, save on \`main\` only. Shall I?`),
      compact(`
        Orbit SDK, branch ci-flake. Integration flake: compose --wait and a healthcheck, five green runs; retry action removed. Builds are slow because the
        caches of pull requests evict those of main (10 GB) and the key has no restore-keys. Waiting for the user's answer on saving caches on main only.`),
      prompt('yes do that, only main saves caches. And the last red one this morning was something with artifacts?? see 11880032190'),
      bash(
        'gh run view 11880032190 --log-failed | tail -2',
        'Log',
        'build (windows-2022)\tRun actions/upload-artifact@v4\t##[error]Failed to CreateArtifact: Received non-retryable error: Failed request: (409) Conflict: an artifact with this name already exists on the workflow run',
      ),
      grep('upload-artifact', [], '.github/workflows/ci.yml:19:      - uses: actions/upload-artifact@v4'),
      edit(
        '.github/workflows/ci.yml',
        'with: { name: sdk, path: build/dist }',
        `with: { name: "sdk-\${{ matrix.os }}", path: build/dist }`,
      ),
      edit(
        '.github/workflows/ci.yml',
        `      - uses: actions/cache@v4\n        with: { path: .ccache, key: "ccache-\${{ matrix.os }}-\${{ github.sha }}" }\n`,
        `      - uses: actions/cache/restore@v4\n        with: { path: .ccache, key: "ccache-\${{ matrix.os }}-\${{ github.sha }}", restore-keys: "ccache-\${{ matrix.os }}-" }\n      - uses: actions/cache/save@v4\n        if: github.ref == 'refs/heads/main'\n        with: { path: .ccache, key: "ccache-\${{ matrix.os }}-\${{ github.sha }}" }\n`,
      ),
      bash('actionlint', 'Lint the workflow'),
      bashFails(
        'git commit -qam "ci: save caches on main only, one artifact per OS" && git push -q && gh run watch --exit-status $(gh run list -b ci-flake -L1 --json databaseId -q ".[0].databaseId") | tail -12',
        'Push and watch',
        `
        ✓ integration in 6m2s
        ✓ build (ubuntu-24.04) in 4m20s
        ✓ build (macos-14) in 4m48s
        X build (windows-2022) in 5m31s
          X Run cmake --preset ci && cmake --build build && ctest --test-dir build
            98% tests passed, 1 tests failed out of 61
            The following tests FAILED:
                 44 - Paths.LongNames (Failed)`,
      ),
      stop(`
        Two of three.

        - Caches: restored everywhere with \`restore-keys\`, saved on \`main\` only. Ubuntu is back at 4m20s.
        - Artifacts: all three OSes uploaded one called \`sdk\`, and v4 refuses a second one of the same name (409). They are \`sdk-<os>\` now.
          - Heads-up: \`release.yml\` downloads \`sdk\` and has to be adapted before Thursday.
        - **Not green:** \`Paths.LongNames\` fails on Windows, 1 of 61. It looks like the 260-character path limit, likely because the runner's workspace path is longer than it used to be, but I haven't verified that.`),
      prompt('ok, Windows tomorrow. thx, really good work'),
      stop('Thanks! Until tomorrow.'),
      end(),
    ],
  ],
  truths: {
    decisions: [{ what: 'the user: only main saves caches', mustMention: ['cache', 'main'] }],
    fixes: [
      {
        what: 'integration flake: wait until the broker is healthy',
        mustMention: ['broker|mosquitto|integration', 'wait|health'],
      },
      {
        what: 'artifact conflict: one name per OS',
        mustMention: ['artifact', 'name|409|sdk-|conflict'],
      },
    ],
    deadEnds: [{ what: 'the retry action only hides it', mustMention: ['retry'] }],
    nextSteps: [
      { what: 'adapt release.yml to the new artifact names', mustMention: ['release.yml'], after: [1, 3] },
      { what: 'Paths.LongNames fails on Windows', mustMention: ['LongNames|windows'], after: [1, 3] },
    ],
    others: [
      {
        what: 'why caches never hit: 10 GB, pull requests evict main, no restore-keys',
        mustMention: ['cache', '10 GB|evict|restore-keys'],
        types: ['discovery'],
      },
    ],
    acceptable: [
      {
        what: 'the caching change',
        mustMention: ['cache'],
        types: ['change', 'feature', 'refactor', 'bugfix', 'decision'],
      },
      { what: 'the question whether to do it', mustMention: ['cache|restore|save'], types: [] },
      { what: 'five runs are no proof', mustMention: ['five runs'] },
      { what: 'the red Windows test', mustMention: ['LongNames|windows|260'] },
      { what: 'release.yml downloads sdk', mustMention: ['release.yml'] },
      { what: 'pages about the cache', mustMention: ['cache'], types: ['discovery'] },
      {
        what: 'pieces of the workflow',
        mustMention: ['ci.yml|compose.yaml|healthcheck'],
        types: ['change', 'refactor'],
      },
      { what: 'the commits', mustMention: ['commit'], types: ['change'] },
      { what: 'the retry while it was in', mustMention: ['retry'] },
    ],
  },
});
