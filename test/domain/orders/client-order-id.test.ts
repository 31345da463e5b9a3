// Client order ids: minted and parsed in one place, and never taken from another program.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isMintedBySession,
  mintClientOrderId,
  parseClientOrderId,
  sessionStartedAt,
  sessionName,
  sessionOfOrderId,
  strategyOfOrderId,
} from '../../../src/domain/orders/client-order-id.ts';
import { strategyName } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/units.ts';

const BEGAN = micros(Date.UTC(2026, 10, 23) * 1000);

describe('a client order id', () => {
  it('a minted id parses back to its parts', () => {
    const numbers = fc.integer({ min: 0, max: 999_999 });
    fc.assert(
      fc.property(fc.integer({ min: BEGAN, max: 2 * BEGAN }), numbers, numbers, (began, place, number) => {
        const name = { session: sessionName(micros(began)), place, number };
        expect(parseClientOrderId(mintClientOrderId(name))).toEqual(name);
      }),
    );
  });

  it('an id keeps the form that journals and venues hold from earlier sessions', () => {
    const session = sessionName(BEGAN);
    expect(mintClientOrderId({ session, place: 1, number: 46 })).toBe(`${BEGAN.toString(36)}-1-1a`);
  });

  it.each([null, '', 'abc', 'abc-1', 'a-b-c', 'abc-1-2-3', 'ABC-1-2', 'abc-1-', '-1-2', 'venue:abc-1-2', 'abc--1-2'])(
    '%j does not parse as a client order id',
    (text) => expect(parseClientOrderId(text)).toBeNull(),
  );

  it('an id belongs to the session that minted it, and to no session with the same prefix', () => {
    expect(isMintedBySession('abc', 'abc-0-1')).toBe(true);
    expect(isMintedBySession('ab', 'abc-0-1')).toBe(false);
    expect(isMintedBySession('abc', null)).toBe(false);
  });
});

describe('the name of a session', () => {
  it('a session name gives the time at which the session began', () => {
    expect(sessionStartedAt(sessionName(BEGAN))).toBe(BEGAN);
  });

  it('an id of another program names no session', () => {
    for (const other of ['s', 'doctor', 'zzzzzzzzzzzz', `0${sessionName(BEGAN)}`, 'order', '1'])
      expect(sessionStartedAt(other), other).toBeNull();
    expect(sessionOfOrderId('doctor-1-1')).toBeNull();
    expect(sessionOfOrderId('3f2504e0-4f89-41d3-9a0c-0305e82c3301')).toBeNull();
    const session = sessionName(BEGAN);
    expect(sessionOfOrderId(mintClientOrderId({ session, place: 0, number: 1 }))).toBe(session);
  });
});

describe('the strategy of an id', () => {
  const [maker, taker] = [strategyName('maker'), strategyName('taker')];
  const sessions = [
    { session: 'a', strategies: [maker, taker] },
    { session: 'b', strategies: [taker, maker] },
  ];

  it('the strategy of an id comes from the list of the session that minted it', () => {
    expect(strategyOfOrderId('a-0-1', sessions)).toBe(maker);
    expect(strategyOfOrderId('b-0-1', sessions)).toBe(taker);
  });

  it('an id of an unknown session, of the operator, or of another form has no strategy', () => {
    for (const id of ['c-0-1', 'a-2-1', 'a', null]) expect(strategyOfOrderId(id, sessions)).toBeNull();
  });
});
