// A key-value store in C: a crash under compaction, a link error on ARM, a compacted session, a rule about the file format.
import { playDay } from './day.ts';
import { bash, bashFails, compact, edit, end, grep, prompt, read, stop, write } from './steps.ts';

export const cStore = playDay({
  name: 'c-store',
  root: '/home/dev/tinykv',
  startsAt: '2026-01-09T19:30:00Z',
  sessions: [
    [
      prompt('test_compact segfaults since the iterator change. get to the bottom of it'),
      bash('ls', 'List', 'CMakeLists.txt  README.md  build  include  src  tests'),
      bash(
        'cmake --build build -j8 | tail -3',
        'Build',
        '[ 90%] Building C object CMakeFiles/tinykv.dir/src/compact.c.o\n[ 95%] Linking C static library libtinykv.a\n[100%] Built target test_compact',
      ),
      bashFails(
        'ctest --test-dir build --output-on-failure',
        'Run the tests',
        `
        Internal ctest changing into directory: /home/dev/tinykv/build
        Test project /home/dev/tinykv/build
            Start 1: test_put
        1/4 Test #1: test_put .........................   Passed    0.01 sec
            Start 2: test_get
        2/4 Test #2: test_get .........................   Passed    0.01 sec
            Start 3: test_compact
        3/4 Test #3: test_compact .....................***Exception: SegFault  0.09 sec
            Start 4: test_crc
        4/4 Test #4: test_crc .........................   Passed    0.00 sec

        75% tests passed, 1 tests failed out of 4

        The following tests FAILED:
        	  3 - test_compact (SEGFAULT)
        Errors while running CTest`,
        8,
      ),
      bashFails(
        'valgrind ./build/test_compact',
        'Run under valgrind',
        `
        ==4181== Memcheck, a memory error detector
        vex amd64->IR: unhandled instruction bytes: 0xF2 0x48 0xF 0x38 0xF1 0xC1
        ==4181== valgrind: Unrecognised instruction at address 0x10a3f2.
        ==4181==    at 0x10A3F2: crc32c_hw (crc32c.c:41)
        ==4181== Process terminating with default action of signal 4 (SIGILL)`,
        132,
      ),
      bash(
        'cmake -B build-asan -DCMAKE_C_FLAGS="-fsanitize=address -g" && cmake --build build-asan -j8 | tail -1',
        'Build with ASan',
        '-- Configuring done\n-- Generating done\n[100%] Built target test_compact',
      ),
      bashFails(
        './build-asan/test_compact',
        'Run under ASan',
        `
        =================================================================
        ==4290==ERROR: AddressSanitizer: heap-use-after-free on address 0x60e000000a40 at pc 0x55d0c1
        READ of size 8 at 0x60e000000a40 thread T0
            #0 0x55d0c0 in kv_compact /home/dev/tinykv/src/compact.c:88
            #1 0x55ce11 in main /home/dev/tinykv/tests/test_compact.c:31
        freed by thread T0 here:
            #0 0x7f21c1 in realloc
            #1 0x55c102 in table_grow /home/dev/tinykv/src/table.c:52
        SUMMARY: AddressSanitizer: heap-use-after-free /home/dev/tinykv/src/compact.c:88 in kv_compact`,
      ),
      read(
        'src/compact.c',
        'int kv_compact(struct kv *kv) {\n  struct entry *e = kv->table->entries;\n  for (size_t i = 0; i < kv->table->used; i++, e++) {\n    if (e->deleted) continue;\n    table_put(kv->table, e->key, e->value);\n  }\n  return 0;\n}',
      ),
      edit(
        'src/compact.c',
        '  struct entry *e = kv->table->entries;\n  for (size_t i = 0; i < kv->table->used; i++, e++) {\n',
        '  size_t used = kv->table->used;\n  for (size_t i = 0; i < used; i++) {\n    struct entry *e = &kv->table->entries[i];\n',
      ),
      bash(
        'cmake --build build-asan -j8 | tail -1 && ./build-asan/test_compact && ctest --test-dir build-asan | tail -3',
        'Build and run',
        '[100%] Built target test_compact\ncompact: 10000 entries ok\n100% tests passed, 0 tests failed out of 4\n\nTotal Test time (real) =   0.31 sec',
      ),
      bash('git commit -qam "compact: index entries, table_put may move them"', 'Commit'),
      stop(`
        kv_compact held a pointer into the entry array while table_put could realloc it (table_grow), so after the first growth it read freed memory. It uses an index now and looks the entry up each round. ASan clean, 4/4 tests.

        Valgrind was no use for this: it stops at the crc32 instruction in crc32c_hw ("Unrecognised instruction"), so go for ASan in this repo.`),
      prompt('ok. ben says it does not link on his raspberry pi'),
      bash('cat .github/workflows/ci.yml | grep -n arm', 'Is ARM in CI', '14:      - ubuntu-24.04-arm'),
      bashFails(
        'cmake -B build-arm -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64.cmake && cmake --build build-arm',
        'Cross build',
        `
        -- The C compiler identification is GNU 13.2.0
        [ 95%] Linking C executable test_crc
        /usr/lib/gcc-cross/aarch64-linux-gnu/13/ld: libtinykv.a(crc32c.c.o): in function \`crc32c':
        crc32c.c:(.text+0x58): undefined reference to \`crc32c_hw'
        collect2: error: ld returned 1 exit status
        gmake: *** [Makefile:101: all] Error 2`,
        2,
      ),
      grep(
        'crc32c_hw',
        [],
        'src/crc32c.c:38:#ifdef __SSE4_2__\nsrc/crc32c.c:39:uint32_t crc32c_hw(uint32_t crc, const void *p, size_t n)\nsrc/crc32c.c:66:  return has_hw() ? crc32c_hw(crc, p, n) : crc32c_sw(crc, p, n);',
      ),
      edit(
        'src/crc32c.c',
        '  return has_hw() ? crc32c_hw(crc, p, n) : crc32c_sw(crc, p, n);',
        '#ifdef __SSE4_2__\n  if (has_hw()) return crc32c_hw(crc, p, n);\n#endif\n  return crc32c_sw(crc, p, n);',
      ),
      bash(
        'cmake --build build-arm && qemu-aarch64 -L /usr/aarch64-linux-gnu build-arm/test_crc',
        'Cross build and run',
        '[100%] Built target test_crc\ncrc ok',
      ),
      stop(
        'Fixed: `crc32c()` called `crc32c_hw` everywhere, but that function only exists under `__SSE4_2__`. The call sits behind the same guard now, ARM takes the software path. Cross build links and test_crc passes in qemu.',
      ),
      compact(`
        <analysis>The user asked for two fixes in tinykv; both are done.</analysis>
        <summary>
        1. Fixed the use-after-free in kv_compact (index instead of pointer). Committed.
        2. Fixed the ARM link error: crc32c_hw guarded by __SSE4_2__. NOT committed yet.
        Pending: none from the user.
        </summary>`),
      prompt(
        'commit that. then add kv_snapshot(kv, path): a consistent copy while writers go on. keep file format v2, no version bump: there are old readers in the field we cannot update',
      ),
      bash(
        'git commit -qam "crc32c: hardware path only where it exists" && git log -1 --oneline',
        'Commit',
        'd1f00e7 crc32c: hardware path only where it exists',
      ),
      read(
        'include/tinykv.h',
        'int kv_open(struct kv **out, const char *path);\nint kv_compact(struct kv *kv);\nvoid kv_close(struct kv *kv);',
      ),
      edit(
        'include/tinykv.h',
        'void kv_close',
        '/* Writes a consistent copy to path; writers are not blocked. Format v2. */\nint kv_snapshot(struct kv *kv, const char *path);\nvoid kv_close',
      ),
      write(
        'src/snapshot.c',
        '#include "tinykv.h"\n\nint kv_snapshot(struct kv *kv, const char *path) {\n  size_t end = log_sync(kv->log);\n  return file_clone(kv->log->fd, path, end);\n}',
      ),
      write(
        'tests/test_snapshot.c',
        '#include "tinykv.h"\n\nint main(void) {\n  /* a writer thread puts while we snapshot; the copy opens and has every key up to the sync */\n  return run_snapshot_under_writes();\n}',
      ),
      edit('CMakeLists.txt', 'src/compact.c', 'src/compact.c src/snapshot.c'),
      bash(
        'cmake --build build -j8 | tail -1 && ctest --test-dir build | tail -2',
        'Build and test',
        '[100%] Built target test_snapshot\n100% tests passed, 0 tests failed out of 5\n\nTotal Test time (real) =   0.52 sec',
      ),
      stop(`
        kv_snapshot is in: it syncs the log, notes the end and clones the file up to there, so writers go on behind that point. File format stays v2. 5/5 tests.

        TODO
        - on macOS fsync is not enough, log_sync needs F_FULLFSYNC
        - a fuzz test for opening a snapshot that was cut short`),
      end('clear'),
    ],
  ],
  truths: {
    decisions: [{ what: 'the user: file format stays v2', mustMention: ['format', 'v2'] }],
    fixes: [
      {
        what: 'kv_compact read a pointer after realloc',
        mustMention: ['compact', 'realloc|use-after-free|freed|move|pointer', 'index'],
      },
      {
        what: 'ARM link error: crc32c_hw only under SSE4.2',
        mustMention: ['crc32c', 'undefined reference|link|exists', 'guard|software|__SSE4_2__'],
      },
    ],
    deadEnds: [{ what: 'valgrind stops at the crc32 instruction', mustMention: ['valgrind'] }],
    nextSteps: [
      { what: 'F_FULLFSYNC on macOS', mustMention: ['F_FULLFSYNC|macos'], after: [1, 3] },
      { what: 'fuzz test for cut snapshots', mustMention: ['fuzz'], after: [1, 3] },
    ],
    others: [{ what: 'kv_snapshot', mustMention: ['kv_snapshot|snapshot'], types: ['feature', 'change'] }],
    acceptable: [
      { what: 'the commits', mustMention: ['d1f00e7|committed'] },
      { what: 'commit of the guard', mustMention: ['crc32c'], types: ['change'] },
      { what: 'use ASan in this repository', mustMention: ['asan|AddressSanitizer', 'valgrind|repo'] },
    ],
  },
});
