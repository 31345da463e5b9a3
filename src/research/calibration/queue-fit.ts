// Chooses the queue model that describes the fate of our orders best: by the venue's own positions where sessions have
// enough of them, else by what filled of each order. The choice is made on the earlier orders, and judged on the later
// ones. Must never judge a model by orders that it was chosen by.
import type { SimulationConfig } from '../../config/simulation-config.ts';
import type { CancelSurvival } from './cancel-survival.ts';
import type { CrossingEvidence } from './crossing-evidence.ts';
import { quantile, sorted } from './distribution.ts';
import type { ProbedOrder, ProbedSession } from './order-probe.ts';
import type { RestingSpell } from './calibration-facts.ts';

export type QueueConfig = SimulationConfig['queue'];

/** Fewest orders that rested, for a fit. */
export const ORDERS_MIN = 200;
/** Fewest orders that filled at least in part, for a fit. */
export const FILLED_MIN = 50;
/** Fewest positions from the venue, for a choice by positions. */
export const POSITIONS_MIN = 200;
/** Share of the orders, the earliest, by which the model is chosen. */
const CHOSEN_SHARE = 0.6;

const POWERS = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 8];

/** A model of the queue, with the settings that matter to it. */
export interface QueueCandidate {
  readonly queue: QueueConfig;
  /** Window that pairs prints with decreases; `null` for the simulator's own. */
  readonly printWindow: number | null;
  /** True when a quote that comes to cross an order fills it. */
  readonly fillWhenCrossed: boolean;
}

/** The settings that are measured, not chosen. */
export type MeasuredSettings = Omit<QueueCandidate, 'queue'>;

/** The models that are tried: the simulator's default first, then each model with the measured settings. */
export function queueCandidates(measured: MeasuredSettings): QueueCandidate[] {
  const queues: QueueConfig[] = [
    { model: 'pessimistic' },
    { model: 'log' },
    ...POWERS.map((power) => ({ model: 'power' as const, power })),
  ];
  const candidates = queues.map((queue) => ({ queue, ...measured }));
  const isDefault = measured.printWindow === null && measured.fillWhenCrossed;
  if (isDefault) return candidates;
  return [{ queue: { model: 'pessimistic' }, printWindow: null, fillWhenCrossed: true }, ...candidates];
}

/** How a model describes some orders. */
export interface QueueScore {
  readonly orders: number;
  /** Share of the resting contracts that filled in the sessions, and by the model. */
  readonly liveRate: number;
  readonly modelRate: number;
  /**
   * Median time from arrival to the first fill of the orders that filled, microseconds; `null` without any. A fill of a
   * model counts where the order would rather still have rested than not.
   */
  readonly liveTimeToFill: number | null;
  readonly modelTimeToFill: number | null;
  /** Mean squared error of the filled share of an order. */
  readonly fillError: number;
  readonly positions: number;
  /** Mean absolute error of the quantity ahead, hundredths of a contract; `null` without positions. */
  readonly positionError: number | null;
}

/** A model with its scores. */
export interface ScoredModel extends QueueCandidate {
  readonly earlier: QueueScore;
  readonly later: QueueScore;
}

/** The choice among the models. */
export interface ChosenModel {
  readonly by: 'positions' | 'fills';
  readonly chosen: ScoredModel;
  readonly default: ScoredModel;
  readonly candidates: readonly ScoredModel[];
  readonly leftOut: number;
}

/** The chosen model, with the evidence for its settings. */
export interface QueueFit extends ChosenModel {
  readonly crossing: CrossingEvidence;
}

/** An order with what each model says about it. */
interface Judged {
  readonly spell: RestingSpell;
  readonly byModel: readonly ProbedOrder[];
}

/** Returns why some orders are too few for a fit; `null` where they are enough. */
export function tooFewOrders(
  spells: readonly RestingSpell[],
  which: 'that rested' | 'that could be placed again',
): string | null {
  const filled = spells.filter(({ fills }) => fills.length > 0).length;
  if (spells.length < ORDERS_MIN) return `expected at least ${ORDERS_MIN} orders ${which}, found ${spells.length}`;
  if (filled < FILLED_MIN) return `expected at least ${FILLED_MIN} orders with a fill ${which}, found ${filled}`;
  return null;
}

/** Chooses the model. The probed sessions have one result for each candidate; the first is the default. */
export function fitQueue(
  probed: readonly ProbedSession[],
  models: readonly QueueCandidate[],
  survival: CancelSurvival,
): ChosenModel {
  const judged = probed
    .flatMap(({ spells, byModel }) =>
      spells.map((spell, index): Judged => ({
        spell,
        byModel: byModel.map((orders) => orders[index] ?? { fills: [], ahead: [] }),
      })),
    )
    .toSorted((a, b) => a.spell.arrivedAt - b.spell.arrivedAt);
  const cut = Math.floor(judged.length * CHOSEN_SHARE);
  const [earlier, later] = [judged.slice(0, cut), judged.slice(cut)];
  const candidates = models.map((model, index): ScoredModel => ({
    ...model,
    earlier: scoreOf(earlier, index, survival),
    later: scoreOf(later, index, survival),
  }));
  const by = (candidates[0]?.earlier.positions ?? 0) >= POSITIONS_MIN * CHOSEN_SHARE ? 'positions' : 'fills';
  const [best] = candidates.toSorted((a, b) => lossOf(a.earlier, by) - lossOf(b.earlier, by));
  const [byDefault] = candidates;
  if (best === undefined || byDefault === undefined) throw new RangeError('expected at least one queue model');
  return {
    by,
    chosen: best,
    default: byDefault,
    candidates,
    leftOut: probed.reduce((sum, each) => sum + each.leftOut, 0),
  };
}

/** The filled share of all orders does not choose: a model that fills other orders may have it exactly. */
function lossOf({ positionError, fillError }: QueueScore, by: QueueFit['by']): number {
  return by === 'positions' ? (positionError ?? Number.POSITIVE_INFINITY) : fillError;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

function scoreOf(judged: readonly Judged[], index: number, survival: CancelSurvival): QueueScore {
  const orders = judged.map(({ spell, byModel }) => {
    const probed = byModel[index] ?? { fills: [], ahead: [] };
    return { spell, probed, live: sum(spell.fills.map(({ qty }) => qty)), model: modelFilled(spell, probed, survival) };
  });
  const qty = sum(orders.map(({ spell }) => spell.qty));
  const errors = orders.flatMap(({ spell, probed }) =>
    spell.positions.flatMap(({ ahead }, at) => {
      const model = probed.ahead[at] ?? null;
      return model === null ? [] : [Math.abs(model - ahead)];
    }),
  );
  return {
    orders: orders.length,
    liveRate: qty === 0 ? 0 : sum(orders.map(({ live }) => live)) / qty,
    modelRate: qty === 0 ? 0 : sum(orders.map(({ model }) => model)) / qty,
    liveTimeToFill: median(orders.flatMap(({ spell }) => firstAge(spell, spell.fills))),
    modelTimeToFill: median(
      orders.flatMap(({ spell, probed: { fills } }) =>
        fills[0] !== undefined && chanceOf(spell, fills[0].at, survival) >= 0.5 ? firstAge(spell, fills) : [],
      ),
    ),
    fillError:
      orders.length === 0
        ? 0
        : sum(orders.map(({ spell, live, model }) => ((model - live) / spell.qty) ** 2)) / orders.length,
    positions: errors.length,
    positionError: errors.length === 0 ? null : sum(errors) / errors.length,
  };
}

const median = (numbers: readonly number[]): number | null =>
  numbers.length === 0 ? null : quantile(sorted(numbers), 0.5);

const firstAge = ({ arrivedAt }: RestingSpell, [first]: readonly { readonly at: number }[]): number[] =>
  first === undefined ? [] : [Math.max(0, first.at - arrivedAt)];

/** The quantity that a model fills before the order would have been canceled. */
function modelFilled(spell: RestingSpell, { fills }: ProbedOrder, survival: CancelSurvival): number {
  return Math.min(spell.qty, sum(fills.map(({ at, qty }) => qty * chanceOf(spell, at, survival))));
}

/**
 * The probability that an order still rested when a model fills it. After a fill of the session the time of the cancel is
 * not known.
 */
function chanceOf({ arrivedAt, endedAt, endedBy }: RestingSpell, at: number, survival: CancelSurvival): number {
  if (endedAt === null || at <= endedAt) return 1;
  if (endedBy !== 'filled') return 0;
  const rested = survival(endedAt - arrivedAt);
  return rested === 0 ? 0 : survival(at - arrivedAt) / rested;
}
