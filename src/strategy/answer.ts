// Whether an answer can be carried out at all: a strategy in JavaScript has no compiler to say so. What is a list of intents
// is risk's to judge. Must never let through what would break the engine, and with it all other strategies.
import type { Intent } from '../domain/intent.ts';
import type { Intents } from './strategy.ts';

/** What is wrong with an answer that no engine can carry out, in words; `null` when nothing is. */
export function answerFault(answer: NonNullable<Intents>): string | null {
  if (!Array.isArray(answer)) return `it answered with ${shown(answer)}, which is no list of intents`;
  for (const intent of answer) {
    const fault = intentFault(intent);
    if (fault !== null) return `it answered with ${fault}`;
  }
  return null;
}

type Words = { readonly [Type in Intent['type']]: (intent: Members) => string | null };
type Members = Readonly<Record<string, unknown>>;

const FAULTS: Words = {
  quote: ({ bid, ask }) => levelFault('bid', bid) ?? levelFault('ask', ask),
  place: ({ side }) => (side === 'buy' || side === 'sell' ? null : `a place whose side is ${shown(side)}`),
  cancel: () => null,
  decrease: () => null,
  'cancel-all': () => null,
  timer: () => null,
  forecast: () => null,
};

function intentFault(intent: unknown): string | null {
  if (!isMembers(intent)) return `an intent that is ${shown(intent)}`;
  const { type } = intent;
  return isType(type) ? FAULTS[type](intent) : `an intent of type ${shown(type)}`;
}

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;
const isType = (type: unknown): type is Intent['type'] => typeof type === 'string' && Object.hasOwn(FAULTS, type);

const levelFault = (name: string, level: unknown): string | null =>
  level === null || isMembers(level) ? null : `a quote whose ${name} is ${shown(level)}, not null or a price and a qty`;

function shown(value: unknown): string {
  if (isMembers(value) && typeof value['then'] === 'function') return 'a promise (a handler is no async function)';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}
