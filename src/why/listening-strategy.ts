// Lets a recorder listen to the strategies of a replayed engine: each call and each answer. Must never change an
// answer, nor run in a session that trades.
import type { MarketIndex } from '../domain/ids.ts';
import type { Intent } from '../domain/intent.ts';
import type { StrategyView } from '../state/strategy-view.ts';
import { type AnyHandler, HANDLER_NAMES, type HandlerName, handlerOf } from '../strategy/handler-names.ts';
import type { BoundStrategy, Handlers } from '../strategy/strategy-definition.ts';

/** Hears what strategies are asked and answer. */
export interface StrategyAudience {
  /** Called with the strategy's view, which stays the same all session. */
  onView(strategy: string, view: StrategyView): void;
  /** Called when the strategy was called about a book (`market`) or by time alone (`null`). */
  onCall(strategy: string, market: MarketIndex | null, view: StrategyView): void;
  onAnswer(strategy: string, intents: readonly Intent[]): void;
}

/**
 * The same strategy with an audience. A missing handler is replaced only where it would have answered nothing anyway.
 */
export function withAudience(bound: BoundStrategy, audience: StrategyAudience): BoundStrategy {
  const { handlers, name } = bound;
  const listened: Handlers = {};
  for (const member of HANDLER_NAMES) listenTo({ handlers, listened, audience, name }, member);
  const start = listened.onStart?.bind(listened);
  listened.onStart = (event, view) => {
    audience.onView(name, view);
    return start?.(event, view);
  };
  return { ...bound, handlers: listened };
}

interface MarketEvent {
  readonly market?: unknown;
  readonly isTouch?: boolean;
}

interface Listening {
  readonly handlers: Handlers;
  readonly listened: Handlers;
  readonly audience: StrategyAudience;
  readonly name: string;
}

function listenTo({ handlers, listened, audience, name }: Listening, member: HandlerName): void {
  const handler = handlerOf(handlers, member);
  if (handler === undefined) return;
  const listening: AnyHandler = (event, view) => {
    // tidy: as (the events of these handlers are objects)
    const subject = ASKING.has(member) ? subjectOf(member, event as MarketEvent) : undefined;
    if (subject !== undefined) audience.onCall(name, subject, view);
    const answer = handler(event, view);
    if (Array.isArray(answer) && answer.length > 0) audience.onAnswer(name, answer);
    return answer;
  };
  // tidy: as (it has the parameters of the handler that it replaces)
  listened[member] = listening as never;
}

/** Handlers in which a strategy has a chance to trade. */
const ASKING: ReadonlySet<string> = new Set(['onBook', 'onOthersBest', 'onPrint', 'onTimer']);

/**
 * The market of a call, or `null` for none. Returns `undefined` for a call of `onBook` about changes behind the touch, which
 * are too frequent to record.
 */
function subjectOf(member: HandlerName, { market, isTouch }: MarketEvent): MarketIndex | null | undefined {
  if (member === 'onBook' && isTouch === false) return undefined;
  // tidy: as (events name a market by its number)
  return typeof market === 'number' ? (market as MarketIndex) : null;
}
