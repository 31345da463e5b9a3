// Queue models: the quantity ahead of our order, and the effect of a cancellation that no print explains. Feeds never
// show whether a canceled order was ahead of us, so each model is a guess. All ignore pro-rata matching and hidden
// quantity. Must never move an order back.
import type { SimulationConfig } from '../../../config/simulation-config.ts';
import { QTY_PER_CONTRACT } from '../../../domain/units.ts';
import type { QueueModel } from '../simulator-interfaces.ts';

/**
 * Only prints move us up; but the quantity ahead of us is never more than the level holds. The model is wrong when
 * traders ahead of us cancel, as most orders do: it fills too late and too little. Our real queue position may be
 * better than the model's. `pessimistic` is the risk-averse model of hftbacktest (`RiskAdverseQueueModel`,
 * https://github.com/nkaz001/hftbacktest).
 */
export const pessimistic: QueueModel = {
  name: 'pessimistic',
  onlyPrints: true,
  aheadOnJoin: (levelQty) => levelQty,
  aheadAfterCancel: (ahead) => ahead,
};

/** The quantity ahead after a cancellation, of which `share` was ahead of us. Rounded against us. */
function movedUp(ahead: number, cut: number, share: number): number {
  return Math.max(0, Math.ceil(ahead - cut * share));
}

/** Integer powers by multiplication give the same result on every machine. */
function raised(x: number, power: number): number {
  if (!Number.isInteger(power)) return x ** power;
  let product = 1;
  for (let i = 0; i < power; i++) product *= x;
  return product;
}

/**
 * The share of a cancellation that was ahead of us is (ahead / level) raised to `power`. A power of 1 assumes that
 * cancellations are as likely anywhere in the queue; a higher power puts more of them behind us. The model is wrong
 * where cancellations follow another pattern: where makers requote all at once, everything ahead of us goes. It is
 * `PowerProbQueueFunc3` of hftbacktest, after https://rigtorp.se/2013/06/08/estimating-order-queue-position.html and
 * https://quant.stackexchange.com/questions/3782/how-do-we-estimate-position-of-our-order-in-order-book.
 */
export const powerQueue = (power: number): QueueModel => ({
  name: `power ${power}`,
  onlyPrints: false,
  aheadOnJoin: (levelQty) => levelQty,
  aheadAfterCancel: (ahead, levelQty, cut) => movedUp(ahead, cut, raised(ahead / levelQty, power)),
});

/**
 * The share of a cancellation that was behind us is ln(1 + behind) / ln(1 + level), in contracts. The model is wrong
 * where the power model is. The result also depends on the size of the market: with thousands of contracts at a level,
 * cancellations hardly move us up while much rests behind us. It is `LogProbQueueFunc2` of hftbacktest, after the same
 * sources.
 */
export const logQueue: QueueModel = {
  name: 'log',
  onlyPrints: false,
  aheadOnJoin: (levelQty) => levelQty,
  aheadAfterCancel: (ahead, levelQty, cut) => {
    const behind = Math.max(0, levelQty - ahead) / QTY_PER_CONTRACT;
    return movedUp(ahead, cut, 1 - Math.log1p(behind) / Math.log1p(levelQty / QTY_PER_CONTRACT));
  },
};

/** Returns the queue model that a config names. */
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
