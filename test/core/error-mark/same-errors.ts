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
    'Exit code 1\nnpm ERR! code E404\nnpm ERR! 404 Not Found - GET https://registry.example.org/@acme%2fui-kit - Not found',
    'Exit code 1\nnpm error code E404\nnpm error 404 Not Found - GET https://registry.example.org/@acme%2fui-kit - Not found',
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
  [
    'a property that next does not find',
    "Exit code 1\n> shop@1.0.0 build\n> next build\n\nFailed to compile.\n\n./app/page.tsx:12:5\nType error: Property 'title' does not exist on type 'Post'.\n",
    "Exit code 1\n> shop@1.0.1 build\n> next build\n\nFailed to compile.\n\n./app/page.tsx:31:9\nType error: Property 'title' does not exist on type 'Post'.\n",
  ],
  [
    'a database that prisma does not reach',
    "Exit code 1\nprisma:error\nPrismaClientInitializationError: Can't reach database server at `localhost:5432`\nPlease make sure your database server is running",
    "Exit code 1\nPrismaClientInitializationError: Can't reach database server at `localhost:5432`",
  ],
  [
    'a folder without git',
    'Exit code 128\nfatal: not a git repository (or any of the parent directories): .git',
    'Exit code 128\nfatal: not a git repository (or any of the parent directories): .git',
  ],
  [
    'changes in the way of a merge',
    'Exit code 1\nerror: Your local changes to the following files would be overwritten by merge:\n\tsrc/a.ts\nPlease commit your changes or stash them before you merge.\nAborting',
    'Exit code 1\nerror: Your local changes to the following files would be overwritten by merge:\n\tsrc/b.ts\nPlease commit',
  ],
  [
    'a database that Django does not reach',
    'Exit code 1\ndjango.db.utils.OperationalError: could not connect to server: Connection refused\n\tIs the server running on host "localhost" (127.0.0.1) and accepting\n\tTCP/IP connections on port 5433?',
    'Exit code 1\ndjango.db.utils.OperationalError: could not connect to server: Connection refused\n\tIs the server running on host "localhost" (::1) and accepting\n\tTCP/IP connections on port 5433?',
  ],
  [
    'a setting that Django misses',
    'Exit code 1\nTraceback (most recent call last):\n  File "manage.py", line 22, in <module>\ndjango.core.exceptions.ImproperlyConfigured: The SECRET_KEY setting must not be empty.',
    'Exit code 1\nTraceback (most recent call last):\n  File "/srv/manage.py", line 25, in main\ndjango.core.exceptions.ImproperlyConfigured: The SECRET_KEY setting must not be empty.',
  ],
  [
    'a trait that is not there',
    'Exit code 1\nerror[E0277]: the trait bound `Money: Serialize` is not satisfied\n   --> src/api.rs:31:10',
    'Exit code 101\nerror[E0277]: the trait bound `Money: Serialize` is not satisfied\n   --> src/api.rs:35:10',
  ],
  [
    'a nil pointer in the same file',
    'Exit code 1\npanic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x4a1b2c]\n\ngoroutine 1 [running]:\nmain.run(0x0)\n\t/home/dev/shop/cmd/run.go:31 +0x1c',
    'Exit code 2\npanic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x9a1b2c]\n\ngoroutine 18 [running]:\nmain.run(0x0)\n\t/ci/shop/cmd/run.go:44 +0x2f',
  ],
  [
    'a test of vitest',
    'Exit code 1\n FAIL  src/cart.test.ts > cart > rounds\nAssertionError: expected 91 to be 90 // Object.is equality\n ❯ src/cart.test.ts:12:20\n\n Test Files  1 failed (1)\n      Tests  1 failed | 3 passed (4)',
    'Exit code 1\n FAIL  src/cart.test.ts > cart > rounds\nAssertionError: expected 95 to be 90 // Object.is equality\n ❯ src/cart.test.ts:19:20\n\n Test Files  1 failed (1)\n      Tests  1 failed | 6 passed (7)',
  ],
  [
    'a package that bun does not find',
    "Exit code 1\nerror: Cannot find package 'zod' from '/home/dev/shop/src/a.ts'",
    'Exit code 1\nerror: Cannot find package "zod" from "/ci/x/src/b.ts"',
  ],
  [
    'a token that is out of place, named with its file',
    "Exit code 1\nSyntaxError: Unexpected token '}' (/home/dev/shop/src/a.js:12:1)\n    at wrapSafe (node:internal)",
    "Exit code 1\nSyntaxError: Unexpected token '}' (/home/dev/shop/src/a.js:20:1)",
  ],
  [
    'a token that is out of place',
    "Exit code 1\n/home/dev/shop/src/a.js:12\n  foo(;\n      ^\n\nSyntaxError: Unexpected token ';'\n    at wrapSafe (node:internal/modules/cjs/loader:1378:20)",
    "Exit code 1\n/home/dev/shop/src/a.js:30\n  foo(;\n      ^\n\nSyntaxError: Unexpected token ';'\n    at wrapSafe (node:internal/modules/cjs/loader:1378:20)",
  ],
  [
    'a field that Kubernetes does not know',
    'Exit code 1\nerror: error validating "deploy.yaml": error validating data: unknown field "spec.template.spec.container" in io.k8s.api.core.v1.PodSpec',
    'Exit code 1\nerror: error validating "deploy.yaml": error validating data: unknown field "spec.template.spec.container" in io.k8s.api.core.v1.PodSpec',
  ],
  [
    'a release that is there already',
    'Exit code 1\nError: INSTALLATION FAILED: cannot re-use a name that is still in use',
    'Exit code 1\nError: INSTALLATION FAILED: cannot re-use a name that is still in use',
  ],
  [
    'a name that C# does not know',
    "Exit code 1\nsrc/Foo.cs(12,5): error CS0246: The type or namespace name 'Newtonsoft' could not be found (are you missing a using directive or an assembly reference?) [/home/dev/app/app.csproj]",
    "Exit code 1\n/ci/app/src/Foo.cs(22,5): error CS0246: The type or namespace name 'Newtonsoft' could not be found (are you missing a using directive or an assembly reference?) [/ci/app/app.csproj]",
  ],
  [
    'a version that pip does not find',
    'Exit code 1\nERROR: Could not find a version that satisfies the requirement torch==2.9.9 (from versions: 2.0.0, 2.1.0)\nERROR: No matching distribution found for torch==2.9.9',
    'Exit code 1\nERROR: Could not find a version that satisfies the requirement torch==2.9.9 (from versions: 2.0.0, 2.1.0, 2.2.0)\nERROR: No matching distribution found for torch==2.9.9',
  ],
  [
    'an optional package of rollup',
    'Exit code 1\nwarning: x\nerror: Failed to load native binding\n    at Object.<anonymous> (/a/node_modules/@rollup/rollup-linux-x64-gnu)\nError: Cannot find module @rollup/rollup-linux-x64-gnu. npm has a bug related to optional dependencies',
    'Exit code 1\nError: Cannot find module @rollup/rollup-linux-x64-gnu. npm has a bug related to optional dependencies',
  ],
  [
    'migrations that wait',
    'Exit code 1\nActiveRecord::PendingMigrationError: Migrations are pending. To resolve this issue, run:\n\n        bin/rails db:migrate RAILS_ENV=test',
    'Exit code 1\n/home/x/schema.rb:1: ActiveRecord::PendingMigrationError (ActiveRecord::PendingMigrationError)\nActiveRecord::PendingMigrationError: Migrations are pending. To resolve this issue, run:',
  ],
  [
    'a lock of another run',
    'Exit code 1\nUnable to acquire lock: Error acquiring the state lock\nLock Info:\n  ID: 3f2b8c1e-11aa-4c7e-9f00-aabbccddeeff',
    'Exit code 1\nUnable to acquire lock: Error acquiring the state lock\nLock Info:\n  ID: 9f2b8c1e-11aa-4c7e-9f00-aabbccddeeff',
  ],
  [
    'a test of playwright',
    'Exit code 1\n1) [chromium] › login.spec.ts:12:5 › login › shows an error ───\n\n    Error: Timed out 5000ms waiting for expect(locator).toBeVisible()',
    'Exit code 1\n  1) [chromium] › login.spec.ts:15:5 › login › shows an error ───\n\n    Error: Timed out 5000ms waiting for expect(locator).toBeVisible()',
  ],
];
