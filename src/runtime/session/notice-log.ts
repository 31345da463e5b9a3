// Writes the engine's notices to the log, each at its level and with its ids.
import { describeDenial } from '../../domain/denial.ts';
import type { TickerTable } from '../../domain/ids.ts';
import { reasonText } from '../../domain/orders/change-text.ts';
import { type Micros, formatMoney, formatPrice, formatQty } from '../../domain/units.ts';
import type { Notice, Observer } from '../../execution/engine-notice.ts';
import type { Logger } from '../../log.ts';
import { RepeatedDenials, denialCountText } from './repeated-denials.ts';

type Line = readonly [level: 'debug' | 'info' | 'warn' | 'error', fields: Record<string, unknown>, text: string];

/**
 * Returns an observer that logs. The first surprise of each kind is logged as a warning, later surprises at debug. The
 * first of equal denials is logged, then a count each minute and at the end.
 * @param now the engine's time.
 */
export function noticeLogger(log: Logger, tickers: TickerTable, now: () => Micros): Observer {
  const loggedSurprises = new Set<string>();
  const denials = new RepeatedDenials();
  return (notice) => {
    const at = now();
    const isLast = notice.type === 'phase' && notice.phase === 'stopped';
    for (const repeated of isLast ? denials.takeAll(at) : denials.takeDue(at)) {
      const { strategy, code, count } = repeated;
      log.debug({ strategy, code, count }, `denied ${denialCountText(repeated)}`);
    }
    if (notice.type === 'denied' && !denials.countDenial(notice, at)) return;
    const [level, fields, text] = lineOf(notice, tickers, loggedSurprises);
    log[level](fields, text);
  };
}

function lineOf(notice: Notice, tickers: TickerTable, loggedSurprises: Set<string>): Line {
  switch (notice.type) {
    case 'order':
    case 'fill':
    case 'unexpected-order':
    case 'approved':
    case 'denied':
      return orderLine(notice, tickers);
    case 'surprise':
      return surpriseLine(notice, loggedSurprises);
    case 'trust':
      return [
        notice.trust === 'live' ? 'info' : 'warn',
        { ticker: tickers.tickerOf(notice.market), trust: notice.trust },
        `book ${notice.trust}: ${notice.reason}`,
      ];
    case 'market':
      return ['info', { ticker: notice.market.ticker, status: notice.market.status, before: notice.before }, 'market'];
    case 'evicted':
      return ['debug', { ticker: notice.market.ticker }, 'settled a while ago: dropped from memory'];
    case 'settled':
      return [
        'info',
        { ticker: notice.market.ticker, held: formatQty(notice.held), paid: formatMoney(notice.paid) },
        'settled',
      ];
    case 'private-feed':
    case 'feed':
    case 'canceled-for-us':
    case 'alarm':
    case 'losses':
    case 'books':
    case 'override':
    case 'barred':
    case 'phase':
    case 'halt':
    case 'resumed':
    case 'withdrawn':
    case 'flattening':
    case 'flattened':
    case 'saved':
    case 'forecast':
    case 'rate-limited':
    case 'read-failed':
    case 'suspicion':
    case 'position-drift':
    case 'cash-drift':
    case 'reconciled':
      return sessionLine(notice, tickers);
  }
}

type OrderNotice = Extract<Notice, { type: 'order' | 'fill' | 'unexpected-order' | 'approved' | 'denied' }>;

function orderLine(notice: OrderNotice, tickers: TickerTable): Line {
  switch (notice.type) {
    case 'order': {
      const { clientOrderId, venueOrderId, strategy, market } = notice.order;
      const { from, to } = notice;
      const level = to === 'unknown' || to === 'rejected' ? 'warn' : 'debug';
      const fields = {
        clientOrderId,
        venueOrderId,
        strategy,
        ticker: tickers.tickerOf(market),
        from,
        to,
      };
      return [level, fields, `order ${to}: ${reasonText(notice)}`];
    }
    case 'fill': {
      const { fill, order, position } = notice;
      const fields = {
        clientOrderId: order?.clientOrderId,
        strategy: order?.strategy,
        tradeId: fill.tradeId,
        ticker: tickers.tickerOf(fill.market),
        side: fill.side,
        price: formatPrice(fill.price),
        qty: formatQty(fill.qty),
        fee: formatMoney(fill.fee),
        liquidity: fill.liquidity,
        position: formatQty(position.qty),
      };
      return ['info', fields, 'fill'];
    }
    case 'unexpected-order': {
      const { venueOrderId, clientOrderId } = notice.report;
      return ['warn', { venueOrderId, clientOrderId }, 'an order of another session rests: canceling it'];
    }
    case 'approved':
      return [
        'debug',
        { strategy: notice.strategy, clientOrderId: notice.clientOrderId, intent: notice.intent },
        'approved',
      ];
    case 'denied': {
      const { strategy, denial, intent } = notice;
      return ['debug', { strategy, code: denial.code, intent }, `denied: ${describeDenial(denial)}`];
    }
  }
}

function surpriseLine(notice: Extract<Notice, { type: 'surprise' }>, loggedSurprises: Set<string>): Line {
  const level = loggedSurprises.has(notice.what) ? 'debug' : 'warn';
  loggedSurprises.add(notice.what);
  return [level, { what: notice.what }, `surprise: ${notice.detail}`];
}

type OperatorNotice = Extract<Notice, { type: 'halt' | 'resumed' | 'withdrawn' | 'flattening' | 'flattened' }>;

function operatorLine(notice: OperatorNotice, tickers: TickerTable): Line {
  switch (notice.type) {
    case 'halt': {
      const { scope, by, reason } = notice.halt;
      const { isCarried } = notice;
      return ['error', { scope, by, isCarried }, `halted: ${reason}`];
    }
    case 'resumed': {
      const { scope, lifted } = notice;
      return ['warn', { scope, lifted }, `resumed: ${notice.reason}`];
    }
    case 'withdrawn':
      return ['warn', { scope: notice.scope, orders: notice.orders }, `canceling everything: ${notice.reason}`];
    case 'flattening':
      return ['warn', { positions: notice.positions }, `closing every position: ${notice.reason}`];
    case 'flattened': {
      const unclosed = notice.unclosed.map(({ market, qty, why }) => ({
        ticker: tickers.tickerOf(market),
        qty: formatQty(qty),
        why,
      }));
      return [unclosed.length === 0 ? 'warn' : 'error', { unclosed }, `closing has ended: ${notice.why}`];
    }
  }
}

type SessionNotice = Exclude<Notice, OrderNotice | { type: 'surprise' | 'trust' | 'market' | 'evicted' | 'settled' }>;

function sessionLine(notice: SessionNotice, tickers: TickerTable): Line {
  switch (notice.type) {
    case 'feed':
      return [notice.isUp ? 'info' : 'warn', {}, `feed ${notice.isUp ? 'up' : 'down'}: ${notice.reason}`];
    case 'private-feed': {
      const { isUp, reason } = notice;
      return [isUp ? 'info' : 'warn', { isUp }, `private feed ${isUp ? 'up' : 'down'}: ${reason}`];
    }
    case 'phase':
      return ['info', { phase: notice.phase }, `session ${notice.phase}: ${notice.why}`];
    case 'barred':
      return ['error', {}, `the session cannot begin: ${notice.reason}`];
    case 'canceled-for-us': {
      const { clientOrderId, venueOrderId } = notice.order;
      return ['info', { clientOrderId, venueOrderId }, 'the venue reports that the account canceled this order'];
    }
    case 'halt':
    case 'resumed':
    case 'withdrawn':
    case 'flattening':
    case 'flattened':
      return operatorLine(notice, tickers);
    case 'alarm':
      return ['warn', { code: notice.code, ...notice.figures }, `alarm: ${notice.text}`];
    case 'losses':
      return ['debug', { ...notice.standing, equity: notice.equity }, 'losses'];
    case 'books':
      return ['debug', { strategies: notice.books.books.length }, 'strategy ledgers'];
    case 'override':
      return ['warn', { ...notice.override }, `override ${notice.change}: ${notice.why}`];
    case 'saved':
      return ['debug', { strategy: notice.strategy, characters: notice.json.length }, 'state saved'];
    case 'forecast':
      return ['debug', { strategy: notice.strategy, forecast: notice.forecast }, 'forecast'];
    case 'rate-limited':
      return [
        'warn',
        { budget: notice.budget, retryAfterMs: notice.retryAfter === null ? null : notice.retryAfter / 1000 },
        'refused for rate',
      ];
    case 'read-failed':
      return ['warn', { what: notice.what }, `read failed: ${notice.reason}`];
    case 'suspicion': {
      const { market, ours, theirs, change, why } = notice;
      const what = market === null ? { of: 'cash' } : { of: 'position', ticker: tickers.tickerOf(market) };
      return ['debug', { ...what, ours, theirs, change }, `the venue reports another figure, ${change}: ${why}`];
    }
    case 'position-drift': {
      const { market, ours, theirs } = notice;
      return [
        'error',
        { ticker: tickers.tickerOf(market), ours: formatQty(ours), theirs: formatQty(theirs) },
        'position drift',
      ];
    }
    case 'cash-drift':
      return ['error', { ours: formatMoney(notice.ours), theirs: formatMoney(notice.theirs) }, 'cash drift'];
    case 'reconciled':
      return ['info', {}, `reconciled: ${notice.why}`];
  }
}
