// What is wrong with an intent as the strategy gave it, before anything in the house has looked at it.
// Must never take a word of it for granted: not even that it is an intent.
import { contractsText } from '../domain/amounts.ts';
import { PAYOUT, type Qty } from '../domain/units.ts';
import type { StrategyView } from '../state/view.ts';
import type { Intents } from '../strategy/strategy.ts';
import type { Market } from '../domain/market.ts';

type Members = Readonly<Record<string, unknown>>;

/** The first thing that is wrong with an answer, in words; `null` when nothing is. */
export function faultOfAnswer(intents: Intents, before: Before): string | null {
  const given: readonly unknown[] | null = Array.isArray(intents) ? intents : null;
  if (given === null) return `an answer that is no list of intents, but ${shown(intents)}`;
  for (const intent of given) {
    const fault = faultOf(intent, before);
    if (fault !== null) return fault;
  }
  return null;
}

/** What an answer is judged by. */
export interface Before {
  readonly view: StrategyView;
  /** Numbers of markets that the strategy has been told of, forgotten ones too. */
  readonly known: ReadonlySet<unknown>;
  readonly qtyStep: number;
}

function faultOf(intent: unknown, before: Before): string | null {
  if (!isMembers(intent)) return `an intent that is ${shown(intent)}`;
  const { type } = intent;
  const judge = typeof type === 'string' ? JUDGES.get(type) : undefined;
  if (judge === undefined) return `an intent of type ${shown(type)}`;
  const fault = judge(intent, before) ?? reasonFault(intent);
  return fault === null ? null : `${String(type)}: ${fault}`;
}

type Judge = (intent: Members, before: Before) => string | null;

const JUDGES: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ['quote', quoteFault],
  ['place', placeFault],
  ['cancel', (intent) => idFault(intent)],
  ['decrease', (intent, before) => idFault(intent) ?? amountFault('leavesQty', intent['leavesQty'], before.qtyStep)],
  ['cancel-all', (intent, before) => (intent['market'] === undefined ? null : marketFault(intent['market'], before))],
  ['timer', timerFault],
  ['forecast', forecastFault],
]);

function quoteFault(intent: Members, before: Before): string | null {
  const { market, bid, ask } = intent;
  return (
    marketFault(market, before) ??
    levelFault('bid', bid, { ...before, market }) ??
    levelFault('ask', ask, { ...before, market }) ??
    toleranceFault('priceTolerance', intent) ??
    toleranceFault('qtyTolerance', intent) ??
    crossedFault(bid, ask)
  );
}

function crossedFault(bid: unknown, ask: unknown): string | null {
  if (!isMembers(bid) || !isMembers(ask)) return null;
  return Number(bid['price']) < Number(ask['price'])
    ? null
    : `a bid of ${shown(bid['price'])} that crosses its own ask of ${shown(ask['price'])}`;
}

function placeFault(intent: Members, before: Before): string | null {
  const { market, side, timeInForce, expiresAt, validUntil } = intent;
  if (side !== 'buy' && side !== 'sell') return `side ${shown(side)}`;
  if (timeInForce !== undefined && !TIMES_IN_FORCE.has(timeInForce)) return `timeInForce ${shown(timeInForce)}`;
  if (validUntil !== undefined && !Number.isSafeInteger(validUntil)) return `validUntil ${shown(validUntil)}`;
  if (expiresAt !== undefined && !Number.isSafeInteger(expiresAt)) return `expiresAt ${shown(expiresAt)}`;
  return marketFault(market, before) ?? levelFault('order', intent, { ...before, market });
}

const TIMES_IN_FORCE: ReadonlySet<unknown> = new Set(['gtc', 'gtd', 'ioc', 'fok']);

function levelFault(what: string, level: unknown, at: Before & { readonly market: unknown }): string | null {
  if (level === null) return null;
  if (!isMembers(level)) return `${what} ${shown(level)}`;
  const market = marketOf(at.market, at.view);
  const fault = priceFault(level['price'], market) ?? amountFault('qty', level['qty'], at.qtyStep);
  if (fault !== null) return `${what} of ${fault}`;
  return level['qty'] === 0 ? `${what} of qty 0` : null;
}

/** The grid may change while a price is on its way, so only a price that is no price at all is the strategy's fault. */
function priceFault(price: unknown, market: Market | null): string | null {
  if (typeof price !== 'number' || !Number.isInteger(price)) return `price ${shown(price)}, which is no whole number`;
  if (price <= 0 || price >= PAYOUT) return `price ${price}, which is not between 0 and ${PAYOUT}`;
  const isOnGrid = market === null || (market.grid.cellByPrice[price] ?? -1) >= 0;
  return isOnGrid ? null : `price ${price}, which is not on the market's grid`;
}

function amountFault(what: string, qty: unknown, qtyStep: number): string | null {
  if (typeof qty !== 'number' || !Number.isSafeInteger(qty)) return `${what} ${shown(qty)}, which is no whole number`;
  if (qty < 0) return `${what} ${qty}, which is less than nothing`;
  return qty % qtyStep === 0 ? null : `${what} ${qty}, no multiple of ${contractsText(qtyStep as Qty)} contracts`;
}

function toleranceFault(what: string, intent: Members): string | null {
  const value = intent[what];
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value) && value >= 0)) return null;
  return `${what} ${shown(value)}`;
}

function timerFault({ name, at }: Members): string | null {
  if (typeof name !== 'string') return `name ${shown(name)}`;
  return Number.isSafeInteger(at) ? null : `at ${shown(at)}, which is no time`;
}

function forecastFault({ market, probability }: Members, before: Before): string | null {
  if (typeof probability !== 'number' || !Number.isInteger(probability) || probability < 0 || probability > PAYOUT)
    return `probability ${shown(probability)}, which is no whole number from 0 to ${PAYOUT}`;
  return marketFault(market, before);
}

const idFault = ({ clientOrderId }: Members): string | null =>
  typeof clientOrderId === 'string' && clientOrderId !== '' ? null : `clientOrderId ${shown(clientOrderId)}`;

const reasonFault = ({ reason }: Members): string | null =>
  reason === undefined || typeof reason === 'string' ? null : `reason ${shown(reason)}`;

/** One that was known once and is forgotten is another check's. */
const marketFault = (market: unknown, { view, known }: Before): string | null =>
  marketOf(market, view) === null && !known.has(market) ? `market ${shown(market)}, which is none` : null;

function marketOf(market: unknown, view: StrategyView): Market | null {
  if (typeof market !== 'number' || !Number.isInteger(market) || market < 0) return null;
  try {
    // tidy: as (a number that may be a market's; the view says so if it is none)
    return view.market(market as Market['index']);
  } catch {
    return null;
  }
}

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;

function shown(value: unknown): string {
  if (typeof value === 'number' || value === undefined || value === null) return String(value);
  if (isMembers(value) && typeof value['then'] === 'function') return 'a promise: a handler is no async function';
  return typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? typeof value).slice(0, 60);
}
