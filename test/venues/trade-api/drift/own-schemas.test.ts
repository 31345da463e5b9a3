// Answers and messages against our own schemas, and the count of the findings.
import { describe, expect, it } from 'vitest';
import { must } from '../../../../src/base/assert.ts';
import { OwnSchemas } from '../../../../src/venues/trade-api/drift/own-schemas.ts';
import { DriftTally } from '../../../../src/venues/trade-api/drift/drift-tally.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { profileByName, profileNames } from '../../../../src/venues/trade-api/profiles/profile-registry.ts';

const ours = new OwnSchemas(kalshiProfile);
const STATUS = '/trade-api/v2/exchange/status';
const answered = (body: unknown, { path = STATUS, status = 200, method = 'GET' } = {}) =>
  ours
    .compareAnswer({ method, path, status, body: typeof body === 'string' ? body : JSON.stringify(body) })
    .map(({ kind, path: place }) => `${kind} ${place}`);

const OPEN = { exchange_active: true, trading_active: true };

describe('an answer against our schemas', () => {
  it('has no findings for an answer that our codecs decode completely', () => {
    expect(answered(OPEN)).toEqual([]);
  });

  it('reports an unknown member, and a missing one that we need', () => {
    expect(answered({ ...OPEN, moon: 'full' })).toEqual(['unknown-field exchange_status.moon']);
    expect(answered({ exchange_active: true })).toEqual(['missing-field exchange_status.trading_active']);
    expect(answered({ ...OPEN, trading_active: 'yes' })).toEqual(['wrong-type exchange_status.trading_active']);
  });

  it('reports an answer of an unknown endpoint as undescribed', () => {
    expect(answered({}, { path: '/trade-api/v2/moon' })).toEqual(['undescribed (the whole)']);
  });

  it('requires a code in a refusal, in one of the known shapes', () => {
    expect(answered({ error: { code: 'a' } }, { status: 400 })).toEqual([]);
    expect(answered({ code: 'a' }, { status: 400 })).toEqual([]);
    expect(answered({ msg: 'no' }, { status: 400 })).toEqual([]);
    expect(answered('404 page not found', { status: 404 })).toEqual([]);
    expect(answered({ problem: 'a' }, { status: 400 })).toEqual(['wrong-type (the whole)']);
  });
});

describe('a message against our schemas', () => {
  const findingsOf = (message: unknown) => ours.compareMessage(message).map(({ kind, path }) => `${kind} ${path}`);

  it('decodes a message with the codec of its type', () => {
    expect(findingsOf({ type: 'subscribed', id: 1, msg: { channel: 'trade', sid: 2 } })).toEqual([]);
    expect(findingsOf({ type: 'unsubscribed', id: 1, sid: 2, seq: 3 })).toEqual([]);
    expect(findingsOf({ type: 'error', id: 1, msg: { code: 6, msg: 'Already subscribed', moon: 1 } })).toEqual([
      expect.stringMatching(/^unknown-field .*\.moon$/),
    ]);
    expect(findingsOf({ type: 'ticker', sid: 1, msg: {} })).toEqual([expect.stringMatching(/^missing-field /)]);
  });

  it('reports a message of an unknown type as undescribed', () => {
    expect(findingsOf({ type: 'moon', msg: {} })).toEqual(['undescribed (the whole)']);
  });
});

describe('every dialect', () => {
  it.each(profileNames())('%s has schemas to compare with', (name) => {
    const tally = new DriftTally({ profile: must(profileByName(name), name) });
    tally.answer({ method: 'GET', path: STATUS, status: 200, body: '{"moon":1}' });
    expect(tally.currentReport().rows.length).toBeGreaterThan(0);
  });
});

describe('a count', () => {
  it('counts one row for one difference, however often it occurs', () => {
    const tally = new DriftTally({ profile: kalshiProfile });
    const body = JSON.stringify({ ...OPEN, moon: 'full' });
    for (let i = 0; i < 5; i++) tally.answer({ method: 'GET', path: `${STATUS}?n=${i}`, status: 200, body });
    tally.message('{"type":"moon"}');
    expect(tally.currentReport()).toMatchObject({
      answers: 5,
      messages: 1,
      dropped: 0,
      rows: [
        {
          beside: 'ours',
          where: 'GET /exchange/status 200',
          kind: 'unknown-field',
          path: 'exchange_status.moon',
          count: 5,
        },
        { beside: 'ours', where: 'message moon', kind: 'undescribed', count: 1 },
      ],
    });
  });

  it('never exceeds its bound on rows, and counts the dropped ones', () => {
    const tally = new DriftTally({ profile: kalshiProfile });
    for (let i = 0; i < 2100; i++) tally.message(JSON.stringify({ type: `moon-${i}` }));
    const { rows, dropped } = tally.currentReport();
    expect(rows).toHaveLength(2000);
    expect(dropped).toBe(100);
  });
});
