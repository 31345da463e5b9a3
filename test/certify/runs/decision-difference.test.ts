// The words for the first decision in which two runs differ: they show what differs, and which run has no decision.
import { describe, expect, it } from 'vitest';
import { firstDifference } from '../../../src/certify/runs/decision-difference.ts';
import type { Decision } from '../../../src/certify/runs/trial.ts';
import { atMillis } from '../../../src/certify/streams/stream-rows.ts';
import { clientOrderId, venueOrderId } from '../../../src/domain/ids.ts';
import { cents, contracts } from '../../../src/domain/units.ts';
import type { AmendCommand, Command, DecreaseCommand } from '../../../src/domain/venue-command.ts';
import { aPlace, tickerOf } from '../../support/engine/builders.ts';

const decided = (command: Command): Decision => ({ at: atMillis(3000), command, text: JSON.stringify(command) });
const base = {
  id: 1,
  createdAt: atMillis(3000),
  validUntil: null,
  clientOrderId: clientOrderId('c-1'),
  venueOrderId: venueOrderId('v-1'),
  ticker: tickerOf(0),
};
const place = aPlace({ price: cents(40), qty: contracts(2) });
const amend: AmendCommand = {
  ...base,
  type: 'amend',
  lane: 'new',
  side: 'buy',
  price: cents(40),
  qty: contracts(2),
};
const decrease: DecreaseCommand = { ...base, type: 'decrease', lane: 'reduce', leavesQty: contracts(2) };

describe('the first difference of two runs', () => {
  it.each([
    ['the run without a decision, first', [], [place], 'nothing, then buy 2 T0 at 40¢ at 3.000s'],
    ['the run without a decision, second', [place], [], 'buy 2 T0 at 40¢ at 3.000s, then nothing'],
    [
      'the terms of an order',
      [place],
      [{ ...place, postOnly: true, reduceOnly: true, timeInForce: 'gtd', expiresAt: atMillis(5000) }],
      'buy 2 T0 at 40¢ at 3.000s, then buy 2 T0 at 40¢ (gtd until 5.000s, post-only, reduce-only) at 3.000s',
    ],
    [
      'the terms of an amend',
      [amend],
      [{ ...amend, price: cents(41) }],
      'amend c-1 to 2 at 40¢ at 3.000s, then amend c-1 to 2 at 41¢ at 3.000s',
    ],
    [
      'the quantity of a decrease',
      [decrease],
      [{ ...decrease, leavesQty: contracts(1) }],
      'decrease c-1 to 2 at 3.000s, then decrease c-1 to 1 at 3.000s',
    ],
  ] as const)('shows %s', (_, first, second, words) => {
    expect(firstDifference(first.map(decided), second.map(decided))?.words.replaceAll(tickerOf(0), 'T0')).toBe(words);
  });
});
