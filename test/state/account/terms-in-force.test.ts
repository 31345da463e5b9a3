// Reports of an order that are outdated: by the venue’s time, by fills, and by the time of the request.
import { describe, expect, it } from 'vitest';
import type { OrderReport } from '../../../src/domain/event.ts';
import { clientOrderId } from '../../../src/domain/ids.ts';
import { contracts } from '../../../src/domain/units.ts';
import { TermsInForce, type TermsTime } from '../../../src/state/account/terms-in-force.ts';
import { approvedOrder } from '../../../src/state/account/order-records.ts';
import { aPlace, aReport, after } from '../../support/engine/builders.ts';

const ID = clientOrderId('c-1');
const order = { ...approvedOrder(aPlace(), ''), filledQty: contracts(4) };
const reportOf = (over: Partial<OrderReport> = {}): OrderReport => aReport({ filledQty: contracts(4), ...over });
function since(...changes: readonly TermsTime[]): TermsInForce {
  const terms = new TermsInForce();
  for (const change of changes) terms.recordChange(ID, change);
  return terms;
}

describe('a report of an order', () => {
  const timed = { at: after(10), exchangeAt: after(8) };
  const untimed = { at: after(10), exchangeAt: null };
  it.each<[string, TermsInForce, Partial<OrderReport>, number | null, boolean]>([
    ['from before a fill', since(), { filledQty: contracts(3) }, null, true],
    ['of an order whose terms never changed', since(), { updatedAt: after(1) }, 1, false],
    ['from before the change, by the venue’s clock', since(timed), { updatedAt: after(7) }, null, true],
    ['from before the change, in a list requested after it', since(timed), { updatedAt: after(7) }, 20, true],
    ['of the change itself', since(timed), { updatedAt: after(8) }, null, false],
    ['of the change, in a list requested before it was known here', since(timed), { updatedAt: after(8) }, 9, false],
    ['without a time, in a list requested before the change', since(timed), { updatedAt: null }, 9, true],
    ['without a time, in a list requested after it', since(timed), { updatedAt: null }, 11, false],
    ['without a time, on the feed', since(timed), { updatedAt: null }, null, false],
    ['after a change without a time, in an older list', since(untimed), { updatedAt: after(7) }, 9, true],
    ['after a change without a time, in a newer list', since(untimed), { updatedAt: after(7) }, 11, false],
    [
      'from between two changes that arrived crossed',
      since(timed, { at: after(11), exchangeAt: after(3) }),
      { updatedAt: after(5) },
      null,
      true,
    ],
  ])('%s', (_, terms, report, askedAt, isOutdated) => {
    expect(terms.isOutdated(order, reportOf(report), askedAt === null ? null : after(askedAt))).toBe(isOutdated);
  });

  it('counts as new again once the order is forgotten', () => {
    const terms = since(timed);
    terms.forgetOrder(ID);
    expect(terms.isOutdated(order, reportOf({ updatedAt: after(7) }), null)).toBe(false);
  });
});

it('terms have changed after an earlier time of the venue, and not after a later or an unknown one', () => {
  const terms = since({ at: after(10), exchangeAt: after(8) });
  expect([after(7), after(8), null].map((at) => terms.haveChangedAfter(ID, at))).toEqual([true, false, false]);
  expect(terms.haveChangedAfter(clientOrderId('c-2'), after(1))).toBe(false);
});
