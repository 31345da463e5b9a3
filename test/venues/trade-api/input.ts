// Raw input for tests of the normalizer: frames, answers, commands, and the events that came of them.
import { expect } from 'vitest';
import type {
  CancelCommand,
  PlaceCommand,
  ReadCommand,
  ReadTarget,
  RequestCommand,
} from '../../../src/domain/command.ts';
import type { EngineEvent } from '../../../src/domain/event.ts';
import { TickerTable, clientOrderId, strategyName, ticker, venueOrderId } from '../../../src/domain/ids.ts';
import { type Micros, cents, contracts, micros } from '../../../src/domain/units.ts';
import { TradeApiNormalizer } from '../../../src/venues/trade-api/normalize.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service.ts';
import type { WireProfile } from '../../../src/venues/trade-api/profile.ts';
import type { Answer, AnswerOutcome, Frame, RawInput } from '../../../src/venue.ts';

export const AT: Micros = micros(1_700_000_000_000_000);
export const ASKED_AT: Micros = micros(AT - 2000);
export const VENUE_AT: Micros = micros(AT - 500_000);

export const frameOf = (message: unknown): Frame => ({
  type: 'frame',
  at: AT,
  bytes: new TextEncoder().encode(typeof message === 'string' ? message : JSON.stringify(message)),
});

/** A normalizer whose events are kept, as copies. */
export function normalizing(profile: WireProfile = serviceProfile, scans = true) {
  const tickers = new TickerTable();
  const normalizer = new TradeApiNormalizer({ profile, tickers, scans });
  const tell = (...inputs: readonly RawInput[]): EngineEvent[] => {
    const events: EngineEvent[] = [];
    for (const input of inputs) normalizer.normalize(input, (event) => events.push(structuredClone(event)));
    return events;
  };
  return { tickers, tell, hear: (...messages: readonly unknown[]) => tell(...messages.map(frameOf)) };
}

/** A normalizer with books of the markets subscribed as sid 1, after their snapshots. */
export function subscribed(markets: readonly string[] = ['M-1', 'M-2'], scans = true) {
  const world = normalizing(serviceProfile, scans);
  for (const market of markets) world.tickers.intern(ticker(market));
  const params = { channels: ['orderbook_delta'], market_tickers: markets, use_yes_price: false };
  world.tell(
    { type: 'feed-up', at: AT, connection: 1 },
    { type: 'feed-sent', at: AT, text: JSON.stringify({ id: 1, cmd: 'subscribe', params }) },
    frameOf({ type: 'subscribed', id: 1, msg: { channel: 'orderbook_delta', sid: 1 } }),
  );
  return world;
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
  market: new TickerTable().intern(ticker('M-1')),
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

/** An order as the wire tells it. */
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

/** The events after the first, which must say that the answer came. */
export function after(command: RequestCommand, status: number, body: unknown): readonly EngineEvent[] {
  const { tickers, tell } = normalizing();
  tickers.intern(ticker('M-1'));
  const [first, ...rest] = tell(answered(command, status, { body }));
  expect(first).toEqual({
    kind: 'answered',
    at: AT,
    commandId: 7,
    ok: status >= 200 && status < 300,
    clockOffset: 500_000,
    askedAt: ASKED_AT,
  });
  return rest;
}
