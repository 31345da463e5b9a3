// Our account against the exchange's own ledger: equal means equal to the last millionth, in every figure.
import { describe, expect, it } from 'vitest';
import { eventTicker } from '../../../src/domain/ids.ts';
import { contracts, micros, money, qty } from '../../../src/domain/units.ts';
import type { LedgerAccount, PositionView } from '../../../src/exchange/machine/exchange-output.ts';
import { compareWithLedger } from '../../../src/report/account/ledger-comparison.ts';
import { tickerOf } from '../../support/engine/builders.ts';
import { aSnapshot } from '../../support/sessions/session-snapshot.ts';

const { account } = aSnapshot();
const demo = 'demo';

const position = (over: Partial<PositionView> = {}): PositionView => ({
  account: demo,
  ticker: tickerOf(0),
  eventTicker: eventTicker('EVENT'),
  qty: contracts(-3),
  cost: money(1_680_000),
  realized: money(250_000),
  fees: money(17_325),
  tradedQty: contracts(3),
  tradedCost: money(1_680_000),
  restingOrders: 0,
  updatedAt: micros(0),
  ...over,
});

/** A ledger equal to the account. */
const ledger = (over: Partial<LedgerAccount> = {}): LedgerAccount => ({
  account: demo,
  cash: money(998_302_675),
  reserved: money(2_150_000),
  deposited: money(999_750_000),
  fees: money(17_325),
  positions: [position()],
  ...over,
});

describe('the comparison with the ledger', () => {
  it('finds nothing when every figure is the same', () => {
    expect(compareWithLedger(account, ledger())).toEqual([]);
  });

  it.each([
    ['cash by a millionth', { cash: money(998_302_676) }, { what: 'cash', ours: '$998.302675', theirs: '$998.302676' }],
    ['the collateral', { reserved: money(0) }, { what: 'pledged', ours: '$2.15', theirs: '$0.00' }],
    ['fees', { fees: money(17_324) }, { what: 'fees', ours: '$0.017325', theirs: '$0.017324' }],
    [
      'a position by a hundredth of a contract',
      { positions: [position({ qty: qty(-299) })] },
      { what: 'position in M-0', ours: '−3', theirs: '−2.99' },
    ],
    [
      'the fees of one market',
      { positions: [position({ fees: money(1) })] },
      { what: 'fees in M-0', ours: '$0.017325', theirs: '$0.000001' },
    ],
    ['a position that the ledger lacks', { positions: [] }, { what: 'position in M-0', ours: '−3', theirs: '0' }],
    [
      'a position that we lack',
      { positions: [position(), position({ ticker: tickerOf(1), qty: contracts(2), fees: money(0) })] },
      { what: 'position in M-1', ours: '0', theirs: '2' },
    ],
  ])('reports a difference in %s', (_, over, difference) => {
    expect(compareWithLedger(account, ledger(over))).toEqual([difference]);
  });
});
