// Errors that look alike and are not the same, and pairs of which neither tells anything.

export const OTHER_ERRORS: [what: string, one: string, other: string][] = [
  ['nothing printed', 'Exit code 1', 'Exit code 1'],
  ['nothing at all', '', ''],
  ['only that it failed', 'Exit code 1\nFAILED', 'Exit code 1\nFAILED'],
  ['what npm prints after any failure', npmAfter('test'), npmAfter('test')],
  [
    'what make prints after any failure',
    'Exit code 2\nmake: *** [Makefile:12: test] Error 1',
    'Exit code 2\nmake: *** [Makefile:31: test] Error 1',
  ],
  [
    'what bun prints after any script',
    'Exit code 1\nerror: script "check" exited with code 1',
    'Exit code 1\nerror: script "check" exited with code 1',
  ],
  [
    'what yarn prints after any script',
    'Exit code 1\nerror Command failed with exit code 1.\ninfo Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.',
    'Exit code 1\nerror Command failed with exit code 1.\ninfo Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.',
  ],
  [
    'what gradle prints after any failure',
    'Exit code 1\nFAILURE: Build failed with an exception.\n\nBUILD FAILED in 3s',
    'Exit code 1\nFAILURE: Build failed with an exception.\n\nBUILD FAILED in 9s',
  ],
  ['only a word of the author', 'Exit code 3\noops', 'Exit code 3\noops'],
  [
    'only the name of an exception',
    'Exit code 1\nTraceback (most recent call last):\nException: failed',
    'Exit code 1\nTraceback (most recent call last):\nException: failed',
  ],
  ['a crash without a word', 'Exit code 139\nSegmentation fault (core dumped)', 'Exit code 139\nSegmentation fault (core dumped)'],
  ['killed from outside', 'Exit code 137\nKilled', 'Exit code 137\nKilled'],
  ['a search that found nothing', 'Exit code 1\n', 'Exit code 1\n'],
  ['a listing that failed at its end', 'Exit code 1\nREADME.md\npackage.json\nsrc', 'Exit code 1\nREADME.md\npackage.json\nsrc'],
  [
    'an edit that did not fit',
    'String to replace not found in file.\nString: const total = 3;',
    'String to replace not found in file.\nString: const total = 3;',
  ],
  [
    'a file that was not read before',
    'File has not been read yet. Read it first before writing to it.',
    'File has not been read yet. Read it first before writing to it.',
  ],
  [
    'a file that is not there',
    'File does not exist. Note: your current working directory is /home/dev/shop.',
    'File does not exist. Note: your current working directory is /home/dev/shop.',
  ],
  [
    'a person who said no',
    "The user doesn't want to proceed with this tool use. The tool use was rejected.",
    "The user doesn't want to proceed with this tool use. The tool use was rejected.",
  ],
  ['values without a test', 'Exit code 1\nExpected: 3\nReceived: 4', 'Exit code 1\nExpected: 7\nReceived: 9'],
  ['an assertion without a test', 'Exit code 1\nE       assert 3 == 4', 'Exit code 1\nE       assert 3 == 4'],
  [
    'another name',
    "Exit code 2\nsrc/cart/total.ts(14,9): error TS2304: Cannot find name 'applyDiscount'.",
    "Exit code 2\nsrc/cart/total.ts(14,9): error TS2304: Cannot find name 'applyTax'.",
  ],
  [
    'another code of the compiler',
    "Exit code 2\nsrc/cart/total.ts(14,9): error TS2304: Cannot find name 'round'.",
    "Exit code 2\nsrc/cart/total.ts(14,9): error TS2552: Cannot find name 'round'. Did you mean 'Round'?",
  ],
  ['another module', "Exit code 1\nError: Cannot find module 'dotenv'", "Exit code 1\nError: Cannot find module 'express'"],
  [
    'another module of Python',
    "Exit code 1\nModuleNotFoundError: No module named 'redis'",
    "Exit code 1\nModuleNotFoundError: No module named 'celery'",
  ],
  [
    'another port that does not answer',
    'Exit code 1\nError: connect ECONNREFUSED 127.0.0.1:5432',
    'Exit code 1\nError: connect ECONNREFUSED 127.0.0.1:6379',
  ],
  [
    'another port that is taken',
    'Exit code 1\nError: listen EADDRINUSE: address already in use :::3000',
    'Exit code 1\nError: listen EADDRINUSE: address already in use :::8080',
  ],
  [
    'a port that is taken and one that does not answer',
    'Exit code 1\nError: listen EADDRINUSE: address already in use :::5432',
    'Exit code 1\nError: connect ECONNREFUSED 127.0.0.1:5432',
  ],
  ['another program', 'Exit code 127\nbash: terraform: command not found', 'Exit code 127\nbash: kubectl: command not found'],
  [
    'another test',
    'Exit code 1\n(fail) cart > applies the discount once [1ms]\n 1 fail',
    'Exit code 1\n(fail) cart > rounds the tax up [1ms]\n 1 fail',
  ],
  [
    'another test of pytest with the same values',
    'Exit code 1\nE       assert 3 == 4\nFAILED tests/test_orders.py::test_refund - assert 3 == 4',
    'Exit code 1\nE       assert 3 == 4\nFAILED tests/test_orders.py::test_charge - assert 3 == 4',
  ],
  [
    'another test of go',
    'Exit code 1\n--- FAIL: TestRetryBackoff (0.12s)\n    retry_test.go:41: got 3, want 5',
    'Exit code 1\n--- FAIL: TestRetryLimit (0.12s)\n    retry_test.go:41: got 3, want 5',
  ],
  [
    'the same property of something else',
    "Exit code 1\nTypeError: Cannot read properties of undefined (reading 'id')\n    at lineTotal (/home/dev/shop/src/cart/lines.ts:12:20)",
    "Exit code 1\nTypeError: Cannot read properties of undefined (reading 'id')\n    at findUser (/home/dev/shop/src/users/find.ts:40:9)",
  ],
  [
    'another property',
    "Exit code 1\nTypeError: Cannot read properties of undefined (reading 'price')\n    at a (/s/src/lines.ts:1:1)",
    "Exit code 1\nTypeError: Cannot read properties of undefined (reading 'map')\n    at a (/s/src/lines.ts:1:1)",
  ],
  [
    'the same key elsewhere',
    'Exit code 1\nTraceback (most recent call last):\n  File "/srv/app/orders/parse.py", line 12, in parse\nKeyError: \'customer_id\'',
    'Exit code 1\nTraceback (most recent call last):\n  File "/srv/app/reports/monthly.py", line 90, in build\nKeyError: \'customer_id\'',
  ],
  [
    'another table',
    'Exit code 1\nERROR:  relation "orders_archive" does not exist',
    'Exit code 1\nERROR:  relation "customers" does not exist',
  ],
  ['another column', 'Exit code 1\nERROR:  column "tax_rate" does not exist', 'Exit code 1\nERROR:  column "currency" does not exist'],
  [
    'another symbol for the linker',
    "Exit code 1\nmain.c: undefined reference to `kv_open'",
    "Exit code 1\nmain.c: undefined reference to `kv_close'",
  ],
  [
    'another header',
    'Exit code 1\nsrc/kv.c:7:10: fatal error: zlib.h: No such file or directory',
    'Exit code 1\nsrc/kv.c:7:10: fatal error: lz4.h: No such file or directory',
  ],
  [
    'another variable',
    'Exit code 1\nError: environment variable STRIPE_SECRET_KEY is not set',
    'Exit code 1\nError: environment variable DATABASE_URL is not set',
  ],
  [
    'another answer of the server',
    'Exit code 1\nError: Request failed with status code 403 for billing export',
    'Exit code 1\nError: Request failed with status code 500 for billing export',
  ],
  [
    'another package',
    'Exit code 1\nnpm ERR! code E404\nnpm ERR! 404 Not Found - GET https://registry.example.org/left-padd - Not found',
    'Exit code 1\nnpm ERR! code E404\nnpm ERR! 404 Not Found - GET https://registry.example.org/reactt - Not found',
  ],
  [
    'another rule of the linter',
    "Exit code 1\n  12:7  error  'unusedTotal' is assigned a value but never used  no-unused-vars",
    'Exit code 1\n  12:7  error  Unexpected console statement in production  no-console',
  ],
  ['a whole suite that is red for different reasons', manyTests('could not connect to broker'), manyTests('fixture file is missing')],
  [
    'a warning, and an error of something else',
    'Exit code 1\nwarning: unused variable: `x`\nerror[E0432]: unresolved import `serde_yaml`',
    'Exit code 1\nwarning: unused variable: `x`\nerror[E0432]: unresolved import `toml_edit`',
  ],
  [
    'another property',
    "Exit code 1\nType error: Property 'title' does not exist on type 'Post'.",
    "Exit code 1\nType error: Property 'slug' does not exist on type 'Post'.",
  ],
  ['other values of an assertion', 'Exit code 1\nAssertionError: expected 91 to be 90', 'Exit code 1\nAssertionError: expected 1 to be 2'],
  [
    'another test of vitest',
    'Exit code 1\n FAIL  src/cart.test.ts > cart > rounds\nAssertionError: expected 91 to be 90',
    'Exit code 1\n FAIL  src/user.test.ts > user > finds\nAssertionError: expected 91 to be 90',
  ],
  [
    'a path of grep and one of ls',
    'Exit code 1\ngrep: src/nothing.ts: No such file or directory',
    "Exit code 2\nls: cannot access 'lib/other.ts': No such file or directory",
  ],
  ['another path', 'Exit code 1\ncat: notes.md: No such file or directory', 'Exit code 1\ncat: plan.md: No such file or directory'],
  ['a password', 'Exit code 1\nsudo: a password is required', 'Exit code 1\nPassword is wrong'],
  [
    'what cargo prints after any error',
    'Exit code 1\nerror: could not compile `shop` (lib) due to 3 previous errors',
    'Exit code 1\nerror: could not compile `shop` (lib) due to 1 previous error',
  ],
  ['a count of problems', 'Exit code 1\n✖ 3 problems (3 errors, 0 warnings)', 'Exit code 1\n✖ 3 problems (3 errors, 0 warnings)'],
  [
    'a count of tests',
    'Exit code 1\nTests:       2 failed, 3 passed, 5 total\nTest Suites: 1 failed, 1 total\nTime:        1.2 s\nRan all test suites.',
    'Exit code 1\nTests:       2 failed, 3 passed, 5 total\nTest Suites: 1 failed, 1 total\nTime:        1.5 s\nRan all test suites.',
  ],
  [
    'another failure of curl',
    'Exit code 1\ncurl: (22) The requested URL returned error: 404',
    'Exit code 1\ncurl: (7) Failed to connect to localhost port 3000: Connection refused',
  ],
  ['a command that took too long, silently', 'Exit code 124\n', 'Exit code 124\n'],
  ['a command that took too long', 'Command timed out after 2m 0.0s', 'Command timed out after 2m 0.0s'],
  ['a test that failed, and nothing more', 'Exit code 1\nERROR: test failed', 'Exit code 1\nERROR: test failed'],
  ['a request that took too long', 'Exit code 1\nError: Request timed out', 'Exit code 1\nError: Request timed out'],
  [
    'another conversion',
    "Exit code 1\nValueError: invalid literal for int() with base 10: 'a'\n",
    "Exit code 1\nValueError: could not convert string to float: 'a'",
  ],
  [
    'another constraint',
    'Exit code 1\nrelation\nERROR:  duplicate key value violates unique constraint "users_email_key"',
    'Exit code 1\nERROR:  duplicate key value violates unique constraint "orders_pkey"',
  ],
  ['another tool of a server', 'MCP server error: tool x failed', 'MCP server error: tool y failed'],
  ['a word of a hook', 'Exit code 1\nhook declined', 'Exit code 1\nhook declined'],
];

function npmAfter(script: string): string {
  return `Exit code 1\nnpm ERR! Lifecycle script \`${script}\` failed with error:\nnpm ERR! Error: command failed\nnpm ERR!   in workspace: shop@1.0.0\nnpm ERR!   at location: /home/dev/shop`;
}

function manyTests(why: string): string {
  const names = ['adds a line', 'drops a line', 'totals lines', 'keeps order', 'rounds tax'];
  return `Exit code 1\nError: ${why}\n${names.map((name) => `(fail) cart > ${name} [1ms]`).join('\n')}\n 5 fail`;
}
