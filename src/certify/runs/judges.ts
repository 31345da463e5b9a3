// The judges of a run: observers that look for one kind of fault each. Each judge reports the first fault found. Must
// never blame a strategy for a fault that another judge is there to find.
import { WallClockError } from '../../../backtest/wall-clock-guard.ts';
import { type DenialCode, describeDenial } from '../../domain/denial.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { Intent } from '../../domain/intent.ts';
import type { MarketStatus } from '../../domain/market.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import type { StrategyView } from '../../state/strategy-view.ts';
import { isAnswerFault } from '../../strategy/answer-check.ts';
import { describeThrown, thrownAt } from '../../strategy/fault-place.ts';
import type { Intents } from '../../strategy/strategy-definition.ts';
import type { CheckName, Finding } from '../check-verdict.ts';
import { faultOfAnswer } from './intent-faults.ts';
import { millisOf } from '../streams/stream-rows.ts';
import { QTY_STEP, type TrialEnd } from './trial.ts';
import { type HandlerCall, type CallObserver, announcedMarket } from './call-observers.ts';

/** Watches one run for one kind of fault. */
export interface Judge extends CallObserver {
  onNotice?(notice: Notice, atMs: number): void;
  /** Called at the end of the run. `atMs`: time of the last call to the strategy. */
  onEnd?(end: TrialEnd, atMs: number): void;
  /** The first fault found, or `null`. */
  readonly finding: Finding | null;
}

abstract class FindingJudge implements Judge {
  finding: Finding | null = null;

  protected report(words: string, view: StrategyView): void {
    this.finding ??= { words, atMs: millisOf(view.now) };
  }
}

/** Finds a handler or selector that throws, and a halt for unknown reasons. */
class ThrowJudge extends FindingJudge {
  onThrow(fault: unknown, { handler, view }: HandlerCall): void {
    if (fault instanceof WallClockError) return;
    this.report(`${handler} threw ${describeThrown(fault)}`, view);
  }

  onEnd({ haltedBy, forbiddenUse }: TrialEnd, atMs: number): void {
    if (haltedBy === null || forbiddenUse !== null || isAnswerFault(haltedBy)) return;
    this.finding ??= { words: `it was halted: ${haltedBy}`, atMs };
  }
}

/** Finds a use of clock, randomness or platform, even when the strategy catches the error. */
class IsolationJudge extends FindingJudge {
  onThrow(fault: unknown, { handler, view }: HandlerCall): void {
    if (fault instanceof WallClockError) this.report(`${handler}: ${fault.message}${thrownAt(fault)}`, view);
  }

  onEnd({ forbiddenUse }: TrialEnd, atMs: number): void {
    if (forbiddenUse !== null) this.finding ??= { words: `${forbiddenUse.message}${thrownAt(forbiddenUse)}`, atMs };
  }
}

/** Advice for an answer that is a promise or a single intent. */
const LIST_REMEDY =
  'a handler answers at once, with a list of intents or with nothing: it must not be async, and a single intent needs a list, too';

class NumberJudge extends FindingJudge {
  readonly #announced = new Set<unknown>();

  onCall(call: HandlerCall): void {
    const market = announcedMarket(call);
    if (market !== null) this.#announced.add(market.index);
  }

  onAnswer(intents: Intents, { handler, view }: HandlerCall): void {
    if (this.finding !== null) return;
    const fault = faultOfAnswer(intents, { view, announcedMarkets: this.#announced, qtyStep: QTY_STEP });
    if (fault === null) return;
    const remedy = Array.isArray(intents) ? {} : { remedy: LIST_REMEDY };
    this.finding = { words: `${handler} gave ${fault}`, atMs: millisOf(view.now), ...remedy };
  }

  onEnd({ haltedBy }: TrialEnd, atMs: number): void {
    if (haltedBy !== null && isAnswerFault(haltedBy)) this.finding ??= { words: `it was halted: ${haltedBy}`, atMs };
  }
}

/** Limits of a single order. A strategy that exceeds one has not checked its own order. */
const ORDER_LIMITS: ReadonlySet<DenialCode> = new Set(['order-qty-above-limit', 'order-cost-above-limit']);
/** Limits over several orders or positions. A strategy may reach them, but not all the time. */
const COMMON_LIMITS: ReadonlySet<DenialCode> = new Set([
  'position-above-limit',
  'market-cost-above-limit',
  'group-cost-above-limit',
  'account-cost-above-limit',
  'cash-short',
  'orders-above-limit',
  'order-rate-above-limit',
  'message-rate-above-limit',
]);
/** Number of denials by `COMMON_LIMITS` that a strategy may cause in a run. */
const EXCEEDED_MAX = 20;

/** Finds a strategy that does not keep within its limits by itself. */
class LimitJudge implements Judge {
  finding: Finding | null = null;
  #exceeded = 0;

  onNotice(notice: Notice, atMs: number): void {
    if (notice.type !== 'denied' || this.finding !== null) return;
    const { denial } = notice;
    if (ORDER_LIMITS.has(denial.code)) this.finding = { words: `it wanted more: ${describeDenial(denial)}`, atMs };
    if (!COMMON_LIMITS.has(denial.code)) return;
    this.#exceeded += 1;
    if (this.#exceeded <= EXCEEDED_MAX) return;
    this.finding = { words: `it wanted more ${this.#exceeded} times: ${describeDenial(denial)}`, atMs };
  }
}

/** These reasons pass by themselves: to repeat the intent is not a fault. */
const TEMPORARY: ReadonlySet<DenialCode> = new Set([
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
/** Number of times that an equal intent may be denied in a row for the same reason. */
const REPEATS_MAX = 25;

class DenialJudge implements Judge {
  finding: Finding | null = null;
  /**
   * Denials in a row of each equal intent. Added at a denial; removed when an intent in the same market is approved.
   */
  readonly #repeats = new Map<string, number>();

  onNotice(notice: Notice, atMs: number): void {
    if (notice.type === 'approved') this.#resetRepeats(notice.intent);
    if (notice.type !== 'denied') return;
    const { denial, intent } = notice;
    if (ORDER_LIMITS.has(denial.code) || COMMON_LIMITS.has(denial.code) || TEMPORARY.has(denial.code)) return;
    const key = `${marketKey(intent)} ${JSON.stringify({ ...intent, reason: '' })} ${denial.code}`;
    const count = (this.#repeats.get(key) ?? 0) + 1;
    this.#repeats.set(key, count);
    if (count <= REPEATS_MAX || this.finding !== null) return;
    const words = `it repeated the same intent ${count} times in a row, and was denied: ${describeDenial(denial)}`;
    this.finding = { words, atMs };
  }

  #resetRepeats(intent: Intent): void {
    const prefix = `${marketKey(intent)} `;
    for (const key of this.#repeats.keys()) if (key.startsWith(prefix)) this.#repeats.delete(key);
  }
}

const marketKey = (intent: Intent): string => ('market' in intent ? `m${intent.market}` : 'm');

function* wantedMarkets(intents: Intents): Generator<MarketIndex> {
  const list: readonly Intent[] = Array.isArray(intents) ? intents : [];
  for (const intent of list) {
    if (typeof intent !== 'object' || intent === null) continue;
    if (intent.type === 'place') yield intent.market;
    else if (intent.type === 'quote' && (intent.bid !== null || intent.ask !== null)) yield intent.market;
  }
}

/**
 * Finds an order in a market whose book is not live. Markets with a determined outcome are left to `SettlementJudge`.
 */
class GapJudge extends FindingJudge {
  onAnswer(intents: Intents, { handler, view }: HandlerCall): void {
    for (const market of wantedMarkets(intents)) {
      const status = statusOf(market, view);
      if (status === null || TRADING_OVER.has(status)) continue;
      const { trust } = view.book(market);
      if (trust !== 'live')
        this.report(`${handler} wants an order in ${view.market(market).ticker}, whose book is ${trust}`, view);
    }
  }
}

/** Statuses in which the outcome has been determined. */
const TRADING_OVER: ReadonlySet<MarketStatus> = new Set(['determined', 'disputed', 'amended', 'finalized']);

/** Finds an order in a market with a determined outcome. */
class SettlementJudge extends FindingJudge {
  /**
   * Tickers of the announced markets. Added when announced; never removed, so that a market that is gone has a name.
   */
  readonly #names = new Map<MarketIndex, string>();

  onCall(call: HandlerCall): void {
    const market = announcedMarket(call);
    if (market !== null) this.#names.set(market.index, market.ticker);
  }

  onAnswer(intents: Intents, { handler, view }: HandlerCall): void {
    for (const market of wantedMarkets(intents)) {
      const status = statusOf(market, view);
      const name = this.#names.get(market);
      if (status === null && name !== undefined)
        this.report(`${handler} wants an order in ${name}, which is settled and no longer exists`, view);
      if (status !== null && TRADING_OVER.has(status))
        this.report(`${handler} wants an order in ${view.market(market).ticker}, which is ${status}`, view);
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
  isolation: () => new IsolationJudge(),
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
