// Makes events for people from notices: a kind, a severity and a line of text. Must never hold a secret.
import { centsText, contractsText, dollarsText, signedContracts } from '../../domain/amounts.ts';
import type { TickerTable } from '../../domain/ids.ts';
import type { HaltScope } from '../../domain/operator-order.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import { namedLimitText } from '../../risk/limit-text.ts';
import type { LiveEvent } from './follow-messages.ts';

/** An event before it has a number and a time. */
export type EventDraft = Omit<LiveEvent, 'number' | 'atUs'>;

type Kind = LiveEvent['kind'];
type Severity = LiveEvent['severity'];
type NoticeOf<Type extends Notice['type']> = Extract<Notice, { type: Type }>;
type Drafts = {
  readonly [Type in Notice['type']]: ((notice: NoticeOf<Type>, tickers: TickerTable) => EventDraft | null) | null;
};

const draft = (
  [kind, severity]: readonly [Kind, Severity],
  text: string,
  more: Partial<EventDraft> = {},
): EventDraft => ({
  kind,
  severity,
  ticker: null,
  strategy: null,
  clientOrderId: null,
  text,
  ...more,
});

/** Names a scope: `account`, `strategy NAME` or `market TICKER`. */
export function liveScope(scope: HaltScope): string {
  switch (scope.type) {
    case 'account':
      return 'account';
    case 'strategy':
      return `strategy ${scope.strategy}`;
    case 'market':
      return `market ${scope.ticker}`;
  }
}

const placeOf = (scope: HaltScope): Partial<EventDraft> => ({
  ...(scope.type === 'strategy' && { strategy: scope.strategy }),
  ...(scope.type === 'market' && { ticker: scope.ticker }),
});

/** Makes the event of each type of notice. `null`: the notice makes no event here. */
const DRAFTS: Drafts = {
  trust: ({ market, trust, reason, isWrong }, tickers) => {
    if (trust === 'live') return null;
    return draft(['feed', isWrong ? 'warning' : 'info'], `book ${trust}: ${reason}`, {
      ticker: tickers.tickerOf(market),
    });
  },
  'private-feed': ({ isUp, reason }) =>
    draft(['feed', isUp ? 'info' : 'warning'], `private feed ${isUp ? 'up' : 'down'}: ${reason}`),
  market: ({ market: { ticker, status }, before }) =>
    before === null || before === status ? null : draft(['market', 'info'], `${before} → ${status}`, { ticker }),
  evicted: null,
  settled: ({ market: { ticker, result }, held, paid }) =>
    draft(
      ['settlement', 'info'],
      `settled${result === null ? '' : ` ${result}`}: held ${signedContracts(held)}, paid ${dollarsText(paid)}`,
      { ticker },
    ),
  order: ({ order, to, why }, tickers) => {
    if (to !== 'rejected' && to !== 'unknown') return null;
    const { clientOrderId, strategy, market } = order;
    return draft(['other', 'warning'], `order ${to}: ${why}`, {
      ticker: tickers.tickerOf(market),
      strategy,
      clientOrderId,
    });
  },
  fill: ({ order, fill }, tickers) =>
    draft(
      ['fill', order === null ? 'warning' : 'info'],
      `${fill.side === 'buy' ? 'bought' : 'sold'} ${contractsText(fill.qty)} at ${centsText(fill.price)} as ${fill.liquidity}, fee ${dollarsText(fill.fee)}${order === null ? ', by an unknown order' : ''}`,
      {
        ticker: tickers.tickerOf(fill.market),
        strategy: order?.strategy ?? null,
        clientOrderId: order?.clientOrderId ?? null,
        fill: { side: fill.side, price: fill.price, qty: fill.qty },
      },
    ),
  'unexpected-order': ({ report: { venueOrderId, clientOrderId, market } }, tickers) =>
    draft(['other', 'warning'], `an order that this session did not place rests: ${venueOrderId}`, {
      ticker: tickers.tickerOf(market),
      clientOrderId,
    }),
  'canceled-for-us': ({ order: { clientOrderId, strategy, market } }, tickers) =>
    draft(['other', 'info'], 'the venue reports that the account canceled this order', {
      ticker: tickers.tickerOf(market),
      strategy,
      clientOrderId,
    }),
  surprise: null,
  alarm: ({ code, text }) => draft(['alarm', 'warning'], `${code}: ${text}`),
  losses: null,
  books: null,
  override: ({ override: { limit, value, strategy }, change, why }) =>
    draft(
      ['operator', change === 'refused' ? 'warning' : 'info'],
      `override of ${limit} to ${namedLimitText(limit, value)}${strategy === null ? '' : ` for strategy ${strategy}`} ${change}: ${why}`,
      { strategy },
    ),
  feed: ({ isUp, reason }) => draft(['feed', isUp ? 'info' : 'warning'], `feed ${isUp ? 'up' : 'down'}: ${reason}`),
  barred: ({ reason }) => draft(['phase', 'critical'], `the session cannot begin: ${reason}`),
  phase: ({ phase, why }) => draft(['phase', 'info'], `session ${phase}: ${why}`),
  approved: null,
  // `RepeatedDenials` counts denials.
  denied: null,
  halt: ({ halt: { scope, by, reason }, isCarried }) =>
    draft(
      ['halt', 'critical'],
      `${liveScope(scope)} ${isCarried ? 'is still halted' : 'halted'} by ${by}: ${reason}`,
      placeOf(scope),
    ),
  resumed: ({ scope, reason, lifted }) =>
    draft(
      ['resume', 'warning'],
      `${liveScope(scope)} resumed${lifted.length === 0 ? ', which was not halted' : ''}: ${reason}`,
      placeOf(scope),
    ),
  withdrawn: ({ scope, reason, orders }) =>
    draft(['operator', 'warning'], `${liveScope(scope)}: canceling ${orders} orders: ${reason}`, placeOf(scope)),
  flattening: ({ reason, positions }) => draft(['operator', 'warning'], `closing ${positions} positions: ${reason}`),
  flattened: ({ why, unclosed }, tickers) => {
    const left = unclosed.map(({ market, qty, why: reason }) => {
      return `${signedContracts(qty)} ${tickers.tickerOf(market)} (${reason})`;
    });
    const isClosed = left.length === 0;
    const text = `closing has ended, ${why}${isClosed ? '' : `; still held: ${left.join(', ')}`}`;
    return draft(['operator', isClosed ? 'warning' : 'critical'], text);
  },
  saved: null,
  forecast: null,
  'rate-limited': ({ budget, retryAfter }) => {
    const wait = retryAfter === null ? '' : `, which says to wait ${retryAfter / 1000} ms`;
    return draft(['other', 'warning'], `the venue refused a ${budget} request for rate${wait}`);
  },
  'read-failed': ({ what, reason }) => draft(['other', 'warning'], `reading ${what} failed: ${reason}`),
  suspicion: null,
  'position-drift': ({ market, ours, theirs }, tickers) =>
    draft(
      ['drift', 'critical'],
      `position differs: ours ${contractsText(ours)}, the venue's ${contractsText(theirs)}`,
      {
        ticker: tickers.tickerOf(market),
      },
    ),
  'cash-drift': ({ ours, theirs }) =>
    draft(['drift', 'critical'], `cash differs: ours ${dollarsText(ours)}, the venue's ${dollarsText(theirs)}`),
  reconciled: ({ why }) => draft(['drift', 'info'], `equal to the venue: ${why}`),
};

/** Returns the event of a notice; `null` when people need not know it. */
export function eventOf<Type extends Notice['type']>(notice: NoticeOf<Type>, tickers: TickerTable): EventDraft | null {
  // tidy: as — the row of a notice's type takes that notice, which the index type does not show.
  const row = DRAFTS[notice.type] as ((notice: Notice, tickers: TickerTable) => EventDraft | null) | null;
  return row === null ? null : row(notice, tickers);
}
