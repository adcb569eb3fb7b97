// Errors as they came on two days: the same error each time, with other numbers, places and times around it.

export const SAME_ERRORS: [what: string, monday: string, friday: string][] = [
  [
    'a name that the compiler does not know, on another line',
    "Exit code 2\nsrc/cart/total.ts:14:9 - error TS2304: Cannot find name 'applyDiscount'.\n\nFound 1 error in src/cart/total.ts:14",
    "Exit code 1\nsrc/cart/total.ts(88,3): error TS2304: Cannot find name 'applyDiscount'.",
  ],
  [
    'a type error of the compiler, from another folder',
    "Exit code 2\nsrc/api/user.ts(3,7): error TS2322: Type 'string' is not assignable to type 'UserId'.",
    "Exit code 2\n/home/dev/shop/src/api/user.ts(41,12): error TS2322: Type 'string' is not assignable to type 'UserId'.",
  ],
  [
    'a missing module of node, from another folder',
    "Exit code 1\nnode:internal/modules/cjs/loader:1143\n  throw err;\n  ^\n\nError: Cannot find module 'dotenv'\nRequire stack:\n- /home/dev/shop/server.js\n    at Module._resolveFilename (node:internal/modules/cjs/loader:1140:15)",
    "Exit code 1\nError: Cannot find module 'dotenv'\nRequire stack:\n- /work/shop/scripts/seed.js\n    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)",
  ],
  [
    'a missing module of Python, under another runner',
    'Exit code 1\nTraceback (most recent call last):\n  File "/srv/app/main.py", line 3, in <module>\n    import redis\nModuleNotFoundError: No module named \'redis\'',
    "Exit code 2\nImportError while importing test module '/srv/app/tests/test_cache.py'.\nE   ModuleNotFoundError: No module named 'redis'",
  ],
  [
    'a database that does not answer, at another address',
    'Exit code 1\nError: connect ECONNREFUSED 127.0.0.1:5432\n    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1555:16)',
    'Exit code 1\nError: connect ECONNREFUSED ::1:5432\n    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1607:16)',
  ],
  [
    'a port that is taken, said by two programs',
    'Exit code 1\nError: listen EADDRINUSE: address already in use :::3000\n    at Server.setupListenHandle [as _listen2] (node:net:1817:16)',
    'Exit code 1\nPort 3000 is already in use',
  ],
  [
    'a program that is not there, in two shells',
    'Exit code 127\nbash: line 1: terraform: command not found',
    'Exit code 127\nzsh: command not found: terraform',
  ],
  [
    'a program that is not there, in dash',
    'Exit code 127\n/bin/sh: 1: protoc: not found',
    'Exit code 127\n/usr/bin/bash: line 3: protoc: command not found',
  ],
  [
    'a test of bun that fails with another value',
    'Exit code 1\nbun test v1.4.4 (8f0b1c)\n\ntest/cart.test.ts:\n14 |   expect(total).toBe(90)\nerror: expect(received).toBe(expected)\n\nExpected: 90\nReceived: 100\n\n(fail) cart > applies the discount once [1.21ms]\n\n 3 pass\n 1 fail',
    'Exit code 1\nbun test v1.4.5 (aa0b1c)\n\ntest/cart.test.ts:\nerror: expect(received).toBe(expected)\n\nExpected: 45\nReceived: 50\n\n(fail) cart > applies the discount once [0.34ms]\n\n 7 pass\n 1 fail',
  ],
  [
    'a test of pytest that fails with another value',
    'Exit code 1\nE       assert 3 == 4\ntests/test_orders.py:18: AssertionError\nFAILED tests/test_orders.py::test_refund_is_idempotent - assert 3 == 4\n1 failed, 11 passed in 0.41s',
    'Exit code 1\nE       assert 7 == 4\ntests/test_orders.py:22: AssertionError\nFAILED tests/test_orders.py::test_refund_is_idempotent - assert 7 == 4\n1 failed, 14 passed in 1.02s',
  ],
  [
    'a test of go that takes another time',
    'Exit code 1\n--- FAIL: TestRetryBackoff (0.12s)\n    retry_test.go:41: got 3 retries, want 5\nFAIL\nFAIL\tgithub.com/acme/shop/retry\t0.131s',
    'Exit code 1\n--- FAIL: TestRetryBackoff (0.09s)\n    retry_test.go:47: got 4 retries, want 5\nFAIL\nFAIL\tgithub.com/acme/shop/retry\t0.101s',
  ],
  [
    'a test of cargo',
    "Exit code 101\ntest scan::tests::latin1_file ... FAILED\n\nfailures:\n\n---- scan::tests::latin1_file stdout ----\nthread 'scan::tests::latin1_file' panicked at src/scan.rs:88:9:\nassertion `left == right` failed\n  left: 3\n right: 4",
    "Exit code 101\ntest scan::tests::latin1_file ... FAILED\n\nfailures:\n\n---- scan::tests::latin1_file stdout ----\nthread 'scan::tests::latin1_file' panicked at src/scan.rs:102:9:\nassertion `left == right` failed\n  left: 9\n right: 4",
  ],
  [
    'a test of jest in colours and without',
    'Exit code 1\n\u001b[31m  ● checkout › rejects an expired card\u001b[39m\n\n    expect(received).toBe(expected)\n\nTests:       1 failed, 40 passed, 41 total',
    'Exit code 1\n  ● checkout › rejects an expired card\n\n    expect(received).toEqual(expected)\n\nTests:       1 failed, 44 passed, 45 total',
  ],
  [
    'what any code may throw, in the same file',
    "Exit code 1\nTypeError: Cannot read properties of undefined (reading 'price')\n    at lineTotal (/home/dev/shop/src/cart/lines.ts:12:20)\n    at Array.map (<anonymous>)",
    "Exit code 1\nTypeError: Cannot read properties of undefined (reading 'price')\n    at lineTotal (/home/dev/shop/src/cart/lines.ts:31:14)\n    at total (/home/dev/shop/src/cart/total.ts:3:1)",
  ],
  [
    'a missing key in Python, in the same file',
    'Exit code 1\nTraceback (most recent call last):\n  File "/srv/app/run.py", line 3, in <module>\n    main()\n  File "/srv/app/orders/parse.py", line 12, in parse\n    return row[\'customer_id\']\nKeyError: \'customer_id\'',
    'Exit code 1\nTraceback (most recent call last):\n  File "/srv/app/cli.py", line 30, in <module>\n    main()\n  File "/srv/app/orders/parse.py", line 19, in parse\n    return row[\'customer_id\']\nKeyError: \'customer_id\'',
  ],
  [
    'a borrow that rustc refuses, in the same file',
    'Exit code 101\nerror[E0502]: cannot borrow `self.items` as mutable because it is also borrowed as immutable\n  --> src/store.rs:44:13\n   |\n44 |     self.items.push(x);\n\nerror: could not compile `shop` (lib) due to 1 previous error',
    'Exit code 101\nerror[E0502]: cannot borrow `self.items` as mutable because it is also borrowed as immutable\n  --> src/store.rs:51:13\n\nerror: could not compile `shop` (bin "shop") due to 2 previous errors',
  ],
  [
    'what go does not know, in the same file',
    'Exit code 1\n# github.com/acme/shop/pay\npay/charge.go:31:9: undefined: stripeClient',
    'Exit code 1\n# github.com/acme/shop/pay\n./pay/charge.go:44:12: undefined: stripeClient',
  ],
  [
    'a package that go does not find, with another version',
    'Exit code 1\nmain.go:5:2: no required module provides package github.com/jackc/pgx/v5; to add it:\n\tgo get github.com/jackc/pgx/v5',
    'Exit code 1\ncmd/app/main.go:9:2: no required module provides package github.com/jackc/pgx/v5; to add it:\n\tgo get github.com/jackc/pgx/v5',
  ],
  [
    'a conflict of npm, with another version in it',
    'Exit code 1\nnpm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\nnpm ERR! Could not resolve dependency:\nnpm ERR! peer react@"^17.0.0" from react-beautiful-dnd@13.1.1\nnpm ERR! A complete log of this run can be found in: /home/dev/.npm/_logs/2026-01-02T10_00_00_000Z-debug-0.log',
    'Exit code 1\nnpm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree\nnpm error Could not resolve dependency:\nnpm error peer react@"^17.0.2" from react-beautiful-dnd@13.1.0\nnpm error A complete log of this run can be found in: /home/dev/.npm/_logs/2026-02-09T08_11_40_412Z-debug-0.log',
  ],
  [
    'a package that no registry has',
    'Exit code 1\nnpm ERR! code E404\nnpm ERR! 404 Not Found - GET https://registry.npmjs.org/@acme%2fui-kit - Not found',
    'Exit code 1\nnpm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/@acme%2fui-kit - Not found',
  ],
  [
    'a table that is not there',
    'Exit code 1\nERROR:  relation "orders_archive" does not exist\nLINE 1: select * from orders_archive limit 5;',
    'Exit code 1\nerror: relation "orders_archive" does not exist\n    at Parser.parseErrorMessage (/home/dev/shop/node_modules/pg-protocol/dist/parser.js:283:98)',
  ],
  [
    'a column that is not there, in another query',
    'Exit code 1\npsql:migrate.sql:12: ERROR:  column "tax_rate" of relation "orders" does not exist',
    'Exit code 1\nERROR:  column "tax_rate" of relation "orders" does not exist\nLINE 3: update orders set tax_rate = 0;',
  ],
  [
    'a reference that the linker does not find',
    "Exit code 1\n/usr/bin/ld: /tmp/ccX1a2B3.o: in function `main':\nmain.c:(.text+0x1a): undefined reference to `kv_open'\ncollect2: error: ld returned 1 exit status",
    "Exit code 1\n/usr/bin/ld: /tmp/ccQ9z8Y7.o: in function `main':\nmain.c:(.text+0x2f): undefined reference to `kv_open'\ncollect2: error: ld returned 1 exit status",
  ],
  [
    'an error of gcc on another line',
    'Exit code 1\nsrc/kv.c:41:10: fatal error: zlib.h: No such file or directory\n   41 | #include <zlib.h>\ncompilation terminated.',
    'Exit code 1\nsrc/kv.c:7:10: fatal error: zlib.h: No such file or directory\ncompilation terminated.',
  ],
  [
    'what javac does not know',
    'Exit code 1\n[ERROR] /home/dev/shop/src/main/java/shop/Cart.java:[33,17] cannot find symbol\n[ERROR]   symbol: class Money',
    'Exit code 1\n[ERROR] /builds/4412/shop/src/main/java/shop/Cart.java:[48,9] cannot find symbol\n[ERROR]   symbol: class Money',
  ],
  [
    'what Kotlin does not know',
    'Exit code 1\ne: file:///home/dev/app/src/main/java/trail/HikeScreen.kt:30:12 Unresolved reference: rememberPagerState\n\nFAILURE: Build failed with an exception.',
    'Exit code 1\ne: file:///home/dev/app/src/main/java/trail/HikeScreen.kt:55:8 Unresolved reference: rememberPagerState',
  ],
  [
    'an exception of Java in the same file',
    'Exit code 1\nException in thread "main" java.lang.NullPointerException: Cannot invoke "shop.Cart.total()" because "cart" is null\n\tat shop.Checkout.run(Checkout.java:31)',
    'Exit code 1\nException in thread "worker-3" java.lang.NullPointerException: Cannot invoke "shop.Cart.total()" because "cart" is null\n\tat shop.Checkout.run(Checkout.java:40)',
  ],
  [
    'a docker daemon that does not run',
    'Exit code 1\nCannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
    'Exit code 1\nERROR: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
  ],
  [
    'a container that takes a port',
    'Exit code 125\ndocker: Error response from daemon: driver failed programming external connectivity on endpoint db (9f2c1d0a77b1): Bind for 0.0.0.0:5432 failed: port is already allocated.',
    'Exit code 125\nError response from daemon: driver failed programming external connectivity on endpoint shop-db-1 (0a1b2c3d4e5f): Bind for 0.0.0.0:5432 failed: port is already allocated.',
  ],
  [
    'a build step that docker prints with its time',
    '#12 0.412 E: Unable to locate package libvips-dev42\n',
    '#9 1.733 E: Unable to locate package libvips-dev42\n',
  ],
  [
    'an import that vite does not resolve',
    'Exit code 1\n[vite]: Rollup failed to resolve import "chart.js/auto" from "/home/dev/shop/src/Chart.tsx".',
    'Exit code 1\n[vite]: Rollup failed to resolve import "chart.js/auto" from "/builds/99/shop/src/Chart.tsx".',
  ],
  [
    'an import that webpack does not resolve',
    "Exit code 1\nModule not found: Error: Can't resolve 'crypto-browserify' in '/home/dev/shop/src'",
    "Exit code 1\nERROR in ./src/hash.js 3:0-40\nModule not found: Error: Can't resolve 'crypto-browserify' in '/ci/shop/src/lib'",
  ],
  [
    'a heap that is full',
    'Exit code 134\n<--- Last few GCs --->\n[4121:0x5a0]    91234 ms: Mark-sweep 2045.1 (2083.3)\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n 1: 0xb7a940 node::Abort()',
    'Exit code 134\n<--- Last few GCs --->\n[88:0x7f1]    12034 ms: Mark-sweep 4045.9 (4120.0)\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n 1: 0xb83f50 node::Abort()',
  ],
  [
    'a setting that is missing',
    'Exit code 1\nError: environment variable STRIPE_SECRET_KEY is not set\n    at loadConfig (/home/dev/shop/src/config.ts:9:11)',
    'Exit code 1\nError: Environment variable STRIPE_SECRET_KEY is not set',
  ],
  [
    'a push that is refused, of another commit',
    "Exit code 1\nTo github.com:acme/shop.git\n ! [rejected]        main -> main (non-fast-forward)\nerror: failed to push some refs to 'github.com:acme/shop.git'",
    "Exit code 1\nTo github.com:acme/shop.git\n ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'github.com:acme/shop.git'",
  ],
  [
    'a rule of a linter on another line',
    "Exit code 1\n\n/home/dev/shop/src/cart.ts\n  12:7  error  'unusedTotal' is assigned a value but never used  @typescript-eslint/no-unused-vars\n\n✖ 1 problem (1 error, 0 warnings)",
    "Exit code 1\n\n/home/dev/shop/src/cart.ts\n  40:11  error  'unusedTotal' is assigned a value but never used  @typescript-eslint/no-unused-vars\n\n✖ 2 problems (1 error, 1 warning)",
  ],
  [
    'a rule of mypy on another line',
    'Exit code 1\napp/pricing.py:31: error: Argument 1 to "round_half_up" has incompatible type "str"; expected "Decimal"  [arg-type]\nFound 1 error in 1 file (checked 31 source files)',
    'Exit code 1\napp/pricing.py:44: error: Argument 1 to "round_half_up" has incompatible type "str"; expected "Decimal"  [arg-type]\nFound 3 errors in 2 files (checked 33 source files)',
  ],
  [
    'a log with other times and another request',
    'Exit code 1\n2026-01-02 10:00:00,123 - ERROR: signature mismatch for webhook 3f2b8c1e-11aa-4c7e-9f00-aabbccddeeff',
    'Exit code 1\n2026-03-04 07:12:55,001 - ERROR: signature mismatch for webhook 9d1b8c1e-22bb-4c7e-9f00-001122334455',
  ],
  [
    'a service that does not become ready, after another time',
    'Exit code 1\nerror: timed out waiting for the condition on deployments/checkout after 120s',
    'Exit code 1\nerror: timed out waiting for the condition on deployments/checkout after 300s',
  ],
  [
    'a plan of terraform that is refused',
    'Exit code 1\n│ Error: Unsupported argument\n│ \n│   on main.tf line 14, in resource "aws_s3_bucket" "logs":',
    'Exit code 1\n│ Error: Unsupported argument\n│ \n│   on main.tf line 31, in resource "aws_s3_bucket" "logs":',
  ],
  [
    'a gem that is not installed',
    "Exit code 1\n/usr/lib/ruby/3.2.0/bundler/definition.rb:524:in `materialize': Could not find nokogiri-1.15.4 in locally installed gems (Bundler::GemNotFound)",
    'Exit code 7\nCould not find nokogiri-1.16.0 in locally installed gems\nRun `bundle install` to install missing gems.',
  ],
  [
    'a failing example of rspec',
    'Exit code 1\n  1) Invoice totals the lines\n     Failure/Error: expect(invoice.total).to eq(90)\n\n       expected: 90\n            got: 100\n\nrspec ./spec/models/invoice_spec.rb:12 # Invoice totals the lines',
    'Exit code 1\n  1) Invoice totals the lines\n     Failure/Error: expect(invoice.total).to eq(90)\n\n       expected: 90\n            got: 81\n\nrspec ./spec/models/invoice_spec.rb:14 # Invoice totals the lines',
  ],
  [
    'a file that cannot be opened, in another temporary folder',
    'Exit code 1\nSQLiteCantOpenError: unable to open database file /tmp/shop-a81kq2/memory.db',
    'Exit code 1\nSQLiteCantOpenError: unable to open database file /tmp/shop-zz09p1/memory.db',
  ],
  [
    'an answer of a server, with another request id',
    'Exit code 1\nError: Request failed with status code 403: quota exceeded for project billing (request 8812731)',
    'Exit code 1\nError: Request failed with status code 403: quota exceeded for project billing (request 1927741)',
  ],
];
