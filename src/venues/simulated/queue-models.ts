// Queue models: how much rests before an order of ours, and what a withdrawal that no print explains moves it up.
// Feeds tell levels, not orders: who withdrew, before us or behind us, is never told. Each model is one guess at it.
// Each says when it lies; none knows of pro-rata matching or of hidden quantity. Must never move an order back.
import type { SimulationConfig } from '../../config/simulation-config.ts';
import { QTY_PER_CONTRACT } from '../../domain/units.ts';
import type { QueueModel } from './ports.ts';

/**
 * Only prints move us up, but for what cannot be otherwise: what stands before us is never more than the level holds.
 * It lies when people before us give up, as most orders do: it fills too late and too little, most of all far from the
 * touch and in quiet markets; and our real place may be better than it says, never worse.
 * The risk-averse model of hftbacktest (`RiskAdverseQueueModel`, https://github.com/nkaz001/hftbacktest).
 */
export const pessimistic: QueueModel = {
  name: 'pessimistic',
  onlyPrints: true,
  joined: (levelQty) => levelQty,
  withdrawn: (ahead) => ahead,
};

/** By how much an order moves up when the share of a withdrawal that comes from before it is as told. Rounded against us. */
function movedUp(ahead: number, cut: number, share: number): number {
  return Math.max(0, Math.ceil(ahead - cut * share));
}

/** x to the power; of a whole power by multiplication, which is the same on every machine. */
function raised(x: number, power: number): number {
  if (!Number.isInteger(power)) return x ** power;
  let product = 1;
  for (let i = 0; i < power; i++) product *= x;
  return product;
}

/**
 * The share of a withdrawal that comes from before us is (ahead / level) to the power: 1 spreads it evenly, more puts it
 * behind us unless nearly all of the level stands before us. It lies where withdrawals do not go by place: where makers
 * requote all at once everybody before us goes, where old orders stay for good and new ones flicker nobody does. `PowerProbQueueFunc3` of hftbacktest, after
 * https://rigtorp.se/2013/06/08/estimating-order-queue-position.html and
 * https://quant.stackexchange.com/questions/3782/how-do-we-estimate-position-of-our-order-in-order-book.
 */
export const powerQueue = (power: number): QueueModel => ({
  name: `power ${power}`,
  onlyPrints: false,
  joined: (levelQty) => levelQty,
  withdrawn: (ahead, levelQty, cut) => movedUp(ahead, cut, raised(ahead / levelQty, power)),
});

/**
 * The share that comes from behind us is ln(1 + behind) / ln(1 + level), in contracts: `LogProbQueueFunc2` of hftbacktest,
 * after the same sources. Deeper levels put more of it behind us. It lies where
 * the power does, and where a contract is not the measure of an order: in markets of thousands of contracts it hardly ever
 * moves us up, in markets of a few it spreads withdrawals almost evenly.
 */
export const logQueue: QueueModel = {
  name: 'log',
  onlyPrints: false,
  joined: (levelQty) => levelQty,
  withdrawn: (ahead, levelQty, cut) => {
    const behind = Math.max(0, levelQty - ahead) / QTY_PER_CONTRACT;
    return movedUp(ahead, cut, 1 - Math.log1p(behind) / Math.log1p(levelQty / QTY_PER_CONTRACT));
  },
};

/** The queue model that a config names. */
export function queueModel(config: SimulationConfig['queue']): QueueModel {
  switch (config.model) {
    case 'pessimistic':
      return pessimistic;
    case 'power':
      return powerQueue(config.power);
    case 'log':
      return logQueue;
  }
}
