// Names of collateral accounts, and the list of those that exist.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ownerOf,
  collateralAccountName,
  parseCollateralAccount,
  collateralAccountsOf,
} from '../../../src/exchange/accounts/collateral-accounts.ts';

const OPEN = new Set(['demo', 'demo@2', 'demo/1', 'demo/2@2', 'demo/4', 'other/1']);
const exchange = { hasAccount: (name: string) => OPEN.has(name) };

describe('collateral accounts', () => {
  it('are named after their owner, subaccount and shard, and are parsed from the name', () => {
    expect(collateralAccountName({ owner: 'demo', subaccount: 0, shard: 0 })).toBe('demo');
    expect(collateralAccountName({ owner: 'demo', subaccount: 1, shard: 2 })).toBe('demo/1@2');
    fc.assert(
      fc.property(
        fc.record({
          owner: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/),
          subaccount: fc.integer({ min: 0, max: 63 }),
          shard: fc.integer({ min: 0, max: 99 }),
        }),
        (account) => {
          expect(parseCollateralAccount(collateralAccountName(account))).toEqual(account);
          expect(ownerOf(collateralAccountName(account))).toBe(account.owner);
        },
      ),
    );
  });

  it('are listed by subaccount and shard if they are open, for one owner only', () => {
    const all = { shards: [0, 2] };
    // There is no third subaccount, so there is no fourth.
    expect(collateralAccountsOf(exchange, 'demo', all)).toEqual(['demo', 'demo@2', 'demo/1', 'demo/2@2']);
    expect(collateralAccountsOf(exchange, 'demo', { shards: [0] })).toEqual(['demo', 'demo/1']);
    expect(collateralAccountsOf(exchange, 'demo', { ...all, only: { subaccount: 2, shard: null } })).toEqual([
      'demo/2@2',
    ]);
    expect(collateralAccountsOf(exchange, 'demo', { ...all, only: { subaccount: null, shard: 2 } })).toEqual([
      'demo@2',
      'demo/2@2',
    ]);
    expect(collateralAccountsOf(exchange, 'nobody', all)).toEqual([]);
  });
});
