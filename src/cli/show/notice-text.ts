// Notices of the engine as lines for people: on the terminal page and as plain lines. Pure.
import { scopeText } from '../../app/operate/halt-text.ts';
import { centsText, contractsText, dollarsText, signedContracts } from '../../domain/amounts.ts';
import type { TickerTable } from '../../domain/ids.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import { namedLimitText } from '../../risk/limit-text.ts';
import type { Tone } from '../screen/page-line.ts';

/** Renders a notice as one line for people. `null` for a minor notice. */
export function noticeText(notice: Notice, tickers: TickerTable): string | null {
  const text = wordsOf(notice, tickers);
  // Reasons come from strategies and the venue: their control characters must not reach the terminal.
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
  return `override of ${limit} to ${namedLimitText(limit, value)} for ${whose} ${change}: ${why}`;
}

function orderText({ order, to, why }: Extract<Notice, { type: 'order' }>, tickers: TickerTable): string | null {
  if (to !== 'rejected' && to !== 'unknown') return null;
  return `order ${order.clientOrderId} in ${tickers.tickerOf(order.market)} is ${to}: ${why}`;
}

/** Returns the tone of a notice's line. */
export function noticeTone(notice: Notice): Tone {
  switch (notice.type) {
    case 'halt':
    case 'position-drift':
    case 'cash-drift':
      return 'alarm';
    case 'flattened':
      return notice.unclosed.length === 0 ? 'warning' : 'alarm';
    case 'feed':
    case 'private-feed':
      return notice.isUp ? 'well' : 'alarm';
    case 'alarm':
    case 'trust':
    case 'order':
    case 'rate-limited':
    case 'read-failed':
    case 'withdrawn':
    case 'flattening':
    case 'override':
      return 'warning';
    case 'fill':
      return notice.fill.side === 'buy' ? 'bid' : 'ask';
    case 'settled':
    case 'phase':
    case 'resumed':
      return 'strong';
    case 'approved':
    case 'barred':
    case 'books':
    case 'canceled-for-us':
    case 'denied':
    case 'evicted':
    case 'forecast':
    case 'losses':
    case 'market':
    case 'reconciled':
    case 'saved':
    case 'surprise':
    case 'suspicion':
    case 'unexpected-order':
      return 'plain';
  }
}
