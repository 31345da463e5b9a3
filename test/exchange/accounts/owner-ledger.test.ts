// An owner's ledger: all collateral accounts of the owner, and no others.
import { describe, expect, it } from 'vitest';
import { eventTicker, ticker } from '../../../src/domain/ids.ts';
import { EPOCH, NO_MONEY, NO_QTY, contracts, dollars } from '../../../src/domain/units.ts';
import type { LedgerAccount } from '../../../src/exchange/machine/exchange-output.ts';
import { ownerLedger } from '../../../src/exchange/accounts/owner-ledger.ts';

const heldIn = (market: string, count: number, fees: number): LedgerAccount['positions'][number] => ({
  account: 'an owner',
  ticker: ticker(market),
  eventTicker: eventTicker('M'),
  qty: contracts(count),
  cost: NO_MONEY,
  realized: NO_MONEY,
  fees: dollars(fees),
  tradedQty: NO_QTY,
  tradedCost: NO_MONEY,
  restingOrders: 0,
  updatedAt: EPOCH,
});
const accountWith = (account: string, cash: number, positions: LedgerAccount['positions'] = []): LedgerAccount => ({
  account,
  cash: dollars(cash),
  reserved: dollars(1),
  deposited: dollars(cash),
  fees: dollars(2),
  positions,
});

const ACCOUNTS = [
  accountWith('demo', 100, [heldIn('M-1', 3, 0.5)]),
  accountWith('demo/1', 20, [heldIn('M-1', -1, 0.25)]),
  accountWith('demo@2', 50, [heldIn('M-2', 4, 1)]),
  accountWith('demonstration', 1000, [heldIn('M-1', 9, 9)]),
];

describe('the ledger of an owner', () => {
  it('adds up all collateral accounts, and their positions in one market', () => {
    expect(ownerLedger(ACCOUNTS, 'demo')).toEqual({
      cash: dollars(170),
      reserved: dollars(3),
      fees: dollars(6),
      positions: [
        { ticker: 'M-1', qty: contracts(2), fees: dollars(0.75) },
        { ticker: 'M-2', qty: contracts(4), fees: dollars(1) },
      ],
    });
  });

  it('can be restricted to one subaccount, over all shards', () => {
    expect(ownerLedger(ACCOUNTS, 'demo', 0)).toMatchObject({ cash: dollars(150), positions: [{}, {}] });
    expect(ownerLedger(ACCOUNTS, 'demo', 1)).toMatchObject({ cash: dollars(20), positions: [{ qty: contracts(-1) }] });
  });

  it('is zero for an unknown owner', () => {
    expect(ownerLedger(ACCOUNTS, 'nobody')).toEqual({ cash: 0, reserved: 0, fees: 0, positions: [] });
  });
});
