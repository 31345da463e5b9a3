// Opens an exchange: replays its log, lists what the config names, and lets its flow run on real timers.
// Must never list anew what the log already knows.
import type { ExchangeConfig } from '../config/exchange-config.ts';
import { EPOCH, type Micros, micros } from '../domain/units.ts';
import type { Exchange } from './exchange.ts';
import { Churn } from './flow/churn.ts';
import { Flow } from './flow/flow.ts';
import type { Op } from './input.ts';
import { listingOps } from './listing.ts';
import { createExchange, restoreExchange } from './machine.ts';
import type { StepResult } from './output.ts';
import { Past } from './past.ts';
import { type Clock, ExchangeSession } from './session.ts';
import { type OpenedStore, forgetfulStore, openStore } from './store.ts';

/** The machine's own clock. */
export const systemClock: Clock = () => micros(Date.now() * 1000);

/** Durations are microseconds too; none is zero of them. */
const NO_LAG = EPOCH;

/** What an exchange may be opened with besides its config. */
export interface OpenOptions {
  readonly clock?: Clock;
  /** In place of the config's data folder. */
  readonly store?: OpenedStore;
  /** How long ago reads may be answered as of, in microseconds, if longer than the config's; zero keeps no past. */
  readonly lagMax?: Micros;
}

/** The config's data folder, or a store that forgets. */
function storeOf({ seed, dataFolder, syncsLog }: ExchangeConfig, now: Micros): OpenedStore {
  const salt = saltOf(seed, now);
  return dataFolder === undefined ? forgetfulStore(salt) : openStore(dataFolder, salt, { syncs: syncsLog });
}

/**
 * Opens the exchange of a config: with a data folder as it was left, else anew.
 * @throws {StoreError} when its log cannot be read or written.
 */
export function openExchange(config: ExchangeConfig, options: OpenOptions = {}): ExchangeSession {
  const { clock = systemClock } = options;
  const now = clock();
  const store = options.store ?? storeOf(config, now);
  const { exchange, past } = replayed(store, micros(Math.max(options.lagMax ?? NO_LAG, config.readLag)));
  const session = new ExchangeSession({ exchange, store, clock, past });
  for (const op of listingOps(config, exchange, now)) {
    const { answer } = session.submit(op);
    if (answer.type === 'refused') {
      session.close();
      throw new ListingError(op.type, answer.refusal.details ?? answer.refusal.code);
    }
  }
  // What is to open now is open when the first request comes.
  session.submit({ type: 'tick' });
  // Nobody could read it before it was open: no read is of before.
  past?.asOf(session.exchange.now);
  return session;
}

/** The exchange that a store remembers, and a copy of it that lags, where one is to. */
function replayed(store: OpenedStore, lagMax: Micros): { readonly exchange: Exchange; readonly past: Past | null } {
  const pastOf = (copy: Exchange): Past | null => (lagMax > 0 ? new Past(copy, lagMax) : null);
  const { salt } = store;
  let exchange = createExchange(salt);
  let past = pastOf(createExchange(salt));
  store.replay({
    restore(image) {
      exchange = restoreExchange(salt, image);
      past = lagMax > 0 ? pastOf(restoreExchange(salt, image)) : null;
    },
    take(input) {
      exchange.step(input);
      past?.take(input);
    },
  });
  return { exchange, past };
}

/** The exchange would not list something that the config names. */
export class ListingError extends Error {
  override readonly name = 'ListingError';

  constructor(what: string, why: string) {
    super(`the exchange refused ${what}: ${why}`);
  }
}

/** Ids differ from start to start, and from seed to seed. */
export const saltOf = (seed: number, now: Micros): number =>
  (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ (now / 1000)) >>> 0;

/** Sets a timer; the function returned unsets it. */
export type SetTimer = (delayMs: number, run: () => void) => () => void;

/** The longest that the machine's timers can wait; beyond it they fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

function timerOf(keepsAlive: boolean): SetTimer {
  return (delayMs, run) => {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      const partMs = Math.min(leftMs, TIMER_MS_MAX);
      timer = setTimeout(() => (leftMs > partMs ? wait(leftMs - partMs) : run()), partMs);
      if (!keepsAlive) timer.unref();
    };
    wait(delayMs);
    return () => clearTimeout(timer);
  };
}

/** The machine's own timers. */
export const systemTimer: SetTimer = timerOf(true);
/** The same, for what nobody waits for: they do not keep the process alive. */
export const idleTimer: SetTimer = timerOf(false);

/** No sleep is longer, so that what was asked meanwhile and comes due sooner is not missed. */
const SLEEP_MAX_MS = 50;

/** A flow that runs, and the exchange's own timers with it. */
export interface RunningFlow {
  /** Nothing acts after this. */
  stop(): void;
}

/** Whatever acts by itself: when next, and then. */
interface Actor {
  nextAt(): Micros | null;
  advance(now: Micros): void;
  /** Hears every step of the exchange. Must not submit. */
  hear?(result: StepResult): void;
}

/** What the flow of an exchange is made of. */
export type FlowParts = Pick<ExchangeConfig, 'seed' | 'flow' | 'markets' | 'churn' | 'forgetsAfter' | 'maintenance'>;

/** The agents, and the markets that come and go. */
function actorsOf(
  session: ExchangeSession,
  { seed, flow: config, markets, churn: rules, forgetsAfter, maintenance }: FlowParts,
): Actor[] {
  const { exchange } = session;
  const submit = (op: Op): StepResult => session.submit(op);
  const churn: Churn = new Churn({
    seed,
    rules,
    exchange,
    submit,
    onListed: (listed) => flow.add(listed, session.now()),
  });
  const configured = markets.flatMap(({ ticker, probability }) =>
    probability === undefined ? [] : [{ ticker, probability }],
  );
  const flow = new Flow(
    { seed, config, markets: [...configured, ...churn.standing()], exchange, submit },
    session.now(),
  );
  return [
    churn,
    flow,
    ...(forgetsAfter === undefined ? [] : [forgetter(session, forgetsAfter)]),
    ...(maintenance.length === 0 ? [] : [caretaker(session, maintenance)]),
  ];
}

/** Forgets what was paid out long enough ago, looking twice in that time. */
function forgetter(session: ExchangeSession, after: Micros): Actor {
  let at: Micros = session.now();
  return {
    nextAt: () => at,
    advance(now) {
      if (now < at) return;
      at = micros(now + Math.ceil(after / 2));
      session.submit({ type: 'forget', settledBefore: micros(Math.max(0, now - after)) });
    },
  };
}

/** Stops trading during maintenance. What rests stays, unless it was to be withdrawn on a pause. */
function caretaker(session: ExchangeSession, windows: FlowParts['maintenance']): Actor {
  const { exchange } = session;
  const moments = windows.flatMap(({ from, until }) => [from, until]).sort((a, b) => a - b);
  const setTrading = (isTrading: boolean) => session.submit({ type: 'set-exchange', isActive: true, isTrading });
  let at: Micros = session.now();
  // What was stopped before the exchange came back was stopped for this.
  let isOurs = !exchange.isTrading;
  return {
    nextAt: () => moments.find((moment) => moment > at) ?? null,
    advance(now) {
      at = now;
      const isDue = windows.some(({ from, until }) => from <= now && now < until);
      if (!exchange.isActive || isDue !== exchange.isTrading) return;
      if (isDue) setTrading(false);
      else if (isOurs) setTrading(true);
      isOurs = isDue;
    },
  };
}

/** Lets time pass for an exchange: openings, closes, expiries, settlements, churn, and the agents of its flow. */
export function startFlow(session: ExchangeSession, config: FlowParts, setTimer: SetTimer = systemTimer): RunningFlow {
  const { exchange } = session;
  const actors = actorsOf(session, config);
  const deafen = session.listen((result) => {
    for (const actor of actors) actor.hear?.(result);
  });
  let unset = (): void => undefined;
  const run = (): void => {
    try {
      act();
    } catch (error) {
      // Those who wait for it have been told; a timer has nobody to throw at.
      if (session.failure === null) throw error;
    }
  };
  const act = (): void => {
    const now = session.now();
    const due = exchange.nextDue();
    if (due !== null && due <= now) session.submit({ type: 'tick' });
    for (const actor of actors) actor.advance(now);
    const next = Math.min(exchange.nextDue() ?? Infinity, ...actors.map((actor) => actor.nextAt() ?? Infinity));
    unset = setTimer(Math.min(SLEEP_MAX_MS, Math.max(1, Math.ceil((next - session.now()) / 1000))), run);
  };
  run();
  return {
    stop: () => {
      deafen();
      unset();
    },
  };
}
