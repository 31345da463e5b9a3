// What is looked at in every run of a strategy, all at once: each judge says the first thing that it finds wrong.
// Must never blame a strategy for what another judge is there to find.
import { WallClockError } from '../../backtest/wall-clock.ts';
import { type DenialCode, describeDenial } from '../domain/denial.ts';
import type { MarketIndex } from '../domain/ids.ts';
import type { Intent } from '../domain/intent.ts';
import type { MarketStatus } from '../domain/market.ts';
import type { Notice } from '../execution/notice.ts';
import type { StrategyView } from '../state/view.ts';
import { answerFault } from '../strategy/answer.ts';
import { describeThrown, thrownAt } from '../strategy/fault-place.ts';
import type { Intents } from '../strategy/strategy.ts';
import type { CheckName, Finding } from './finding.ts';
import { faultOfAnswer } from './intent-faults.ts';
import { millisOf } from './stream-rows.ts';
import { QTY_STEP, type Trial } from './trial.ts';
import { type Call, type Watch, marketTold } from './watched.ts';

/** Watches one run. */
export interface Judge extends Watch {
  noticed?(notice: Notice, atMs: number): void;
  /** The run is over: what it came to, and when the strategy was called last. */
  ended?(end: Pick<Trial, 'haltedBy' | 'asked'>, atMs: number): void;
  /** The first thing that is wrong; `null` while nothing is. */
  readonly finding: Finding | null;
}

/** What every judge remembers. */
abstract class Finder implements Judge {
  finding: Finding | null = null;

  protected found(words: string, view: StrategyView): void {
    this.finding ??= { words, atMs: millisOf(view.now) };
  }
}

/** Nothing of it throws: no handler, nor its selector; nor is it halted for anything else that no other judge looks for. */
class ThrowJudge extends Finder {
  #isMalformed = false;

  threw(fault: unknown, { handler, view }: Call): void {
    if (fault instanceof WallClockError) return;
    this.found(`${handler} threw ${describeThrown(fault)}`, view);
  }

  answered(intents: Intents): void {
    this.#isMalformed ||= intents !== undefined && (answerFault(intents) !== null || intents.some(isTimeless));
  }

  ended({ haltedBy, asked }: Pick<Trial, 'haltedBy' | 'asked'>, atMs: number): void {
    if (haltedBy === null || asked !== null || this.#isMalformed) return;
    this.finding ??= { words: `it was halted: ${haltedBy}`, atMs };
  }
}

/** A timer that could never fire. */
const isTimeless = (intent: Intent): boolean => intent.type === 'timer' && !Number.isFinite(intent.at);

/** Nobody asks for the clock, for chance, or for the world: in a handler, a selector, or where it catches what it is told. */
class AskJudge extends Finder {
  threw(fault: unknown, { handler, view }: Call): void {
    if (fault instanceof WallClockError) this.found(`${handler}: ${fault.message}${thrownAt(fault)}`, view);
  }

  ended({ asked }: Pick<Trial, 'asked'>, atMs: number): void {
    if (asked !== null) this.finding ??= { words: `${asked.message}${thrownAt(asked)}`, atMs };
  }
}

/** Every figure of every intent is one. */
class NumberJudge extends Finder {
  readonly #known = new Set<unknown>();

  calling(call: Call): void {
    const moved = marketTold(call);
    if (moved !== null) this.#known.add(moved.index);
  }

  answered(intents: Intents, { handler, view }: Call): void {
    if (this.finding !== null) return;
    const fault = faultOfAnswer(intents, { view, known: this.#known, qtyStep: QTY_STEP });
    if (fault !== null) this.found(`${handler} gave ${fault}`, view);
  }
}

/** Limits that hold of one order: whoever asks beyond them has not looked at what it asks for. */
const OF_ORDER: ReadonlySet<DenialCode> = new Set(['order-qty-above-limit', 'order-cost-above-limit']);
/** Limits that hold of all orders and positions together: to come upon one is no fault, to live on it is. */
const OF_ALL: ReadonlySet<DenialCode> = new Set([
  'position-above-limit',
  'market-cost-above-limit',
  'group-cost-above-limit',
  'account-cost-above-limit',
  'cash-short',
  'orders-above-limit',
  'order-rate-above-limit',
  'message-rate-above-limit',
]);
/** So often a strategy may come upon a limit of all orders together. */
const LEANS_MAX = 20;

/** It keeps within its limits by itself. */
class LimitJudge implements Judge {
  finding: Finding | null = null;
  #leans = 0;

  noticed(notice: Notice, atMs: number): void {
    if (notice.type !== 'denied' || this.finding !== null) return;
    const { denial } = notice;
    if (OF_ORDER.has(denial.code)) this.finding = { words: `it asked for more: ${describeDenial(denial)}`, atMs };
    if (!OF_ALL.has(denial.code)) return;
    this.#leans += 1;
    if (this.#leans <= LEANS_MAX) return;
    this.finding = { words: `it asked ${this.#leans} times for more: ${describeDenial(denial)}`, atMs };
  }
}

/** Denials that pass by themselves, whatever the strategy does: to ask again is no fault. */
const PASSING: ReadonlySet<DenialCode> = new Set([
  'not-ready',
  'stopping',
  'halted',
  'book-not-live',
  'book-stale',
  'book-jumped',
  'market-not-open',
  'market-unknown',
  'market-closing',
  'market-unresolved',
]);
/** So often in a row the very same may be asked, and denied for the very same reason. */
const REPEATS_MAX = 25;

/** Who is denied does not ask the very same again and again. */
class DenialJudge implements Judge {
  finding: Finding | null = null;
  readonly #repeats = new Map<string, number>();

  noticed(notice: Notice, atMs: number): void {
    if (notice.type === 'approved') this.#forget(notice.intent);
    if (notice.type !== 'denied') return;
    const { denial, intent } = notice;
    if (OF_ORDER.has(denial.code) || OF_ALL.has(denial.code) || PASSING.has(denial.code)) return;
    const key = `${marketKey(intent)} ${JSON.stringify({ ...intent, reason: '' })} ${denial.code}`;
    const count = (this.#repeats.get(key) ?? 0) + 1;
    this.#repeats.set(key, count);
    if (count <= REPEATS_MAX || this.finding !== null) return;
    const words = `it asked the same ${count} times in a row, and was denied: ${describeDenial(denial)}`;
    this.finding = { words, atMs };
  }

  #forget(intent: Intent): void {
    const begin = `${marketKey(intent)} `;
    for (const key of this.#repeats.keys()) if (key.startsWith(begin)) this.#repeats.delete(key);
  }
}

const marketKey = (intent: Intent): string => ('market' in intent ? `m${intent.market}` : 'm');

/** The markets that an answer wants orders in. */
function* wantedMarkets(intents: Intents): Generator<MarketIndex> {
  const given: readonly Intent[] = Array.isArray(intents) ? intents : [];
  for (const intent of given) {
    if (typeof intent !== 'object' || intent === null) continue;
    if (intent.type === 'place') yield intent.market;
    else if (intent.type === 'quote' && (intent.bid !== null || intent.ask !== null)) yield intent.market;
  }
}

/** No order is priced off a book that is not live. */
class GapJudge extends Finder {
  answered(intents: Intents, { handler, view }: Call): void {
    for (const market of wantedMarkets(intents)) {
      const status = statusOf(market, view);
      if (status === null || OVER.has(status)) continue;
      const { trust } = view.book(market);
      if (trust !== 'live')
        this.found(`${handler} wants an order in ${view.market(market).ticker}, whose book is ${trust}`, view);
    }
  }
}

/** Statuses in which nothing can be traded any more. */
const OVER: ReadonlySet<MarketStatus> = new Set(['determined', 'disputed', 'amended', 'finalized']);

/** Nothing is wanted in a market that is settled. */
class SettlementJudge extends Finder {
  readonly #names = new Map<MarketIndex, string>();

  calling(call: Call): void {
    const moved = marketTold(call);
    if (moved !== null) this.#names.set(moved.index, moved.ticker);
  }

  answered(intents: Intents, { handler, view }: Call): void {
    for (const market of wantedMarkets(intents)) {
      const status = statusOf(market, view);
      const name = this.#names.get(market);
      if (status === null && name !== undefined)
        this.found(`${handler} wants an order in ${name}, which is settled and forgotten`, view);
      if (status !== null && OVER.has(status))
        this.found(`${handler} wants an order in ${view.market(market).ticker}, which is ${status}`, view);
    }
  }
}

function statusOf(market: MarketIndex, view: StrategyView): MarketStatus | null {
  try {
    return view.market(market).status;
  } catch {
    return null;
  }
}

export const JUDGES = {
  throws: () => new ThrowJudge(),
  isolation: () => new AskJudge(),
  numbers: () => new NumberJudge(),
  limits: () => new LimitJudge(),
  denials: () => new DenialJudge(),
  gaps: () => new GapJudge(),
  settlement: () => new SettlementJudge(),
} as const satisfies Partial<Record<CheckName, () => Judge>>;
export type JudgeName = keyof typeof JUDGES;

export const JUDGE_NAMES = [
  'throws',
  'isolation',
  'numbers',
  'limits',
  'denials',
  'gaps',
  'settlement',
] as const satisfies readonly JudgeName[];
