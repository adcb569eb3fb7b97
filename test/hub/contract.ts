// What every storage of a hub must do, through the hub's own door. Both drivers run all of it.
import { expect, test } from 'bun:test';
import { z } from 'zod';
import { AuditAnswer, DevicesAnswer, SearchAnswer, type SyncRecord } from '../../src/core/shapes/sync.ts';
import { createTeam } from '../../src/hub/accounts.ts';
import { createHub } from '../../src/hub/hub.ts';
import { STEPS, type Storage } from '../../src/hub/storage.ts';
import type { Embedder } from '../../src/search/embed/embedder.ts';
import { createHubClient, HubCallError } from '../../src/sync/client.ts';
import { fetchHub, HUB_URL, loginWith, QUIET_LOG, T0 } from '../sync/machines.ts';

export const sha = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex');
export const makeRecord = (entity: string, payload: string | null, more: Partial<SyncRecord> = {}): SyncRecord => ({
  ...{
    id: Bun.randomUUIDv7(),
    base: null,
    entity,
    kind: 'observation',
    seq: 1,
    clock: `${T0.toString(36).padStart(9, '0')}-0000-device12`,
  },
  ...{ state: 'live', payload, hash: sha(payload ?? '') },
  ...more,
});

export async function openTeam(storage: Storage, team: string, embedder?: Embedder) {
  const hub = createHub({ storage, clock: () => T0, log: QUIET_LOG, lookMs: 20, ...(embedder && { embedder }) });
  const fetch = fetchHub(hub);
  const admin = await loginWith(fetch, await createTeam(storage, { team, admin: 'anna' }, T0), 'laptop');
  const as = (token: string) => createHubClient({ hub: HUB_URL, token, fetch });
  const join = async (name: string, role: string) => {
    const answer = await fetch(`${HUB_URL}/v1/invites`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin.token}` },
      body: JSON.stringify({ name, role }),
    });
    return loginWith(fetch, ((await answer.json()) as { code: string }).code, `${name}-laptop`);
  };
  const project = { key: 'example.org/shop', name: 'shop', firstCommit: 'a'.repeat(40) };
  const { id: space } = await as(admin.token).call('POST', 'spaces', z.object({ id: z.string() }), { project });
  return { hub, fetch, admin, as, join, space };
}

/** `open`: the same database each time. */
export async function expectUpgrade(open: (steps?: string[][]) => Promise<Storage>): Promise<void> {
  const old = await open();
  const { admin, as, space } = await openTeam(old, 'upgraded');
  await as(admin.token).push(space, [makeRecord('entity-here', '{"said":"before the upgrade"}')]);
  await old.close();
  const steps = [
    ...STEPS,
    ['ALTER TABLE spaces ADD COLUMN motto BIGINT NOT NULL DEFAULT 7'],
    ['CREATE TABLE mottos (tenant TEXT NOT NULL)'],
  ];
  const newer = await Promise.all([open(steps), open(steps)]);
  for (const storage of newer) {
    const client = createHubClient({
      hub: HUB_URL,
      token: admin.token,
      fetch: fetchHub(createHub({ storage, clock: () => T0, log: QUIET_LOG })),
    });
    expect((await client.pull(space, 0)).records.map(({ payload }) => payload)).toEqual(['{"said":"before the upgrade"}']);
    const tenant = admin.token.split('-')[0] ?? '';
    const mottos = await storage.inTenant(tenant, ({ all }) =>
      all('SELECT DISTINCT motto FROM spaces WHERE tenant = $1 -- of a test', [tenant]),
    );
    expect(mottos.map(({ motto }) => Number(motto))).toEqual([7]);
    expect(await storage.inTenant(tenant, ({ all }) => all('SELECT tenant FROM mottos WHERE tenant = $1 -- of a test', [tenant]))).toEqual(
      [],
    );
  }
  await Promise.all(newer.map((storage) => storage.close()));
  expect(open()).rejects.toThrow('newer claude-mem');
}

const refusedWith = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return 'done';
  } catch (error) {
    return error instanceof HubCallError ? error.kind : String(error);
  }
};

export function describeContract(name: string, storage: () => Storage): void {
  test(`${name}: what is pushed is pulled in its order, once, and a version that is replaced leaves no bytes`, async () => {
    const { admin, as, space } = await openTeam(storage(), 'order');
    const client = as(admin.token);
    const [one, two] = [makeRecord('entity-one', '{"a":1}'), makeRecord('entity-two', '{"b":1}')];
    expect((await client.push(space, [one, two])).results.map(({ kind }) => kind)).toEqual(['ok', 'ok']);
    expect((await client.push(space, [one])).results.map(({ kind }) => kind)).toEqual(['ok']);
    const first = await client.pull(space, 0);
    expect(first.records.map(({ entity }) => entity)).toEqual(['entity-one', 'entity-two']);
    const next = makeRecord('entity-one', '{"a":2}', { base: one.id });
    await client.push(space, [next]);
    const rest = await client.pull(space, first.head);
    expect(rest.records.map(({ payload }) => payload)).toEqual(['{"a":2}']);
    expect((await client.pull(space, 0)).records.map(({ payload }) => payload)).toEqual(['{"b":1}', '{"a":2}']);
  });

  test(`${name}: a change of another version is a conflict, and what is forgotten stays so`, async () => {
    const { admin, as, space } = await openTeam(storage(), 'conflict');
    const client = as(admin.token);
    const one = makeRecord('entity-one', '{"a":1}');
    await client.push(space, [one]);
    const kindsOf = async (record: SyncRecord) => (await client.push(space, [record])).results[0]?.kind;
    expect(await kindsOf(makeRecord('entity-one', '{"a":2}'))).toBe('conflict');
    expect(await kindsOf(makeRecord('entity-one', null, { state: 'forgotten' }))).toBe('ok');
    const { records } = await client.pull(space, 0);
    expect(records.map(({ state, payload }) => [state, payload])).toEqual([['forgotten', null]]);
    expect(await kindsOf(makeRecord('entity-one', '{"a":3}', { base: records[0]?.id ?? null }))).toBe('forgotten');
    expect(await kindsOf(one)).toBe('forgotten');
  });

  test(`${name}: what a memory is does not change, also within one push`, async () => {
    const { admin, as, space } = await openTeam(storage(), 'kinds');
    const one = makeRecord('entity-one', '{"a":1}');
    const two = makeRecord('entity-one', '{"a":2}', { base: one.id, kind: 'summary' });
    const { results } = await as(admin.token).push(space, [one, two]);
    const gone = await as(admin.token).push(space, [makeRecord('entity-one', null, { state: 'forgotten', kind: 'turn' })]);
    expect([...results, ...gone.results].map(({ kind }) => kind)).toEqual(['ok', 'refused', 'refused']);
  });

  test(`${name}: a path or a token that cannot be read is the caller's mistake, and a token with more behind it is none`, async () => {
    const { admin, fetch } = await openTeam(storage(), 'junk');
    const ask = async (path: string, token: string, method = 'GET') =>
      (await fetch(`${HUB_URL}/v1/${path}`, { method, headers: { authorization: `Bearer ${token}` } })).status;
    expect(await ask('me', admin.token)).toBe(200);
    for (const path of ['devices/%ff', 'members/%E0%A4%A'] as const)
      expect([path, await ask(path, admin.token, 'DELETE')]).toEqual([path, 400]);
    expect(await ask('pairings/%', '')).toBe(400);
    const [tenant, device, secret] = admin.token.split('-');
    for (const token of [`${admin.token}-junk`, `${admin.token}-`, `-${device}-${secret}`, '-'.repeat(40), `${tenant}-${device}-`])
      expect([token, await ask('me', token)]).toEqual([token, 401]);
    for (const code of ['-', '-abc', `${tenant}-abc-def`]) expect(await refusedWith(loginWith(fetch, code, 'x'))).toBe('refused');
  });

  test(`${name}: a reader reads, a writer writes its own, an admin takes away`, async () => {
    const { admin, as, join, space } = await openTeam(storage(), 'roles');
    const [rita, will] = [as((await join('rita', 'reader')).token), as((await join('will', 'writer')).token)];
    await will.push(space, [makeRecord('entity-will', '{"w":1}')]);
    expect((await rita.pull(space, 0)).records.map(({ author }) => author)).toEqual(['will']);
    expect(await refusedWith(rita.push(space, [makeRecord('entity-rita', '{}')]))).toBe('refused');
    expect(await refusedWith(rita.call('POST', 'invites', null, { name: 'eve', role: 'admin' }))).toBe('refused');
    expect(await refusedWith(will.call('GET', 'audit', null))).toBe('refused');
    const anna = as(admin.token);
    const [old] = (await anna.pull(space, 0)).records;
    const changed = await anna.push(space, [makeRecord('entity-will', '{"w":"no"}', { base: old?.id ?? null })]);
    expect(changed.results[0]?.kind).toBe('refused');
    expect((await anna.push(space, [makeRecord('entity-will', null, { state: 'forgotten' })])).results[0]?.kind).toBe('ok');
    const { entries } = await anna.call('GET', 'audit', AuditAnswer);
    expect(entries.map(({ actor, action, subject }) => `${actor}: ${action} ${subject}`)).toContain('anna: delete 1 of other members');
    // Everybody's own memories are everybody's own, whatever their role in the team.
    const personal = (await rita.me()).personal;
    expect((await rita.push(personal, [makeRecord('entity-own', 'c2VhbGVk', { kind: 'sealed' })])).results[0]?.kind).toBe('ok');
    expect(await refusedWith(anna.pull(personal, 0))).toBe('invalid');
    await anna.call('PATCH', 'members/will', null, { role: 'reader' });
    expect(await refusedWith(will.push(space, [makeRecord('entity-more', '{}')]))).toBe('refused');
  });

  test(`${name}: a revoked device, a removed member and a used code get nothing from the next request on`, async () => {
    const { admin, as, join, space, fetch } = await openTeam(storage(), 'revoked');
    const will = await join('will', 'writer');
    const client = as(will.token);
    const waiting = refusedWith(
      client.wait({ ...Object.fromEntries((await client.me()).spaces.map(({ id, head }) => [id, head])) }, new AbortController().signal),
    );
    await as(admin.token).call('DELETE', `devices/${will.device}`, null);
    expect(await refusedWith(client.pull(space, 0))).toBe('refused');
    // One that waited while it was revoked is not answered either.
    expect(await waiting).toBe('refused');
    const code = (await as(admin.token).call('POST', 'invites', z.object({ code: z.string() }), { name: 'zoe', role: 'writer' })).code;
    const zoe = await loginWith(fetch, code, 'zoes');
    expect(await refusedWith(loginWith(fetch, code, 'again'))).toBe('refused');
    await as(admin.token).call('DELETE', 'members/zoe', null);
    expect(await refusedWith(as(zoe.token).me())).toBe('refused');
    const audit = await as(admin.token).call('GET', 'audit', AuditAnswer);
    expect(new Set(audit.entries.map(({ actor }) => actor))).toEqual(new Set(['hub', 'anna', 'will', 'zoe']));
    expect(audit.entries.map(({ action }) => action).sort()).toEqual([
      'invite',
      'invite',
      'invite',
      'login',
      'login',
      'login',
      'publish',
      'remove',
      'revoke',
    ]);
  });

  test(`${name}: another team's spaces, devices and members are not there`, async () => {
    const [mine, theirs] = [await openTeam(storage(), 'mine'), await openTeam(storage(), 'theirs')];
    await theirs.as(theirs.admin.token).push(theirs.space, [makeRecord('entity-secret', '{"secret":1}')]);
    const anna = mine.as(mine.admin.token);
    expect(await refusedWith(anna.pull(theirs.space, 0))).toBe('invalid');
    expect(await refusedWith(anna.push(theirs.space, [makeRecord('entity-secret', '{}')]))).toBe('invalid');
    expect(await refusedWith(anna.call('DELETE', `devices/${theirs.admin.device}`, null))).toBe('invalid');
    expect((await anna.me()).spaces.map(({ id }) => id)).toEqual([mine.space]);
    // A token of one with the team of the other is none.
    const mixed = [mine.admin.token.split('-')[0], ...theirs.admin.token.split('-').slice(1)].join('-');
    expect(await refusedWith(mine.as(mixed).me())).toBe('refused');
  });

  test(`${name}: whoever has read everything waits, also when the last push brought nothing new`, async () => {
    const { admin, as, join, space } = await openTeam(storage(), 'quiet');
    const client = as(admin.token);
    const one = makeRecord('entity-one', '{"a":1}');
    await client.push(space, [one]);
    await client.push(space, [one]);
    await as((await join('will', 'writer')).token).push(space, [makeRecord('entity-one', '{"a":2}')]);
    const { head, hasMore } = await client.pull(space, 0);
    const me = await client.me();
    expect([head, hasMore]).toEqual([me.spaces[0]?.head ?? 0, false]);
    expect((await client.pull(space, head)).records).toEqual([]);
  });

  test(`${name}: a machine that has seen more than there is learns that the hub has lost something; so does everybody else`, async () => {
    const { admin, as, join, space } = await openTeam(storage(), 'lost');
    const [anna, will] = [as(admin.token), as((await join('will', 'writer')).token)];
    await anna.push(space, [makeRecord('entity-one', '{"a":1}')]);
    const before = (await anna.pull(space, 0)).generation;
    expect((await anna.pull(space, 1)).generation).toBe(before);
    const after = (await anna.pull(space, 7)).generation;
    expect(after).not.toBe(before);
    // Who says so all the time does not make everybody send everything all the time.
    expect([(await anna.pull(space, 9)).generation, (await will.pull(space, 0)).generation]).toEqual([after, after]);
  });

  test(`${name}: who may publish no longer takes back their own, and nothing else`, async () => {
    const { admin, as, join, space } = await openTeam(storage(), 'takeback');
    const [anna, will] = [as(admin.token), as((await join('will', 'writer')).token)];
    await will.push(space, [makeRecord('entity-will', '{"w":1}')]);
    await anna.push(space, [makeRecord('entity-anna', '{"a":1}')]);
    await anna.call('PATCH', 'members/will', null, { role: 'reader' });
    const gone = (entity: string) => makeRecord(entity, null, { state: 'forgotten' });
    const { results } = await will.push(space, [gone('entity-will'), gone('entity-anna'), gone('entity-else')]);
    expect(results.map(({ kind }) => kind)).toEqual(['ok', 'refused', 'refused']);
    expect((await anna.pull(space, 0)).records.map(({ entity, payload }) => [entity, payload])).toEqual([
      ['entity-anna', '{"a":1}'],
      ['entity-will', null],
    ]);
  });

  test(`${name}: in a team nobody says anything under what is taken back or forgotten, also a reader by what was theirs`, async () => {
    const { as, join, space } = await openTeam(storage(), 'smuggled');
    const will = as((await join('will', 'writer')).token);
    const said = makeRecord('entity-will', '{"w":1}');
    await will.push(space, [said]);
    for (const state of ['withdrawn', 'forgotten'] as const)
      await expect(will.push(space, [makeRecord('entity-will', '{"w":"more"}', { state, base: said.id })])).rejects.toThrow('no words');
    expect((await will.pull(space, 0)).records.map(({ payload }) => payload)).toEqual(['{"w":1}']);
  });

  test(`${name}: a team finds what it published by its words, nobody else does, and no more once it is gone`, async () => {
    const [mine, theirs] = [await openTeam(storage(), 'finders'), await openTeam(storage(), 'others')];
    const said = (title: string, narrative: string) => JSON.stringify({ fields: { words: { title, narrative } } });
    const anna = mine.as(mine.admin.token);
    const find = async (query: string, client = anna) =>
      (await client.call('GET', `search?query=${encodeURIComponent(query)}`, SearchAnswer)).found.map(({ title }) => title);
    const cents = makeRecord('entity-cents', said('Amounts are integer cents', 'Floats lost a cent\nin March'));
    await anna.push(mine.space, [cents, makeRecord('entity-queue', said('The queue is a table', 'In the same database'))]);
    // Whatever a member sends is stored; what has no words is not found.
    await anna.push(mine.space, [
      makeRecord('entity-junk', 'not json'),
      makeRecord('entity-null', '{"fields":{"words":{"title":"\\u0000"}}}'),
    ]);
    await anna.push((await anna.me()).personal, [makeRecord('entity-own', said('cents of my own', ''), { kind: 'sealed' })]);
    expect(await find('cents march')).toEqual(['Amounts are integer cents']);
    expect([await find('QUEUE'), await find('%'), await find('lanterns')]).toEqual([['The queue is a table'], [], []]);
    expect(await find('cents', theirs.as(theirs.admin.token))).toEqual([]);
    await anna.push(mine.space, [makeRecord('entity-cents', null, { state: 'forgotten' })]);
    expect(await find('cents')).toEqual([]);
  });

  test(`${name}: a member who publishes without end is stopped at their own, keeps nobody else from publishing, and makes room by taking back`, async () => {
    const { admin, as, join, space } = await openTeam(storage(), 'flood');
    const [anna, will] = [as(admin.token), as((await join('will', 'writer')).token)];
    const payload = 'x'.repeat(400_000);
    const flood = (n: number) =>
      will.push(
        space,
        Array.from({ length: 20 }, (_, i) => makeRecord(`entity-flood-${n}-${i}`, payload)),
      );
    let pushed = 0;
    const end = await (async () => {
      for (; pushed < 20; pushed++) await flood(pushed);
    })().catch((error: HubCallError) => [error.kind, error.message]);
    expect([end, pushed]).toEqual([['invalid', expect.stringContaining('take something back')], 8]);
    expect((await anna.push(space, [makeRecord('entity-anna', '{"a":1}')])).results[0]?.kind).toBe('ok');
    const gone = Array.from({ length: 10 }, (_, i) => makeRecord(`entity-flood-0-${i}`, null, { state: 'forgotten' }));
    await will.push(space, gone);
    // What an admin deletes makes room as well.
    await anna.push(space, [makeRecord('entity-flood-1-0', null, { state: 'forgotten' })]);
    const [one] = (await will.push(space, [makeRecord('entity-more', payload)])).results;
    expect(one?.kind).toBe('ok');
    // Their own memories are no part of that.
    expect((await will.push((await will.me()).personal, [makeRecord('entity-own', payload, { kind: 'sealed' })])).results[0]?.kind).toBe(
      'ok',
    );
  });

  test(`${name}: who had a machine in their hands and let in another is seen by it, and goes with one more word`, async () => {
    const { admin, as } = await openTeam(storage(), 'thief');
    const { token, device } = await as(admin.token).addDevice('the machine of a thief');
    await as(admin.token).addDevice('desk');
    const { devices } = await as(token).call('GET', 'devices', DevicesAnswer);
    expect(Object.fromEntries(devices.map(({ name: called, addedBy }) => [called, addedBy]))).toEqual({
      ...{ laptop: null, desk: admin.device },
      'the machine of a thief': admin.device,
    });
    await as(admin.token).call('DELETE', `devices/${device}`, null);
    expect(await refusedWith(as(token).addDevice('a third one'))).toBe('refused');
  });

  test(`${name}: names are data: whatever is SQL, a pattern or a key in them stays a name`, async () => {
    const { as, join, admin } = await openTeam(storage(), `x'; DROP TABLE records; --`);
    const evil = [`'; DROP TABLE records; --`, '" OR 1=1', '$1', '%', '\\', '; --', "'||(SELECT secret_hash FROM devices)||'"];
    const client = as(admin.token);
    for (const [n, said] of evil.entries()) {
      const project = { key: `example.org/${said}`, name: said, firstCommit: 'a'.repeat(40) };
      const { id } = await client.call('POST', 'spaces', z.object({ id: z.string() }), { project });
      const words = { title: `Title ${n} ${said}`, narrative: said };
      await client.push(id, [makeRecord(`entity-evil-${n}`, JSON.stringify({ fields: { words } }))]);
      await client.addDevice(said);
      expect(await refusedWith(client.call('POST', 'invites', null, { name: said, role: 'writer' }))).toBe('invalid');
      expect(await refusedWith(client.call('DELETE', `devices/${encodeURIComponent(said)}`, null))).toBe('invalid');
      expect(await refusedWith(client.pull(said, 0))).toBe('invalid');
      expect(await refusedWith(client.call('GET', `search?query=${encodeURIComponent(said)}`, SearchAnswer))).toBe('done');
    }
    const { spaces } = await client.me();
    expect(
      spaces
        .map(({ name: called }) => called)
        .filter((called) => called !== 'shop')
        .sort(),
    ).toEqual([...evil].sort());
    const { devices } = await client.call('GET', 'devices', DevicesAnswer);
    expect(devices.map(({ name: called }) => called).sort()).toEqual(['laptop', ...evil].sort());
    expect((await join('rita', 'reader')).name).toBe('rita');
  });

  test(`${name}: a writer cannot open spaces without end: everybody is told of all of them`, async () => {
    const { as, join } = await openTeam(storage(), 'spaces');
    const will = as((await join('will', 'writer')).token);
    const open = (n: number) =>
      will.call('POST', 'spaces', null, { project: { key: `example.org/${n}`, name: `p${n}`, firstCommit: 'a'.repeat(40) } });
    for (let n = 0; n < 499; n++) await open(n);
    expect(await refusedWith(open(500))).toBe('invalid');
    // One that is there is opened as before.
    expect(await refusedWith(open(7))).toBe('done');
  });

  test(`${name}: whoever runs the hub can let a member in again who is alone and lost all machines; nobody by a name that is taken`, async () => {
    const { admin, fetch } = await openTeam(storage(), 'alone');
    const again = await loginWith(fetch, await createTeam(storage(), { team: ' Alone', admin: 'anna' }, T0), 'new laptop');
    expect([again.member, again.personal]).toEqual([admin.member, admin.personal]);
    expect(createTeam(storage(), { team: 'alone', admin: 'eve' }, T0)).rejects.toThrow('no member');
  });

  test(`${name}: what many push at once is all there, in one order, seen by whoever waits`, async () => {
    const { admin, as, join, space } = await openTeam(storage(), 'many');
    const members = await Promise.all(['m1', 'm2', 'm3', 'm4'].map((one) => join(one, 'writer')));
    const reader = as(admin.token);
    const seen: string[] = [];
    let after = 0;
    const pushing = Promise.all(
      members.map(async ({ token, name: who }) => {
        for (let n = 0; n < 10; n++)
          await as(token).push(
            space,
            [0, 1, 2].map((i) => makeRecord(`entity-${who}-${n}-${i}`, '{}')),
          );
      }),
    );
    while (seen.length < 120) {
      await reader.wait({ [space]: after, [(await reader.me()).personal]: 1e9 }, new AbortController().signal);
      const { records, head } = await reader.pull(space, after);
      seen.push(...records.map(({ entity }) => entity));
      after = head;
    }
    await pushing;
    expect(new Set(seen).size).toBe(120);
  });
}
