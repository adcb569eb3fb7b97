// Which files a check speaks of, by its command.
import { expect, test } from 'bun:test';
import { readTurn } from '../../../src/observer/local/turn.ts';
import { checkCovers } from '../../../src/observer/outcome/covers.ts';
import { batch, run } from '../local/script.ts';

const covers = (command: string, ...files: string[]) => {
  const [step] = readTurn(batch([run(command)])).steps;
  return step ? checkCovers(step, files) : null;
};

test.each([
  ['bun test', ['src/cart.ts']],
  ['npm test', ['src/cart.ts', 'README.md']],
  ['npm run build', ['src/App.vue', 'package.json']],
  ['npx tsc --noEmit -p tsconfig.json', ['src/cart.ts']],
  ['bun test test/cart.test.ts', ['src/cart.ts', 'src/money.ts']],
  ['npx vitest run src/pay', ['src/pay/charge.ts']],
  ['pytest tests/test_orders.py -q', ['app/orders.py']],
  ['pytest -k refund', ['app/refund.py']],
  ['go test ./...', ['pay/charge.go']],
  ['go test ./pay/...', ['pay/charge.go']],
  ['cargo test', ['src/scan.rs', 'Cargo.toml']],
  ['make test', ['src/kv.c']],
  ['terraform validate', ['main.tf']],
])('%s speaks of %p', (command, files) => expect(covers(command, ...files)).toBe(true));

test.each([
  ['bun test test/users.test.ts', ['src/cart.ts']],
  ['bun test users', ['src/cart.ts']],
  ['bun test -t "finds a user"', ['src/cart.ts']],
  ['pytest', ['src/cart.ts']],
  ['cargo test', ['web/app.ts']],
  ['npm test', ['api/orders.py']],
  ['bun test', ['README.md']],
  ['go test ./users/...', ['pay/charge.go']],
  ['npx eslint .', ['src/cart.ts']],
  ['ls', ['src/cart.ts']],
  ['node server.js', ['src/cart.ts']],
])('%s does not speak of %p', (command, files) => expect(covers(command, ...files)).toBe(false));
