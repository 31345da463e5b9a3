// Denials about a strategy's own limits: they apply to its own positions and orders, and to nothing of other
// strategies. tidy: table
import { strategyName } from '../../src/domain/ids.ts';
import { contracts, dollars } from '../../src/domain/units.ts';
import { M1 } from '../support/engine/builders.ts';
import { type DenialRow, buy, addPosition, addResting, sell } from './denial-scene.ts';

const OTHER = strategyName('other');

export const STRATEGY_DENIALS: readonly DenialRow[] = [
  {
    code: 'position-above-limit',
    why: 'the position that the strategy itself could reach, without other strategies',
    passes: [
      { own: { positionQtyMax: contracts(15) }, before: (state) => addPosition(state, 'buy', { size: 20, by: OTHER }) },
      { own: { positionQtyMax: contracts(15) }, before: (state) => addPosition(state, 'buy', { size: 20, by: null }) },
      { own: { positionQtyMax: contracts(15) }, before: (state) => addResting(state, { strategy: OTHER }) },
      { own: { positionQtyMax: contracts(15) }, before: (state) => addPosition(state, 'buy', { size: 5 }) },
    ],
    denied: { own: { positionQtyMax: contracts(15) }, before: (state) => addPosition(state, 'buy', { size: 6 }) },
    figures: { of: 'strategy', position: contracts(16), positionQtyMax: contracts(15) },
  },
  {
    code: 'position-above-limit',
    why: 'a position that another strategy offsets in the account',
    passes: [],
    denied: {
      limits: { positionQtyMax: contracts(20) },
      own: { positionQtyMax: contracts(20) },
      before: (state) => {
        addPosition(state, 'buy', { size: 20 });
        addPosition(state, 'sell', { size: 20, by: OTHER });
      },
    },
    figures: { of: 'strategy', position: contracts(30) },
  },
  {
    code: 'position-above-limit',
    why: 'the account’s limit, whichever strategy holds the position',
    passes: [],
    denied: {
      limits: { positionQtyMax: contracts(20) },
      own: { positionQtyMax: contracts(20) },
      before: (state) => addPosition(state, 'buy', { size: 11, by: OTHER }),
    },
    figures: { of: 'account', position: contracts(21) },
  },
  {
    code: 'market-cost-above-limit',
    why: 'position and reserved cash of the strategy itself in the market',
    passes: [
      { own: { marketCostMax: dollars(8) }, before: (state) => addPosition(state, 'buy', { size: 10 }) },
      { own: { marketCostMax: dollars(4) }, before: (state) => addPosition(state, 'buy', { size: 10, by: OTHER }) },
      // An order that only closes its own position adds nothing.
      {
        own: { marketCostMax: dollars(1) },
        proposal: sell(10),
        before: (state) => addPosition(state, 'buy', { size: 10 }),
      },
    ],
    denied: { own: { marketCostMax: dollars(7.999999) }, before: (state) => addPosition(state, 'buy', { size: 10 }) },
    figures: { of: 'strategy', cost: dollars(8) },
  },
  {
    code: 'group-cost-above-limit',
    why: 'the strategy’s own possible loss in the group',
    passes: [
      { own: { groupCostMax: dollars(4) }, before: (state) => addResting(state, { market: M1, strategy: OTHER }) },
      { own: { groupCostMax: dollars(8) }, before: (state) => addResting(state, { market: M1 }) },
    ],
    denied: { own: { groupCostMax: dollars(7.999999) }, before: (state) => addResting(state, { market: M1 }) },
    figures: { of: 'strategy', cost: dollars(8), eventTicker: 'EVENT' },
  },
  {
    code: 'account-cost-above-limit',
    why: 'the strategy’s own possible loss in all groups',
    passes: [
      { own: { accountCostMax: dollars(4) }, before: (state) => addResting(state, { market: M1, strategy: OTHER }) },
    ],
    denied: { own: { accountCostMax: dollars(7.999999) }, before: (state) => addResting(state, { market: M1 }) },
    figures: { of: 'strategy', cost: dollars(8) },
  },
  {
    code: 'strategy-capital',
    why: 'the strategy’s possible loss from its positions and orders',
    passes: [
      { capital: dollars(4) },
      { capital: dollars(8), before: (state) => addPosition(state, 'buy', { size: 10, market: M1 }) },
      { capital: dollars(4), before: (state) => addPosition(state, 'buy', { size: 10, market: M1, by: OTHER }) },
      // Its sale hedges half of the position: no more can be lost than before.
      { capital: dollars(1), proposal: sell(10), before: (state) => addPosition(state, 'buy', { size: 20 }) },
    ],
    denied: { capital: dollars(7.999999), before: (state) => addResting(state, { market: M1 }) },
    figures: { cost: dollars(8), left: dollars(7.999999), allotted: dollars(7.999999) },
  },
  {
    code: 'strategy-capital',
    why: 'realized losses reduce the capital, and profits do not add to it',
    passes: [
      {
        capital: dollars(4),
        before: (state) => {
          addPosition(state, 'buy', { size: 10, at: 40, market: M1 });
          addPosition(state, 'sell', { size: 10, at: 50, market: M1 });
        },
      },
      {
        capital: dollars(5),
        before: (state) => {
          addPosition(state, 'buy', { size: 10, at: 50, market: M1 });
          addPosition(state, 'sell', { size: 10, at: 40, market: M1 });
        },
      },
    ],
    denied: {
      capital: dollars(4),
      proposal: buy(11),
      before: (state) => {
        addPosition(state, 'buy', { size: 10, at: 50, market: M1 });
        addPosition(state, 'sell', { size: 10, at: 40, market: M1 });
      },
    },
    figures: { cost: dollars(4.4), left: dollars(3), allotted: dollars(4) },
  },
];
