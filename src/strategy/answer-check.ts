// Checks that the engine can carry out a strategy's answer: a strategy in JavaScript has no compiler to check it. Risk
// decides later whether an intent is allowed, and denies figures that are wrong. Must never let through an answer that
// would break the engine. This code runs for every answer, so an answer without a fault allocates nothing.
import { didYouMean } from '../base/near-name.ts';
import type { Intent } from '../domain/intent.ts';
import { PAYOUT } from '../domain/units.ts';
import { describeThrown } from './fault-place.ts';
import { takePromise, takePromises } from './refused-promise.ts';
import type { Intents } from './strategy-definition.ts';

const OPENING = 'it answered with ';

/** True for the reason of a halt by an invalid answer. */
export const isAnswerFault = (reason: string): boolean => reason.startsWith(OPENING);

/**
 * Describes why the engine cannot carry out an answer; `null` when it can.
 * @param marketCount one more than the greatest number of a market.
 */
export function answerFault(answer: NonNullable<Intents>, marketCount: number): string | null {
  try {
    const fault = firstFault(answer, marketCount);
    if (fault === null) return null;
    takePromises(answer);
    return `${OPENING}${fault}`;
  } catch (thrown) {
    // A proxy, or a member that a strategy computes, may throw.
    return `${OPENING}a value that cannot be read: ${describeThrown(thrown)}`;
  }
}

function firstFault(answer: NonNullable<Intents>, marketCount: number): string | null {
  if (!Array.isArray(answer)) return `${textOf(answer)}, which is not a list of intents`;
  for (const intent of answer) {
    const fault = intentFault(intent, marketCount);
    if (fault !== null) return fault;
  }
  return null;
}

type FaultFinder = (intent: Members, marketCount: number) => string | null;
type Members = Readonly<Record<string, unknown>>;

const FAULTS: { readonly [Type in Intent['type']]: FaultFinder } = {
  quote: ({ market, bid, ask, priceTolerance, qtyTolerance, reason }, marketCount) =>
    numberFault('quote', 'market', market) ??
    levelFault('bid', bid) ??
    levelFault('ask', ask) ??
    // Risk denies an order in an unknown market. A quote without any order has to be refused here.
    (bid === null && ask === null ? marketFault('quote', market, marketCount) : null) ??
    toleranceFault('priceTolerance', priceTolerance) ??
    toleranceFault('qtyTolerance', qtyTolerance) ??
    textFault('quote', 'reason', reason),
  place: (intent) => termsFault(intent) ?? optionsFault(intent),
  cancel: ({ clientOrderId, reason }) =>
    textFault('cancel', 'clientOrderId', clientOrderId) ?? textFault('cancel', 'reason', reason),
  decrease: ({ clientOrderId, leavesQty, reason }) =>
    textFault('decrease', 'clientOrderId', clientOrderId) ??
    numberFault('decrease', 'leavesQty', leavesQty) ??
    textFault('decrease', 'reason', reason),
  'cancel-all': ({ market, reason }, marketCount) =>
    (market === undefined ? null : marketFault('cancel-all', market, marketCount)) ??
    textFault('cancel-all', 'reason', reason),
  timer: ({ name, at }) =>
    typeof name === 'string' ? timeFault('timer', 'at', at) : misfit('timer', 'name', [name, 'a text']),
  forecast: ({ market, probability, reason }, marketCount) =>
    marketFault('forecast', market, marketCount) ??
    probabilityFault(probability) ??
    textFault('forecast', 'reason', reason),
};

function intentFault(intent: unknown, marketCount: number): string | null {
  if (!isObject(intent)) return `an intent that is ${textOf(intent)}`;
  const { type } = intent;
  if (!isType(type)) return `an intent of type ${textOf(type)}`;
  return FAULTS[type](intent, marketCount) ?? misspeltFault(type, intent);
}

/** The members that an intent may leave out. A misspelt one would be passed over: a post-only order would take. */
const OPTIONAL: { readonly [Type in Intent['type']]: readonly string[] } = {
  quote: ['priceTolerance', 'qtyTolerance'],
  place: ['timeInForce', 'postOnly', 'reduceOnly', 'expiresAt', 'validUntil'],
  cancel: [],
  decrease: [],
  'cancel-all': ['market'],
  timer: [],
  forecast: [],
};

/** The members that need no look at their spelling, of all intents together. */
const KNOWN_NAMES: ReadonlySet<string> = new Set(
  Object.values(OPTIONAL)
    .flat()
    .concat('type', 'market', 'reason', 'bid', 'ask', 'side', 'price', 'qty', 'clientOrderId', 'leavesQty')
    .concat('name', 'at', 'probability'),
);

/** Finds a member that is nearly one that may be left out. Other members are the strategy's own, and are allowed. */
function misspeltFault(type: Intent['type'], intent: Members): string | null {
  for (const name in intent) {
    if (KNOWN_NAMES.has(name)) continue;
    const hint = didYouMean(name, OPTIONAL[type]);
    if (hint !== '') return `a ${type} with an unknown member ${name}${hint}`;
  }
  return null;
}

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;
const isType = (type: unknown): type is Intent['type'] => typeof type === 'string' && Object.hasOwn(FAULTS, type);
/** Risk denies a figure that is left out, and a term that is left out has a default. */
const isLeftOut = (value: unknown): value is undefined | null => value === undefined || value === null;

const termsFault = ({ market, side, price, qty }: Members): string | null =>
  numberFault('place', 'market', market) ??
  (side === 'buy' || side === 'sell' ? null : `a place whose side is ${textOf(side)}`) ??
  numberFault('place', 'price', price) ??
  numberFault('place', 'qty', qty);

const optionsFault = ({ timeInForce, postOnly, reduceOnly, expiresAt, validUntil, reason }: Members): string | null =>
  textFault('place', 'timeInForce', timeInForce) ??
  flagFault('postOnly', postOnly) ??
  flagFault('reduceOnly', reduceOnly) ??
  (isLeftOut(expiresAt) ? null : timeFault('place', 'expiresAt', expiresAt)) ??
  (validUntil === undefined ? null : timeFault('place', 'validUntil', validUntil)) ??
  textFault('place', 'reason', reason);

function levelFault(name: 'bid' | 'ask', level: unknown): string | null {
  if (level === null) return null;
  if (!isObject(level)) return misfit('quote', name, [level, 'null or a price and a qty']);
  const { price, qty } = level;
  if (price === undefined && takePromise(level)) return misfit('quote', name, [level, 'null or a price and a qty']);
  return numberFault('quote', 'price', price) ?? numberFault('quote', 'qty', qty);
}

const numberFault = (type: Intent['type'], name: string, value: unknown): string | null =>
  typeof value === 'number' || isLeftOut(value) ? null : misfit(type, name, [value, 'a number']);

const textFault = (type: Intent['type'], name: string, value: unknown): string | null =>
  typeof value === 'string' || isLeftOut(value) ? null : misfit(type, name, [value, 'a text']);

const flagFault = (name: string, value: unknown): string | null =>
  typeof value === 'boolean' || isLeftOut(value) ? null : misfit('place', name, [value, 'true or false']);

const toleranceFault = (name: string, value: unknown): string | null =>
  isLeftOut(value) || (typeof value === 'number' && !Number.isNaN(value))
    ? null
    : misfit('quote', name, [value, 'a number']);

const timeFault = (type: 'place' | 'timer', name: string, value: unknown): string | null =>
  Number.isSafeInteger(value) ? null : misfit(type, name, [value, 'a time in whole microseconds']);

const probabilityFault = (value: unknown): string | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= PAYOUT
    ? null
    : misfit('forecast', 'probability', [value, `a whole number from 0 to ${PAYOUT}`]);

const marketFault = (type: Intent['type'], value: unknown, marketCount: number): string | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < marketCount
    ? null
    : misfit(type, 'market', [value, 'the number of a market']);

const misfit = (type: Intent['type'], name: string, [found, expected]: readonly [unknown, string]): string =>
  `a ${type} whose ${name} is ${textOf(found)}, not ${expected}`;

function textOf(value: unknown): string {
  if (takePromise(value)) return 'a promise (a handler must not be async)';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}
