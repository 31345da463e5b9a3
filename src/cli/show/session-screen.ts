// Renders a running session as one page of text: its snapshot and the latest notices. Pure.
import { describeDenial } from '../../domain/denial.ts';
import { scopeText } from '../../app/operate/halt-text.ts';
import type { TickerTable } from '../../domain/ids.ts';
import type { Halt } from '../../domain/operator-order.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import { wrappedText } from '../../report/text/text-columns.ts';
import { widthOf } from '../../report/text/text-width.ts';
import type { QuoteLine, MarketLine, SessionSnapshot } from '../../report/account/session-snapshot.ts';
import type { StrategyTally } from '../../runtime/session/session-tally.ts';
import { centsText, contractsText, dollarsText, signedContracts, signedDollars } from '../../domain/amounts.ts';
import { clockText, columns } from '../output/text-format.ts';

/** Renders the page. Parts that do not fit on one line move to the next; table rows never wrap. */
export function renderPage(
  snapshot: SessionSnapshot,
  latest: readonly string[],
  width = Number.POSITIVE_INFINITY,
): string[] {
  return [
    ...joined(headParts(snapshot), { gap: '   ', width }),
    ...snapshot.halts.flatMap((halt) => wrappedText(haltLine(halt), width)),
    '',
    ...columns([MARKET_HEAD, ...snapshot.markets.map(marketRow)]),
    '',
    ...joined(accountParts(snapshot), { gap: '  ', width }),
    profitLine(snapshot),
    '',
    ...columns([STRATEGY_HEAD, ...snapshot.strategies.map(strategyRow)]),
    '',
    ...latest,
  ];
}

/** Joins parts on as many lines as they need. All but the first line are indented. */
function joined(parts: readonly string[], { gap, width }: { readonly gap: string; readonly width: number }): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.pop();
    if (last === undefined) lines.push(part);
    else if (widthOf(last) + gap.length + widthOf(part) <= width) lines.push(`${last}${gap}${part}`);
    else lines.push(last, `${INDENT}${part}`);
  }
  return lines;
}

const INDENT = ' '.repeat('presage  '.length);

function headParts({ elapsedMs, phase, feed, clock, budgets, orders }: SessionSnapshot): string[] {
  const budgetText = `reads ${budgets.read.available}/${budgets.read.capacity}, trades ${budgets.trade.available}/${budgets.trade.capacity}`;
  return [
    `presage  ${clockText(elapsedMs)}  ${phase}`,
    `feed ${feedText(feed)}`,
    ...clockParts(clock),
    `budget left ${budgetText}`,
    `orders ${orders.working}`,
  ];
}

function feedText({ isUp, ageMs, lagMs, privateFault }: SessionSnapshot['feed']): string {
  if (!isUp) return 'DOWN';
  const late = lagMs > 0 ? `, ${lagMs} ms late` : '';
  return `up, ${ageMs} ms old${late}${privateFault === null ? '' : ', PRIVATE DOWN'}`;
}

/** Shows the clock's offset from the venue's, and the delay of our own timers when it is large. */
function clockParts({ offsetMs, boundMs, loopLateMs }: SessionSnapshot['clock']): string[] {
  const offset = offsetMs === null ? [] : [`clock ${offsetMs < 0 ? '' : '+'}${offsetMs} ± ${boundMs} ms`];
  return loopLateMs < LATE_MS ? offset : [...offset, `OUR LOOP ${loopLateMs} ms late`];
}

/** Delay of our own timers from which the delay is shown, milliseconds. */
const LATE_MS = 100;

const haltLine = ({ scope, by, reason }: Halt): string => `!!! ${scopeText(scope)} is HALTED by ${by}: ${reason}`;

const MARKET_HEAD = ['market', 'status', 'book', 'bid', 'ask', 'our bid', 'our ask', 'position'];

const marketRow = (line: MarketLine): string[] => [
  line.ticker,
  line.status,
  line.status === 'finalized' ? '-' : line.trust,
  levelText(line.bid),
  levelText(line.ask),
  levelText(line.ownBid),
  levelText(line.ownAsk),
  signedContracts(line.position),
];

const levelText = (level: QuoteLine | null): string =>
  level === null ? '-' : `${centsText(level.price)} × ${contractsText(level.qty)}`;

const accountParts = ({ account, drift }: SessionSnapshot): string[] => [
  `account  cash ${dollarsText(account.cash)}`,
  `reserved ${dollarsText(account.pledged)}`,
  `positions ${dollarsText(account.positionsValue)}`,
  `equity ${dollarsText(account.equity)}`,
  `drift ${driftText(drift)}`,
];

/** Describes the differences of contracts and cash from the venue's figures. */
function driftText({ ageMs, qty, cash, isDrift }: SessionSnapshot['drift']): string {
  if (ageMs === null) return 'not compared yet';
  if (qty === 0 && cash === 0) return '0';
  return `${contractsText(qty)} contracts, ${dollarsText(cash)}${isDrift ? ': UNEXPLAINED' : ', being investigated'}`;
}

const profitLine = ({ account }: SessionSnapshot): string =>
  `profit   ${signedDollars(account.profit)}  (realized ${signedDollars(account.realized)}, unrealized ${signedDollars(account.unrealized)}, fees ${dollarsText(account.fees)})`;

const STRATEGY_HEAD = ['strategy', 'orders', 'fills', 'contracts', 'fees', 'canceled', 'denied', 'state'];

const strategyRow = (tally: StrategyTally): string[] => [
  tally.name,
  String(tally.orders),
  String(tally.fills),
  contractsText(tally.filledQty),
  dollarsText(tally.fees),
  String(tally.canceled),
  String([...tally.denials.values()].reduce((sum, count) => sum + count, 0)),
  tally.haltedBy === null ? 'running' : 'HALTED',
];

/** Renders a notice as one line for people; `null` when it is too minor. */
export function noticeText(notice: Notice, tickers: TickerTable): string | null {
  const text = wordsOf(notice, tickers);
  // Reasons come from strategies and the venue: their line feeds and escapes must not reach the terminal.
  return text === null ? null : text.replaceAll(/\p{Cc}+/gu, ' ');
}

function wordsOf(notice: Notice, tickers: TickerTable): string | null {
  switch (notice.type) {
    case 'phase':
      return `session ${notice.phase}: ${notice.why}`;
    case 'fill': {
      const { fill, order } = notice;
      const verb = fill.side === 'buy' ? 'bought' : 'sold';
      const who = order?.strategy ?? 'unknown order';
      return `${who} ${verb} ${contractsText(fill.qty)} ${tickers.tickerOf(fill.market)} at ${centsText(fill.price)} as ${fill.liquidity}, fee ${dollarsText(fill.fee)}`;
    }
    case 'settled':
      return `${notice.market.ticker} settled ${notice.market.result ?? ''}: held ${signedContracts(notice.held)}, paid ${dollarsText(notice.paid)}`;
    case 'market':
      return `${notice.market.ticker} is ${notice.market.status}`;
    case 'trust':
      return notice.trust === 'live'
        ? null
        : `book of ${tickers.tickerOf(notice.market)} is ${notice.trust}: ${notice.reason}`;
    case 'halt':
    case 'resumed':
    case 'withdrawn':
    case 'flattening':
    case 'flattened':
      return operatorText(notice, tickers);
    case 'feed':
      return notice.isUp ? null : `the feed is down: ${notice.reason}`;
    case 'private-feed':
      return notice.isUp ? null : `the private feed is down: ${notice.reason}`;
    case 'alarm':
      return `ALARM ${notice.code}: ${notice.text}`;
    case 'override':
      return overrideText(notice);
    case 'rate-limited':
      return `the venue refused a ${notice.budget} request for rate`;
    case 'position-drift':
      return `DRIFT in ${tickers.tickerOf(notice.market)}: ours ${contractsText(notice.ours)}, theirs ${contractsText(notice.theirs)}`;
    case 'cash-drift':
      return `DRIFT in cash: ours ${dollarsText(notice.ours)}, theirs ${dollarsText(notice.theirs)}`;
    case 'read-failed':
      return `reading ${notice.what} failed: ${notice.reason}`;
    case 'order':
      return orderText(notice, tickers);
    case 'approved':
    case 'barred':
    case 'books':
    case 'canceled-for-us':
    case 'denied':
    case 'evicted':
    case 'forecast':
    case 'losses':
    case 'reconciled':
    case 'saved':
    case 'surprise':
    case 'suspicion':
    case 'unexpected-order':
      return null;
  }
}

type OperatorNotice = Extract<Notice, { type: 'halt' | 'resumed' | 'withdrawn' | 'flattening' | 'flattened' }>;

function operatorText(notice: OperatorNotice, tickers: TickerTable): string {
  switch (notice.type) {
    case 'halt': {
      const { scope, by, reason } = notice.halt;
      const lifted = notice.isCarried ? '; no order in it until `presage resume`' : '';
      return `${scopeText(scope)} ${notice.isCarried ? 'STILL HALTED' : 'HALTED'} by ${by}: ${reason}${lifted}`;
    }
    case 'resumed': {
      const nothing = notice.lifted.length === 0 ? ', which was not halted' : '';
      return `${scopeText(notice.scope)} resumed${nothing}: ${notice.reason}`;
    }
    case 'withdrawn':
      return `${scopeText(notice.scope)}: ${notice.orders} orders canceled: ${notice.reason}`;
    case 'flattening':
      return `CLOSING ${notice.positions} positions: ${notice.reason}`;
    case 'flattened': {
      const left = notice.unclosed.map(
        ({ market, qty, why }) => `${signedContracts(qty)} ${tickers.tickerOf(market)} (${why})`,
      );
      return `closing is over, ${notice.why}${left.length === 0 ? '' : `; STILL HELD: ${left.join(', ')}`}`;
    }
  }
}

function overrideText({ override, change, why }: Extract<Notice, { type: 'override' }>): string {
  const { limit, value, strategy } = override;
  const whose = strategy === null ? 'the account' : `strategy ${strategy}`;
  return `override of ${limit} to ${value} for ${whose} ${change}: ${why}`;
}

function orderText({ order, to, why }: Extract<Notice, { type: 'order' }>, tickers: TickerTable): string | null {
  if (to !== 'rejected' && to !== 'unknown') return null;
  return `order ${order.clientOrderId} in ${tickers.tickerOf(order.market)} is ${to}: ${why}`;
}

/**
 * Renders a notice as data for `--json`: fills, denials and alarms with their figures, any other with the text of
 * `noticeText`. Returns `null` for a notice that has no text.
 */
export function noticeRecord(notice: Notice, tickers: TickerTable): Record<string, unknown> | null {
  if (notice.type === 'denied') {
    const { strategy, denial, intent } = notice;
    return { type: 'denied', strategy, code: denial.code, text: describeDenial(denial), intent };
  }
  if (notice.type === 'fill') {
    const { fill, order } = notice;
    const { side, price, qty, fee, liquidity, tradeId } = fill;
    const ticker = tickers.tickerOf(fill.market);
    return { type: 'fill', strategy: order?.strategy ?? null, ticker, side, price, qty, fee, liquidity, tradeId };
  }
  if (notice.type === 'alarm') {
    const { type, code, at, text, figures } = notice;
    return { type, code, at, text, figures };
  }
  const text = noticeText(notice, tickers);
  return text === null ? null : { type: notice.type, text };
}
