// Wraps what a strategy is given, so that a write is found: events, the view and everything read from them. A live session
// and a backtest hand out their own objects, because a copy for each call would be slow. Must never change what a strategy
// reads.
import { type AnyHandler, HANDLER_NAMES, type HandlerName, handlerOf } from '../../strategy/handler-names.ts';
import type { BoundStrategy, Intents } from '../../strategy/strategy-definition.ts';

/** Thrown at a write. */
export class InputWrite extends TypeError {
  override readonly name = 'InputWrite';
}

/** Methods that change a map, a set or an array of numbers. Those of a plain array write its members one by one. */
const CHANGING: ReadonlySet<PropertyKey> = new Set([
  'set',
  'add',
  'delete',
  'clear',
  'fill',
  'sort',
  'reverse',
  'copyWithin',
]);

type Method = (...args: unknown[]) => unknown;
const isMethod = (value: unknown): value is Method => typeof value === 'function';

/** Wraps objects of one run. */
export class ReadOnlyInputs {
  /** The wrapper of each object, so that an object stays equal to itself. Entries go with their objects. */
  readonly #wrappers = new WeakMap<object, object>();
  /** The object in each wrapper. Entries go with their wrappers. */
  readonly #wrapped = new WeakMap<object, object>();
  readonly #onWrite: (write: InputWrite) => void;

  constructor(onWrite: (write: InputWrite) => void) {
    this.#onWrite = onWrite;
  }

  /** Returns the value, or its wrapper when it has members. `path` names it in the report of a write. */
  wrap<T>(value: T, path: string): T {
    if (typeof value !== 'object' || value === null || this.#wrapped.has(value)) return value;
    const known = this.#wrappers.get(value);
    const wrapper = known ?? new Proxy(value, this.#trapsOf(path));
    this.#wrappers.set(value, wrapper);
    this.#wrapped.set(wrapper, value);
    // tidy: as — the wrapper has the members of the value.
    return wrapper as T;
  }

  /** Returns the object in a wrapper; any other value as it is. */
  unwrap<T>(value: T): T {
    const object = typeof value === 'object' && value !== null ? this.#wrapped.get(value) : undefined;
    // tidy: as — the wrapper has the members of its object.
    return object === undefined ? value : (object as T);
  }

  #trapsOf(path: string): ProxyHandler<object> {
    const refuse = (key: PropertyKey): never => this.#refuse(`${path}.${String(key)}`);
    return {
      get: (target, key) => this.#read(target, key, path),
      set: (_, key) => refuse(key),
      defineProperty: (_, key) => refuse(key),
      deleteProperty: (_, key) => refuse(key),
      setPrototypeOf: () => this.#refuse(path),
      preventExtensions: () => this.#refuse(path),
    };
  }

  #refuse(path: string): never {
    const write = new InputWrite(`${path} is written to`);
    this.#onWrite(write);
    throw write;
  }

  #read(target: object, key: PropertyKey, path: string): unknown {
    const value: unknown = Reflect.get(target, key, target);
    // A proxy must return a member that can never change as it is.
    const member = Reflect.getOwnPropertyDescriptor(target, key);
    if (member?.configurable === false && member.writable === false) return value;
    const place = `${path}.${String(key)}`;
    if (!isMethod(value)) return this.wrap(value, place);
    // Methods of plain objects and arrays read their members through the wrapper.
    if (isPlain(target)) return value;
    if (CHANGING.has(key) && isCollection(target)) return () => this.#refuse(path);
    return this.#methodOf(target, value, `${place}()`);
  }

  /** A method of a class works on the object itself, which has its private members. What it hands out is wrapped. */
  #methodOf(target: object, method: Method, path: string): Method {
    return (...args) => {
      const own = args.map((arg) => (isMethod(arg) ? this.#callbackOf(arg, path) : this.unwrap(arg)));
      return this.wrap(Reflect.apply(method, target, own), path);
    };
  }

  #callbackOf(callback: Method, path: string): Method {
    return (...args) => this.unwrap(callback(...args.map((arg) => this.wrap(arg, path))));
  }
}

function isPlain(target: object): boolean {
  if (Array.isArray(target)) return true;
  const prototype: unknown = Object.getPrototypeOf(target);
  return prototype === Object.prototype || prototype === null;
}

const isCollection = (target: object): boolean =>
  target instanceof Map || target instanceof Set || ArrayBuffer.isView(target);

/** Returns a strategy whose handlers are given wrappers. Its answers have none. */
export function withReadOnlyInputs(bound: BoundStrategy, inputs: ReadOnlyInputs): BoundStrategy {
  const handlers: Partial<Record<HandlerName, AnyHandler>> = {};
  for (const name of HANDLER_NAMES) {
    const handler = handlerOf(bound.handlers, name);
    if (handler === undefined) continue;
    handlers[name] = (event, view) =>
      unwrapped(inputs, handler(inputs.wrap(event, `the event of ${name}`), inputs.wrap(view, 'view')));
  }
  return { ...bound, handlers };
}

function unwrapped(inputs: ReadOnlyInputs, answer: Intents): Intents {
  const list = inputs.unwrap(answer);
  return Array.isArray(list) ? list.map((intent) => inputs.unwrap(intent)) : list;
}
