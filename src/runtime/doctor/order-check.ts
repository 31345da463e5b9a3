// One cent of everything: the smallest order at the lowest price of each market, found where it should be, and withdrawn.
// It rests where nothing trades, and can lose a hundredth of a cent. Must never leave it resting without saying so loudly.
import { centsText, contractsText } from '../../domain/amounts.ts';
import { must } from '../../domain/assert.ts';
import type { EngineEvent } from '../../domain/event.ts';
import { type Qty, cents, contracts, price, qty } from '../../domain/units.ts';
import { type VenueOrderId, clientOrderId, strategyName, ticker as tickerOf } from '../../domain/ids.ts';
import { priceGrid } from '../../domain/price-grid.ts';
import type { PlaceCommand, RequestCommand } from '../../domain/command.ts';
import type * as Wire from '../../venues/trade-api/wire/records.ts';
import { type Check, fine, wrong } from './check.ts';
import { type Asker, type Patient, eventsOf, isRefused, pause } from './patient.ts';

/** What reads may lag behind writes. */
const LOOKS_MAX = 20;
const LOOK_AGAIN_MS = 250;
const STRATEGY = strategyName('doctor');

/** What is tried: the market, and a quantity. */
interface Trial {
  readonly market: Wire.MarketRecord;
  readonly qty: Qty;
}

/** Places and withdraws one order. `step` is the smallest quantity of the venue; a market may want a whole contract. */
export async function checkOrder(
  patient: Patient,
  asker: Asker,
  { market, step }: { readonly market: Wire.MarketRecord; readonly step: number },
): Promise<Check> {
  const name = `order in ${market.ticker}`;
  const placed = await place(
    patient,
    asker,
    [qty(step), contracts(1)].map((size) => ({ market, qty: size })),
  );
  const { command, events } = placed;
  const words = `${contractsText(command.qty)} contracts at ${centsText(command.price)}`;
  const rejected = events.find((event) => event.kind === 'order-rejected');
  if (rejected) return wrong(name, `${words} was refused: ${refusalText(rejected)}`, remedyOf(rejected.code));
  const accepted = events.find((event) => event.kind === 'order-accepted');
  if (!accepted) return wrong(name, `nobody knows what became of ${words}: ${whyNot(events)}`, LOOK_YOURSELF);
  const order = { venueOrderId: accepted.venueOrderId, ticker: command.ticker };
  const wasFound = await becomes(patient, asker, { order, status: 'working' });
  const canceled = await cancel(patient, asker, { command, venueOrderId: order.venueOrderId });
  if (canceled !== null) return wrong(name, `${words} rests as ${order.venueOrderId}: ${canceled}`, LOOK_YOURSELF);
  if (!wasFound) return wrong(name, `${words} was taken and withdrawn, but could not be read meanwhile`, 'try again');
  const isGone = await becomes(patient, asker, { order, status: 'canceled' });
  if (!isGone) return wrong(name, `${words} was withdrawn, and still reads as resting`, LOOK_YOURSELF);
  return fine(name, `${words} was taken, found, withdrawn, and is gone`);
}

interface Placed {
  readonly command: PlaceCommand;
  readonly events: readonly EngineEvent[];
}

/** The first of some trials whose quantity the market takes; each under a name of its own. */
async function place(patient: Patient, asker: Asker, trials: readonly Trial[]): Promise<Placed> {
  let placed: Placed | null = null;
  for (const trial of trials) {
    const command = smallest(patient, asker, trial);
    placed = { command, events: await told(patient, asker, command) };
    if (!placed.events.some((event) => event.kind === 'order-rejected' && event.code === TOO_SMALL)) return placed;
  }
  return must(placed, 'a trial');
}

const TOO_SMALL = 'invalid_order_size';
const TURNS_MAX = 5;
const RATE_PAUSE_MS = 1100;

/** What comes of a command, which is sent again when the venue refused it for nothing but its rate. */
async function told(patient: Patient, asker: Asker, command: RequestCommand): Promise<EngineEvent[]> {
  let events: EngineEvent[] = [];
  for (let turn = 0; turn < TURNS_MAX; turn++) {
    events = eventsOf(patient, await asker.send(command));
    if (!events.some(({ kind }) => kind === 'rate-limited')) return events;
    await pause(patient, RATE_PAUSE_MS);
  }
  return events;
}

const LOOK_YOURSELF = 'look at the open orders on the venue’s site, or run presage cancel-all with this config';

function smallest({ tickers, now }: Patient, asker: Asker, { market, qty: size }: Trial): PlaceCommand {
  const ticker = tickerOf(market.ticker);
  const begun = asker.next();
  return {
    ...begun,
    type: 'place',
    lane: 'new',
    clientOrderId: clientOrderId(`doctor-${now().toString(36)}-${begun.id}`),
    strategy: STRATEGY,
    market: tickers.intern(ticker),
    ticker,
    side: 'buy',
    price: lowestOf(market),
    qty: size,
    timeInForce: 'gtc',
    postOnly: true,
    reduceOnly: false,
    expiresAt: null,
  };
}

const lowestOf = ({ ranges }: Wire.MarketRecord): ReturnType<typeof price> =>
  ranges === null ? cents(1) : price(priceGrid(ranges).priceByCell[0] ?? cents(1));

/** Why it could not be withdrawn; `null` when it was. */
async function cancel(
  patient: Patient,
  asker: Asker,
  { command, venueOrderId }: { readonly command: PlaceCommand; readonly venueOrderId: VenueOrderId },
): Promise<string | null> {
  const { ticker, clientOrderId: name } = command;
  let why = '';
  for (let turn = 0; turn < 3; turn++) {
    const events = await told(patient, asker, {
      ...asker.next(),
      type: 'cancel',
      lane: 'cancel',
      clientOrderId: name,
      venueOrderId,
      ticker,
    });
    if (events.some(({ kind }) => kind === 'cancel-accepted')) return null;
    why = whyNot(events);
    await pause(patient, LOOK_AGAIN_MS);
  }
  return why;
}

interface Looked {
  readonly order: { readonly venueOrderId: VenueOrderId; readonly ticker: PlaceCommand['ticker'] };
  readonly status: 'working' | 'canceled';
}

/** Whether the order reads as it should, at last. */
async function becomes(patient: Patient, asker: Asker, { order, status }: Looked): Promise<boolean> {
  for (let look = 0; look < LOOKS_MAX; look++) {
    const found = await asker.ask({ what: 'order', ...order }, patient.profile.records.order);
    if (!isRefused(found) && found.order.status === status) return true;
    await pause(patient, LOOK_AGAIN_MS);
  }
  return false;
}

function whyNot(events: readonly EngineEvent[]): string {
  for (const event of events) {
    if ('reason' in event && typeof event.reason === 'string') return event.reason;
    if ('code' in event) return event.code;
  }
  return 'no reason was given';
}

/** A refusal's code, and what its message says beyond that. */
function refusalText({ code, message }: { readonly code: string; readonly message: string }): string {
  const said = message.replaceAll(' ', '_').startsWith(code) ? message.slice(code.length) : `: ${message}`;
  return `${code}${said}`;
}

/** What helps against the venue's refusals. */
function remedyOf(code: string): string {
  if (code === 'insufficient_balance' || code === 'user_not_found' || code === 'available_balance_too_low')
    return 'move money to the shard of this market';
  if (code === 'invalid_order') return 'the lowest price is offered at: look at a market that trades higher';
  if (code === 'trading_is_paused' || code === 'exchange_is_paused') return 'wait until it trades again';
  return code.startsWith('http_403') ? 'give the key the scope to write' : 'look at the venue’s word for it';
}
