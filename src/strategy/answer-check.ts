// Checks that the engine can carry out a strategy's answer: a strategy in JavaScript has no compiler to check it. Risk
// decides later whether an intent is allowed. Must never let through an answer that would break the engine.
import type { Intent } from '../domain/intent.ts';
import { takePromise, takePromises } from './refused-promise.ts';
import type { Intents } from './strategy-definition.ts';

/** Describes why the engine cannot carry out an answer; `null` when it can. */
export function answerFault(answer: NonNullable<Intents>): string | null {
  const fault = firstFault(answer);
  if (fault !== null) takePromises(answer);
  return fault;
}

function firstFault(answer: NonNullable<Intents>): string | null {
  if (!Array.isArray(answer)) return `it answered with ${textOf(answer)}, which is not a list of intents`;
  for (const intent of answer) {
    const fault = intentFault(intent);
    if (fault !== null) return `it answered with ${fault}`;
  }
  return null;
}

type FaultFinders = { readonly [Type in Intent['type']]: (intent: Members) => string | null };
type Members = Readonly<Record<string, unknown>>;

const FAULTS: FaultFinders = {
  quote: ({ bid, ask }) => levelFault('bid', bid) ?? levelFault('ask', ask),
  place: ({ side }) => (side === 'buy' || side === 'sell' ? null : `a place whose side is ${textOf(side)}`),
  cancel: () => null,
  decrease: () => null,
  'cancel-all': () => null,
  timer: () => null,
  forecast: () => null,
};

function intentFault(intent: unknown): string | null {
  if (!isObject(intent)) return `an intent that is ${textOf(intent)}`;
  const { type } = intent;
  return isType(type) ? FAULTS[type](intent) : `an intent of type ${textOf(type)}`;
}

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;
const isType = (type: unknown): type is Intent['type'] => typeof type === 'string' && Object.hasOwn(FAULTS, type);

const levelFault = (name: string, level: unknown): string | null =>
  level === null || (isObject(level) && !takePromise(level))
    ? null
    : `a quote whose ${name} is ${textOf(level)}, not null or a price and a qty`;

function textOf(value: unknown): string {
  if (takePromise(value)) return 'a promise (a handler must not be async)';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}
