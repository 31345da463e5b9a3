// Finds the faults of a strategy's raw intent, before any other code has seen it. Must never assume anything about the
// value, not even that it is an intent.
import { contractsText } from '../../domain/amounts.ts';
import { PAYOUT, type Qty } from '../../domain/units.ts';
import type { StrategyView } from '../../state/strategy-view.ts';
import type { Intents } from '../../strategy/strategy-definition.ts';
import type { Market } from '../../domain/market.ts';

type Members = Readonly<Record<string, unknown>>;

/** Describes the first fault of an answer, or returns `null`. */
export function faultOfAnswer(intents: Intents, before: IntentContext): string | null {
  const list: readonly unknown[] | null = Array.isArray(intents) ? intents : null;
  if (list === null) return `an answer that is not a list of intents, but ${textOf(intents)}`;
  for (const intent of list) {
    const fault = faultOf(intent, before);
    if (fault !== null) return fault;
  }
  return null;
}

/** The facts by which an answer is judged. */
export interface IntentContext {
  readonly view: StrategyView;
  /** Indexes of all markets ever announced to the strategy. */
  readonly announcedMarkets: ReadonlySet<unknown>;
  readonly qtyStep: number;
}

function faultOf(intent: unknown, before: IntentContext): string | null {
  if (!isObject(intent)) return `an intent that is ${textOf(intent)}`;
  const { type } = intent;
  const judge = typeof type === 'string' ? JUDGES.get(type) : undefined;
  if (judge === undefined) return `an intent of type ${textOf(type)}`;
  const fault = judge(intent, before) ?? reasonFault(intent);
  return fault === null ? null : `${String(type)}: ${fault}`;
}

type Judge = (intent: Members, before: IntentContext) => string | null;

const JUDGES: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ['quote', quoteFault],
  ['place', placeFault],
  ['cancel', (intent) => idFault(intent)],
  ['decrease', (intent, before) => idFault(intent) ?? amountFault('leavesQty', intent['leavesQty'], before.qtyStep)],
  ['cancel-all', (intent, before) => (intent['market'] === undefined ? null : marketFault(intent['market'], before))],
  ['timer', timerFault],
  ['forecast', forecastFault],
]);

function quoteFault(intent: Members, before: IntentContext): string | null {
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
  if (!isObject(bid) || !isObject(ask)) return null;
  return Number(bid['price']) < Number(ask['price'])
    ? null
    : `a bid of ${textOf(bid['price'])} that crosses its own ask of ${textOf(ask['price'])}`;
}

function placeFault(intent: Members, before: IntentContext): string | null {
  const { market, side, timeInForce, expiresAt, validUntil } = intent;
  if (side !== 'buy' && side !== 'sell') return `side ${textOf(side)}`;
  if (timeInForce !== undefined && !TIMES_IN_FORCE.has(timeInForce)) return `timeInForce ${textOf(timeInForce)}`;
  if (validUntil !== undefined && !Number.isSafeInteger(validUntil)) return `validUntil ${textOf(validUntil)}`;
  if (expiresAt !== undefined && !Number.isSafeInteger(expiresAt)) return `expiresAt ${textOf(expiresAt)}`;
  return marketFault(market, before) ?? levelFault('order', intent, { ...before, market });
}

const TIMES_IN_FORCE: ReadonlySet<unknown> = new Set(['gtc', 'gtd', 'ioc', 'fok']);

function levelFault(what: string, level: unknown, at: IntentContext & { readonly market: unknown }): string | null {
  if (level === null) return null;
  if (!isObject(level)) return `${what} ${textOf(level)}`;
  const market = marketOf(at.market, at.view);
  const fault = priceFault(level['price'], market) ?? amountFault('qty', level['qty'], at.qtyStep);
  if (fault !== null) return `${what} of ${fault}`;
  return level['qty'] === 0 ? `${what} of qty 0` : null;
}

/** The grid of an unknown market is not checked. */
function priceFault(price: unknown, market: Market | null): string | null {
  if (typeof price !== 'number' || !Number.isInteger(price))
    return `price ${textOf(price)}, which is not a whole number`;
  if (price <= 0 || price >= PAYOUT) return `price ${price}, which is not between 0 and ${PAYOUT}`;
  const isOnGrid = market === null || (market.grid.cellByPrice[price] ?? -1) >= 0;
  return isOnGrid ? null : `price ${price}, which is not on the market's grid`;
}

function amountFault(what: string, qty: unknown, qtyStep: number): string | null {
  if (typeof qty !== 'number' || !Number.isSafeInteger(qty))
    return `${what} ${textOf(qty)}, which is not a whole number`;
  if (qty < 0) return `${what} ${qty}, which is negative`;
  return qty % qtyStep === 0 ? null : `${what} ${qty}, not a multiple of ${contractsText(qtyStep as Qty)} contracts`;
}

function toleranceFault(what: string, intent: Members): string | null {
  const value = intent[what];
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value) && value >= 0)) return null;
  return `${what} ${textOf(value)}`;
}

function timerFault({ name, at }: Members): string | null {
  if (typeof name !== 'string') return `name ${textOf(name)}`;
  return Number.isSafeInteger(at) ? null : `at ${textOf(at)}, which is not a time`;
}

function forecastFault({ market, probability }: Members, before: IntentContext): string | null {
  if (typeof probability !== 'number' || !Number.isInteger(probability) || probability < 0 || probability > PAYOUT)
    return `probability ${textOf(probability)}, which is not a whole number from 0 to ${PAYOUT}`;
  return marketFault(market, before);
}

const idFault = ({ clientOrderId }: Members): string | null =>
  typeof clientOrderId === 'string' && clientOrderId !== '' ? null : `clientOrderId ${textOf(clientOrderId)}`;

const reasonFault = ({ reason }: Members): string | null =>
  reason === undefined || typeof reason === 'string' ? null : `reason ${textOf(reason)}`;

/** An announced market that no longer exists is left to the check `settlement`. */
const marketFault = (market: unknown, { view, announcedMarkets }: IntentContext): string | null =>
  marketOf(market, view) === null && !announcedMarkets.has(market)
    ? `market ${textOf(market)}, which does not exist`
    : null;

function marketOf(market: unknown, view: StrategyView): Market | null {
  if (typeof market !== 'number' || !Number.isInteger(market) || market < 0) return null;
  try {
    // tidy: as (a number that may be a market's index; the view throws if it is not)
    return view.market(market as Market['index']);
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;

function textOf(value: unknown): string {
  if (typeof value === 'number' || value === undefined || value === null) return String(value);
  if (isObject(value) && typeof value['then'] === 'function') return 'a promise: a handler must not be async';
  if (typeof value === 'bigint') return `${value}n`;
  return typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? typeof value).slice(0, 60);
}
