// What the page of logs shows of an entry besides its message.
import { expect, test } from 'bun:test';
import { tellingDetails } from '../../viewer/src/pages/logs/telling-details.ts';

test('what is empty, or says the message again, is left out', () => {
  expect(tellingDetails({ message: 'the settings have changed', details: { problems: [], by: {} } })).toEqual([]);
  expect(tellingDetails({ message: 'observed', details: { kind: 'observed', events: 0, isProvisional: false } })).toEqual([
    ['events', 0],
    ['isProvisional', false],
  ]);
});

test('what tells something stays', () => {
  const details = { kind: 'failed', problems: ['x'], error: '', none: null };
  expect(tellingDetails({ message: 'observed', details })).toEqual(Object.entries(details));
});
