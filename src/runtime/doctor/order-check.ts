// Places the smallest order at a market's lowest price, reads it, and cancels it. Trades at that price are rare. The
// order can lose at most its cost: a fraction of a cent, or a cent where a market wants whole contracts. Must never
// leave an order resting without a clear warning.
import { centsText, contractsText } from '../../domain/amounts.ts';
import { must } from '../../base/assert.ts';
import type { EngineEvent } from '../../domain/event.ts';
import { type Qty, cents, contracts, price, qty } from '../../domain/units.ts';
import { mintDoctorOrderId } from '../../domain/orders/client-order-id.ts';
import { type VenueOrderId, strategyName, ticker as tickerOf } from '../../domain/ids.ts';
import { DEFAULT_TERMS } from '../../domain/orders/order-terms.ts';
import { priceGrid } from '../../domain/price-grid.ts';
import type { PlaceCommand, RequestCommand } from '../../domain/venue-command.ts';
import type * as Wire from '../../venues/trade-api/wire/wire-records.ts';
import { type Check, okCheck, badCheck } from './check-result.ts';
import { type VenueRequests, type CheckSubject, eventsOf, isFailedRead, waitFor } from './check-subject.ts';

/** Most reads of an order. The venue's reads may not show the latest change at once. */
const READS_MAX = 20;
const READ_AGAIN_MS = 250;
const STRATEGY = strategyName('doctor');

interface Trial {
  readonly market: Wire.MarketRecord;
  readonly qty: Qty;
}

/**
 * Places and cancels one order of `step`, the venue's smallest quantity. If the market refuses that as too small, the
 * order is one contract.
 */
export async function checkOrder(
  subject: CheckSubject,
  requests: VenueRequests,
  { market, step }: { readonly market: Wire.MarketRecord; readonly step: number },
): Promise<Check> {
  const name = `order in ${market.ticker}`;
  const placed = await place(
    subject,
    requests,
    [qty(step), contracts(1)].map((size) => ({ market, qty: size })),
  );
  const { command, events } = placed;
  const words = `${contractsText(command.qty)} contracts at ${centsText(command.price)}`;
  const rejected = events.find((event) => event.kind === 'order-rejected');
  if (rejected) return badCheck(name, `${words} was refused: ${refusalText(rejected)}`, remedyOf(rejected.code));
  const accepted = events.find((event) => event.kind === 'order-accepted');
  if (!accepted) return badCheck(name, `the outcome of ${words} is unknown: ${reasonOf(events)}`, CHECK_ORDERS);
  const order = { venueOrderId: accepted.venueOrderId, ticker: command.ticker };
  const wasFound = await waitForStatus(subject, requests, { order, status: 'working' });
  const canceled = await cancel(subject, requests, { command, venueOrderId: order.venueOrderId });
  if (canceled !== null) return badCheck(name, `${words} rests as ${order.venueOrderId}: ${canceled}`, CHECK_ORDERS);
  if (!wasFound)
    return badCheck(name, `${words} was accepted and canceled, but could not be read meanwhile`, 'try again');
  const isGone = await waitForStatus(subject, requests, { order, status: 'canceled' });
  if (!isGone) return badCheck(name, `${words} was canceled, and still reads as resting`, CHECK_ORDERS);
  return okCheck(name, `${words} was accepted, found, canceled, and is gone`);
}

interface Placed {
  readonly command: PlaceCommand;
  readonly events: readonly EngineEvent[];
}

/**
 * Tries the quantities in turn until the market does not refuse the quantity as too small. Each attempt has its own
 * client order id.
 */
async function place(subject: CheckSubject, requests: VenueRequests, trials: readonly Trial[]): Promise<Placed> {
  let placed: Placed | null = null;
  for (const trial of trials) {
    const command = smallest(subject, requests, trial);
    placed = { command, events: await sendCommand(subject, requests, command) };
    if (!placed.events.some((event) => event.kind === 'order-rejected' && event.code === TOO_SMALL)) return placed;
  }
  return must(placed, 'a trial');
}

const TOO_SMALL = 'invalid_order_size';
const TURNS_MAX = 5;
const RATE_PAUSE_MS = 1100;

/** Sends a command and returns its events. While the venue's rate limit refuses it, sends it a few more times. */
async function sendCommand(
  subject: CheckSubject,
  requests: VenueRequests,
  command: RequestCommand,
): Promise<EngineEvent[]> {
  let events: EngineEvent[] = [];
  for (let turn = 0; turn < TURNS_MAX; turn++) {
    events = eventsOf(subject, await requests.sendCommand(command));
    if (!events.some(({ kind }) => kind === 'rate-limited')) return events;
    await waitFor(subject, RATE_PAUSE_MS);
  }
  return events;
}

const CHECK_ORDERS = 'check the open orders on the venue’s site, or run presage cancel-all with this config';

function smallest({ tickers, now }: CheckSubject, requests: VenueRequests, { market, qty: size }: Trial): PlaceCommand {
  const ticker = tickerOf(market.ticker);
  const base = requests.commandBase();
  return {
    ...base,
    type: 'place',
    lane: 'new',
    clientOrderId: mintDoctorOrderId(now(), base.id),
    strategy: STRATEGY,
    market: tickers.internTicker(ticker),
    ticker,
    side: 'buy',
    price: lowestOf(market),
    qty: size,
    ...DEFAULT_TERMS,
    postOnly: true,
  };
}

const lowestOf = ({ ranges }: Wire.MarketRecord): ReturnType<typeof price> =>
  ranges === null ? cents(1) : price(priceGrid(ranges).priceByCell[0] ?? cents(1));

/** Cancels the order. Returns `null`, or the reason when several attempts failed. */
async function cancel(
  subject: CheckSubject,
  requests: VenueRequests,
  { command, venueOrderId }: { readonly command: PlaceCommand; readonly venueOrderId: VenueOrderId },
): Promise<string | null> {
  const { ticker, clientOrderId: name } = command;
  let why = '';
  for (let turn = 0; turn < 3; turn++) {
    const events = await sendCommand(subject, requests, {
      ...requests.commandBase(),
      type: 'cancel',
      lane: 'cancel',
      clientOrderId: name,
      venueOrderId,
      ticker,
    });
    if (events.some(({ kind }) => kind === 'cancel-accepted')) return null;
    why = reasonOf(events);
    await waitFor(subject, READ_AGAIN_MS);
  }
  return why;
}

interface ExpectedStatus {
  readonly order: { readonly venueOrderId: VenueOrderId; readonly ticker: PlaceCommand['ticker'] };
  readonly status: 'working' | 'canceled';
}

/** Reads the order until it has the expected status. Returns `false` after `READS_MAX` reads without it. */
async function waitForStatus(
  subject: CheckSubject,
  requests: VenueRequests,
  { order, status }: ExpectedStatus,
): Promise<boolean> {
  for (let attempt = 0; attempt < READS_MAX; attempt++) {
    const found = await requests.readRecord({ what: 'order', ...order }, subject.profile.records.order);
    if (!isFailedRead(found) && found.order.status === status) return true;
    await waitFor(subject, READ_AGAIN_MS);
  }
  return false;
}

function reasonOf(events: readonly EngineEvent[]): string {
  for (const event of events) {
    if ('reason' in event && typeof event.reason === 'string') return event.reason;
    if ('code' in event) return event.code;
  }
  return 'no reason was given';
}

function refusalText({ code, message }: { readonly code: string; readonly message: string }): string {
  const rest = message.replaceAll(' ', '_').startsWith(code) ? message.slice(code.length) : `: ${message}`;
  return `${code}${rest}`;
}

function remedyOf(code: string): string {
  if (code === 'insufficient_balance' || code === 'user_not_found' || code === 'available_balance_too_low')
    return 'transfer money to the shard of this market';
  if (code === 'invalid_order') return 'there is an offer at the lowest price: try a market that trades higher';
  if (code === 'trading_is_paused' || code === 'exchange_is_paused') return 'wait until it trades again';
  return code.startsWith('http_403') ? 'give the key the write scope' : 'look up the venue’s explanation of this code';
}
