// Our own orders of a session, placed again in the books that others made: what would each queue model have let them
// fill, and when? An order that filled in the session rests on here, as long as it might have rested, so that a model
// that fills later is not judged to fill never. Must never let our orders take, nor let two of them share a print unless
// they rested in the same market and side at once.
import type { MarketIndex, TickerTable } from '../../domain/ids.ts';
import { ticker as tickerOf } from '../../domain/ids.ts';
import { priceGrid } from '../../domain/price-grid.ts';
import type { Micros, Price, Qty } from '../../domain/units.ts';
import { parseEventText } from '../../tape/baked/event-text.ts';
import { statedMarketOf } from '../../tape/baked/stated-market.ts';
import { type RowSource, RowKind } from '../../tape/baked/tape-rows.ts';
import { tapeWithoutOwn } from '../../../backtest/parity/tape-without-own.ts';
import { RowCursor } from '../../../backtest/row-cursor.ts';
import { SharedBlocks } from '../../../backtest/shared-blocks.ts';
import { TapeFillSimulator } from '../../venues/simulated/matching/fill-simulator.ts';
import { AHEAD_UNKNOWN, type QueueModel } from '../../venues/simulated/simulator-interfaces.ts';
import { type CancelSurvival, ageAtShare } from './cancel-survival.ts';
import type { RestingSpell, SessionFacts } from './calibration-facts.ts';

/** A model of the queue, with the settings that matter to it. */
export interface ProbedModel {
  readonly queue: QueueModel;
  /** Window that pairs prints with decreases; `null` for the simulator's own. */
  readonly printWindow: number | null;
  /** True when a quote that comes to cross an order fills it. */
  readonly fillWhenCrossed: boolean;
}

/** A model's prediction for one order. */
export interface ProbedOrder {
  readonly fills: readonly { readonly at: number; readonly qty: number }[];
  /**
   * Quantity ahead at each time at which the venue gave it; 0 once the model has filled the order, `null` where the model
   * does not know.
   */
  readonly ahead: readonly (number | null)[];
}

/** The orders of a session under each model. */
export interface ProbedSession {
  /** The spells that could be placed again. */
  readonly spells: readonly RestingSpell[];
  /** For each model in sequence, the orders in the sequence of `spells`. */
  readonly byModel: readonly (readonly ProbedOrder[])[];
  /** Spells that are left out: the book was unknown, or they would have traded at once. */
  readonly leftOut: number;
}

export interface ProbeOptions {
  readonly session: SessionFacts;
  readonly source: RowSource;
  readonly models: readonly ProbedModel[];
  readonly survival: CancelSurvival;
  /** Typical delay of an order, microseconds: our takes disappear from the book this much later. */
  readonly takenLater: number;
  readonly onProgress?: (share: number) => void;
}

/** An order rests on after its fill until one in this many would. */
const RESTS_ON = { share: 0.01, most: 600_000_000 };
/** Most of our orders that rest in one market and side at once. */
const LANES_MAX = 6;
const ROWS_PER_PROGRESS = 65_536;

interface Step {
  readonly at: number;
  /** At the same time: positions come before orders end, and orders end before others arrive. */
  readonly rank: number;
  readonly act: () => void;
}

interface Probe {
  readonly spell: RestingSpell;
  readonly lane: number;
  readonly market: MarketIndex;
  readonly until: number;
}

/** Places a session's orders again under each model. */
export function probeOrders(options: ProbeOptions): ProbedSession {
  const { session, source, models } = options;
  const probes = lanesFor(options);
  const lanes = 1 + Math.max(0, ...probes.map(({ lane }) => lane));
  const runs = models.map((model) => new ModelRun(model, lanes));
  const isOut = new Set<Probe>();
  const steps = probes
    .flatMap((probe) => stepsOf(probe, runs, isOut))
    .toSorted((a, b) => a.at - b.at || a.rank - b.rank);
  passRows(options, runs, steps);
  const placed = probes.filter((probe) => !isOut.has(probe));
  return {
    spells: placed.map(({ spell }) => spell),
    byModel: runs.map((run) => placed.map((probe) => run.resultOf(probe.spell))),
    leftOut: session.spells.length - placed.length,
  };

  function lanesFor({ survival }: ProbeOptions): Probe[] {
    const busy = new Map<string, number[]>();
    return session.spells.flatMap((spell) => {
      const until = endOf(spell, survival, session.to);
      const key = `${spell.ticker} ${spell.side}`;
      const ends = busy.get(key) ?? [];
      busy.set(key, ends);
      const free = ends.findIndex((end) => end < spell.arrivedAt);
      const lane = free >= 0 ? free : ends.length;
      if (lane >= LANES_MAX) return [];
      ends[lane] = until;
      return [{ spell, lane, until, market: numberOf(source.tickers, spell.ticker) }];
    });
  }
}

const numberOf = (tickers: TickerTable, name: string): MarketIndex => tickers.internTicker(tickerOf(name));

function endOf({ arrivedAt, endedAt, endedBy }: RestingSpell, survival: CancelSurvival, sessionEnd: number): number {
  if (endedAt === null) return sessionEnd;
  if (endedBy !== 'filled') return endedAt;
  return Math.min(sessionEnd, arrivedAt + ageAtShare(survival, endedAt - arrivedAt, RESTS_ON));
}

function stepsOf(probe: Probe, runs: readonly ModelRun[], isOut: Set<Probe>): Step[] {
  const { spell, until } = probe;
  return [
    {
      at: spell.arrivedAt,
      rank: 2,
      act: () => {
        if (runs.map((run) => run.place(probe)).includes(false)) isOut.add(probe);
      },
    },
    ...spell.cuts.map(({ at, qty }) => ({ at, rank: 1, act: () => runs.forEach((run) => run.cut(probe, qty)) })),
    ...spell.positions.map(({ at }) => ({ at, rank: 0, act: () => runs.forEach((run) => run.note(probe)) })),
    { at: until, rank: 1, act: () => runs.forEach((run) => run.cancel(probe)) },
  ];
}

/** Holds the fate of an order under a model so far. */
interface ProbeResult {
  readonly fills: { at: number; qty: number }[];
  readonly ahead: (number | null)[];
  /** Quantity that decreases have removed. */
  cutQty: number;
}

/** One model: a simulator for each lane. Orders of one lane never rest in the same market and side at once. */
class ModelRun {
  readonly simulators: readonly TapeFillSimulator[];
  readonly #results = new Map<string, ProbeResult>();
  now = 0;

  constructor({ queue, printWindow, fillWhenCrossed }: ProbedModel, lanes: number) {
    this.simulators = Array.from(
      { length: lanes },
      () =>
        new TapeFillSimulator({
          queue,
          fillWhenCrossed,
          selfTrade: 'cancel-incoming',
          ...(printWindow !== null && { explainWindow: printWindow }),
          now: () => this.now as Micros,
          positionOf: () => 0,
          onExecution: ({ orderId, qty }) => this.#results.get(orderId)?.fills.push({ at: this.now, qty }),
        }),
    );
  }

  resultOf(spell: RestingSpell): ProbedOrder {
    const { fills, ahead } = this.#results.get(nameOf(spell)) ?? { fills: [], ahead: [] };
    return { fills, ahead };
  }

  /** Returns false when the order cannot rest. */
  place({ spell, lane, market }: Probe): boolean {
    const simulator = this.simulators[lane];
    const id = nameOf(spell);
    this.#results.set(id, { fills: [], ahead: [], cutQty: 0 });
    if (simulator === undefined || !simulator.isBookKnown(market)) return false;
    const outcome = simulator.placeOrder({
      id,
      market,
      side: spell.side,
      price: spell.price as Price,
      qty: spell.qty as Qty,
      timeInForce: 'gtc',
      postOnly: true,
      reduceOnly: false,
      expiresAt: null,
    });
    return outcome.type === 'taken' && outcome.executions.length === 0;
  }

  cut({ spell, lane }: Probe, qty: number): void {
    const result = this.#results.get(nameOf(spell));
    if (result !== undefined) result.cutQty += qty;
    const left = this.#leftOf(spell);
    if (left > 0) this.simulators[lane]?.decreaseOrder(nameOf(spell), left as Qty);
    else this.cancel({ spell, lane });
  }

  /** A model that has filled an order ahead of the venue is not spared the error. */
  note({ spell, lane }: Probe): void {
    const filled = this.#leftOf(spell) === 0 ? 0 : null;
    const ahead = this.simulators[lane]?.qtyAheadOf(nameOf(spell)) ?? filled;
    this.#results.get(nameOf(spell))?.ahead.push(ahead === null || ahead >= AHEAD_UNKNOWN ? null : ahead);
  }

  cancel({ spell, lane }: Pick<Probe, 'spell' | 'lane'>): void {
    this.simulators[lane]?.cancelOrder(nameOf(spell));
  }

  #leftOf(spell: RestingSpell): number {
    const { fills, cutQty } = this.#results.get(nameOf(spell)) ?? { fills: [], cutQty: 0 };
    return Math.max(
      0,
      fills.reduce((left, { qty }) => left - qty, spell.qty - cutQty),
    );
  }
}

const nameOf = ({ orderId, arrivedAt }: RestingSpell): string => `${orderId} ${arrivedAt}`;

/** Passes the rows of others, and takes each step at its time. */
function passRows(
  { session, source, takenLater, onProgress }: ProbeOptions,
  runs: readonly ModelRun[],
  steps: readonly Step[],
): void {
  const others = tapeWithoutOwn(source, { changes: session.changes, taken: session.taken, takenLater });
  const range = { from: session.from as Micros, to: (session.to + 1) as Micros };
  const cursor = new RowCursor(new SharedBlocks(others, range, 1));
  const books = new ProbedBooks(runs.flatMap((run) => run.simulators));
  const setTime = (at: number): void => runs.forEach((run) => (run.now = at));
  let next = 0;
  let reportAt = 0;
  const takeSteps = (until: number): void => {
    for (let step = steps[next]; step !== undefined && step.at < until; step = steps[++next]) {
      setTime(step.at);
      step.act();
    }
  };
  while (!cursor.isOver) {
    const { venueTime } = cursor;
    takeSteps(venueTime);
    setTime(venueTime);
    books.passRow(cursor);
    if (cursor.passed < reportAt) continue;
    reportAt = cursor.passed + ROWS_PER_PROGRESS;
    onProgress?.((venueTime - session.from) / Math.max(1, session.to - session.from));
  }
  takeSteps(Number.POSITIVE_INFINITY);
}

/** The books of all simulators, which are alike but for our orders. */
class ProbedBooks {
  readonly #simulators: readonly TapeFillSimulator[];
  readonly #open = new Set<MarketIndex>();

  constructor(simulators: readonly TapeFillSimulator[]) {
    this.#simulators = simulators;
  }

  passRow(cursor: RowCursor): void {
    const { row, rowKind: kind } = cursor;
    const market = cursor.market[row] as MarketIndex;
    const [price, qty] = [(cursor.price[row] ?? 0) as Price, (cursor.qty[row] ?? 0) as Qty];
    switch (kind) {
      case RowKind.bid:
      case RowKind.ask: {
        const change = { market, side: kind === RowKind.bid ? ('bid' as const) : ('ask' as const), price, change: qty };
        if (qty !== 0) for (const simulator of this.#simulators) simulator.applyDelta(change);
        break;
      }
      case RowKind.buy:
      case RowKind.sell: {
        const print = { market, side: kind === RowKind.buy ? ('buy' as const) : ('sell' as const), price, qty };
        for (const simulator of this.#simulators) simulator.applyPrint(print);
        break;
      }
      case RowKind.snapshot: {
        const { bids, asks } = cursor.readSnapshot();
        for (const simulator of this.#simulators) simulator.applySnapshot(market, bids, asks);
        return;
      }
      case RowKind.other:
        this.#passFact(cursor.block.text(row));
        break;
      case RowKind.bidLevel:
      case RowKind.askLevel:
    }
    cursor.nextRow();
  }

  /** Facts that change a book: the grid of a market, and gaps. The others are many, and are not parsed. */
  #passFact(text: string): void {
    if (!/"kind":"(?:market|market-changed|feed-gap)"/.test(text)) return;
    const event = parseEventText(text);
    const stated = statedMarketOf(event);
    const { grid } = stated?.stated ?? {};
    if (stated !== null && grid !== undefined) {
      this.#open.add(stated.market);
      for (const simulator of this.#simulators) simulator.openMarket(stated.market, priceGrid(grid.ranges));
    }
    if (event.kind !== 'feed-gap') return;
    const lost = event.markets.length === 0 ? [...this.#open] : event.markets.filter((each) => this.#open.has(each));
    for (const market of lost) for (const simulator of this.#simulators) simulator.loseBook(market);
  }
}
