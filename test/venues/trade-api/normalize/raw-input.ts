// Raw input for tests of the normalizer: frames, answers and commands; collects the resulting events.
import { expect } from 'vitest';
import type {
  AmendCommand,
  CancelCommand,
  DecreaseCommand,
  PlaceCommand,
  ReadCommand,
  ReadTarget,
  RequestCommand,
} from '../../../../src/domain/venue-command.ts';
import type { EngineEvent } from '../../../../src/domain/event.ts';
import { TickerTable, clientOrderId, strategyName, ticker, venueOrderId } from '../../../../src/domain/ids.ts';
import { type Micros, cents, contracts, micros } from '../../../../src/domain/units.ts';
import { TradeApiNormalizer } from '../../../../src/venues/trade-api/normalize/trade-api-normalizer.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import type { WireProfile } from '../../../../src/venues/trade-api/profiles/wire-profile.ts';
import type { Answer, AnswerOutcome, Frame, RawInput } from '../../../../src/venue.ts';

export const AT: Micros = micros(1_700_000_000_000_000);
export const ASKED_AT: Micros = micros(AT - 2000);
export const VENUE_AT: Micros = micros(AT - 500_000);

export const frameOf = (message: unknown): Frame => ({
  type: 'frame',
  at: AT,
  bytes: new TextEncoder().encode(typeof message === 'string' ? message : JSON.stringify(message)),
});

/** A normalizer whose events are stored as copies. */
export function normalizing(profile: WireProfile = serviceProfile, scans = true) {
  const tickers = new TickerTable();
  const normalizer = new TradeApiNormalizer({ profile, tickers, scans });
  const normalize = (...inputs: readonly RawInput[]): EngineEvent[] => {
    const events: EngineEvent[] = [];
    for (const input of inputs) normalizer.normalize(input, (event) => events.push(structuredClone(event)));
    return events;
  };
  return { tickers, normalize, receive: (...messages: readonly unknown[]) => normalize(...messages.map(frameOf)) };
}

/** A normalizer with live books of the markets, subscribed as sid 1. */
export function subscribed(markets: readonly string[] = ['M-1', 'M-2'], scans = true) {
  const bot = normalizing(serviceProfile, scans);
  for (const market of markets) bot.tickers.internTicker(ticker(market));
  const params = { channels: ['orderbook_delta'], market_tickers: markets, use_yes_price: false };
  bot.normalize(
    { type: 'feed-up', at: AT, connection: 1 },
    { type: 'feed-sent', at: AT, text: JSON.stringify({ id: 1, cmd: 'subscribe', params }) },
    frameOf({ type: 'subscribed', id: 1, msg: { channel: 'orderbook_delta', sid: 1 } }),
  );
  return bot;
}

export const delta = (seq: number, msg: object = {}): object => ({
  type: 'orderbook_delta',
  sid: 1,
  seq,
  msg: { market_ticker: 'M-1', side: 'yes', price: 42, delta: 5, ...msg },
});
export const snapshot = (seq: number, msg: object = {}): object => ({
  type: 'orderbook_snapshot',
  sid: 1,
  seq,
  msg: { market_ticker: 'M-1', yes: [[42, 13]], no: [[55, 7]], ...msg },
});

const base = { id: 7, createdAt: ASKED_AT, validUntil: null } as const;
export const place: PlaceCommand = {
  ...base,
  type: 'place',
  lane: 'new',
  clientOrderId: clientOrderId('ours-1'),
  strategy: strategyName('s'),
  market: new TickerTable().internTicker(ticker('M-1')),
  ticker: ticker('M-1'),
  side: 'buy',
  price: cents(42),
  qty: contracts(10),
  timeInForce: 'gtc',
  postOnly: true,
  reduceOnly: false,
  expiresAt: null,
};
export const cancel: CancelCommand = {
  ...base,
  type: 'cancel',
  lane: 'cancel',
  clientOrderId: clientOrderId('ours-1'),
  venueOrderId: venueOrderId('theirs-1'),
  ticker: ticker('M-1'),
};
const named = {
  ...base,
  clientOrderId: cancel.clientOrderId,
  venueOrderId: cancel.venueOrderId,
  ticker: cancel.ticker,
} as const;
export const amend: AmendCommand = {
  ...named,
  type: 'amend',
  lane: 'new',
  side: 'buy',
  price: cents(40),
  qty: contracts(8),
};
export const decrease: DecreaseCommand = {
  ...named,
  type: 'decrease',
  lane: 'reduce',
  leavesQty: contracts(4),
};

export const read = (target: ReadTarget): ReadCommand => ({
  ...base,
  type: 'read',
  lane: 'read',
  target,
  cursor: null,
});

export const answer = (command: RequestCommand, outcome: AnswerOutcome): Answer => ({
  type: 'answer',
  at: AT,
  askedAt: ASKED_AT,
  command,
  outcome,
});
export const answered = (
  command: RequestCommand,
  status: number,
  { body, retryAfter = null }: { readonly body: unknown; readonly retryAfter?: Micros | null },
): Answer =>
  answer(command, {
    type: 'answered',
    status,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    retryAfter,
    venueAt: VENUE_AT,
  });

/** An order in the service dialect. */
export const ORDER = {
  order_id: 'theirs-1',
  client_order_id: 'ours-1',
  ticker: 'M-1',
  side: 'yes',
  action: 'buy',
  type: 'limit',
  yes_price: 42,
  no_price: 58,
  status: 'resting',
  initial_count: 10,
  fill_count: 0,
  remaining_count: 10,
} as const;

/** An order in the kalshi dialect. */
export const KALSHI_ORDER = {
  order_id: '2597b999-f887-4195-8bac-c3f97a1f2021',
  user_id: '1',
  client_order_id: 'ours-1',
  ticker: 'M-1',
  side: 'yes',
  action: 'buy',
  outcome_side: 'yes',
  book_side: 'bid',
  type: 'limit',
  status: 'resting',
  yes_price_dollars: '0.4200',
  no_price_dollars: '0.5800',
  fill_count_fp: '3.00',
  remaining_count_fp: '7.00',
  initial_count_fp: '10.00',
  taker_fill_cost_dollars: '0.000000',
  maker_fill_cost_dollars: '1.260000',
  taker_fees_dollars: '0.000000',
  maker_fees_dollars: '0.000000',
  created_time: '2026-06-11T06:29:20.866753Z',
  last_update_time: '2026-06-11T06:29:20.86Z',
  self_trade_prevention_type: 'taker_at_cross',
  subaccount_number: 0,
  exchange_index: 2,
} as const;

/** The events of an answer in a dialect, after the first, which must be `answered`. */
export const afterIn =
  (profile: WireProfile) =>
  (command: RequestCommand, status: number, body: unknown): readonly EngineEvent[] => {
    const { tickers, normalize } = normalizing(profile);
    tickers.internTicker(ticker('M-1'));
    const [first, ...rest] = normalize(answered(command, status, { body }));
    expect(first).toEqual({
      kind: 'answered',
      at: AT,
      commandId: 7,
      ok: status >= 200 && status < 300,
      clockOffset: 500_000,
      askedAt: ASKED_AT,
    });
    return rest;
  };
export const after = afterIn(serviceProfile);
