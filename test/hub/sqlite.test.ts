// The contract of a hub's storage, on SQLite.
import { afterAll } from 'bun:test';
import { openSqlite } from '../../src/hub/sqlite.ts';
import { describeContract } from './contract.ts';

const storage = openSqlite(':memory:');
afterAll(() => storage.close());
describeContract('sqlite', () => storage);
