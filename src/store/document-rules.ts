// Run while building: tells one way of making documents from another by the code and the tables that it is.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Not `import.meta.dir`: there is none in a macro of a bundle that is CommonJS. */
const SOURCE = join(__dirname, '..');

/** Everything that what is indexed of a text may come from. */
export function hashDocumentRules(): string {
  const secrets = readdirSync(join(SOURCE, 'secrets'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|txt)$/.test(name))
    .sort()
    .map((name) => `secrets/${name}`);
  const hasher = new Bun.CryptoHasher('sha256');
  for (const name of ['core/words.ts', 'store/documents.ts', ...secrets]) hasher.update(readFileSync(join(SOURCE, name)));
  return hasher.digest('hex').slice(0, 32);
}
