// Where the tests find what the build made.
import { join } from 'node:path';

export const ASSETS = join(import.meta.dir, '../../../dist/embed');
