// Opens an exchange: replays its input log, lists what the config names, and runs its flow on real timers. Must never
// list again what the log already holds.
import type { ExchangeConfig } from '../../config/exchange-config.ts';
import { EPOCH, type Micros, micros } from '../../domain/units.ts';
import type { Exchange } from '../machine/exchange-interface.ts';
import { MarketChurn } from '../flow/market-churn.ts';
import { AgentFlow } from '../flow/agent-flow.ts';
import type { Op } from '../machine/exchange-input.ts';
import { listingOps } from '../markets/config-listing.ts';
import { createExchange, restoreExchange } from '../machine/exchange-machine.ts';
import type { StepResult } from '../machine/exchange-output.ts';
import { LaggingReplica } from '../machine/lagging-replica.ts';
import { type Clock, ExchangeSession } from './exchange-session.ts';
import { type OpenedInputStore, volatileStore, openStore } from '../store/input-store.ts';

/** The system clock. */
export const systemClock: Clock = () => micros(Date.now() * 1000);

/** Zero as a duration: times and durations are both in microseconds. */
const NO_LAG = EPOCH;

/** Options of an exchange besides its config. */
export interface OpenExchangeOptions {
  readonly clock?: Clock;
  /** Replaces the store in the config's data folder. */
  readonly store?: OpenedInputStore;
  /** Longest lag of reads, in microseconds, when longer than the config's. When both are zero, there is no replica. */
  readonly lagMax?: Micros;
}

function storeOf({ seed, dataFolder, syncsLog }: ExchangeConfig, now: Micros): OpenedInputStore {
  const salt = saltOf(seed, now);
  return dataFolder === undefined ? volatileStore(salt) : openStore(dataFolder, salt, { syncs: syncsLog });
}

/**
 * Opens the exchange of a config and lists what the config names. The exchange continues where its store stopped; it
 * begins empty when the store has no inputs.
 * @throws {StoreError} when its log cannot be read or written.
 * @throws {ListingError} when the exchange refuses what the config names.
 */
export function openExchange(config: ExchangeConfig, options: OpenExchangeOptions = {}): ExchangeSession {
  const { clock = systemClock } = options;
  const now = clock();
  const store = options.store ?? storeOf(config, now);
  const { exchange, replica } = restoredExchange(store, micros(Math.max(options.lagMax ?? NO_LAG, config.readLag)));
  const session = new ExchangeSession({ exchange, store, clock, replica });
  for (const op of listingOps(config, exchange, now)) {
    const { answer } = session.submit(op);
    if (answer.type === 'refused') {
      session.close();
      throw new ListingError(op.type, answer.refusal.details ?? answer.refusal.code);
    }
  }
  // Markets that open now are open before the first request.
  session.submit({ type: 'tick' });
  // The lagging replica starts with the listed markets, not before them.
  replica?.asOf(session.exchange.now);
  return session;
}

function restoredExchange(
  store: OpenedInputStore,
  lagMax: Micros,
): { readonly exchange: Exchange; readonly replica: LaggingReplica | null } {
  const replicaOf = (copy: Exchange): LaggingReplica | null => (lagMax > 0 ? new LaggingReplica(copy, lagMax) : null);
  const { salt } = store;
  let exchange = createExchange(salt);
  let replica = replicaOf(createExchange(salt));
  store.replayInto({
    restoreImage(image) {
      exchange = restoreExchange(salt, image);
      replica = lagMax > 0 ? replicaOf(restoreExchange(salt, image)) : null;
    },
    applyInput(input) {
      exchange.step(input);
      replica?.queueInput(input);
    },
  });
  return { exchange, replica };
}

/** The error of an exchange that refuses something in the config. */
export class ListingError extends Error {
  override readonly name = 'ListingError';

  constructor(what: string, why: string) {
    super(`the exchange refused ${what}: ${why}`);
  }
}

/** Salt of a new exchange: it makes ids differ between starts and between seeds. */
export const saltOf = (seed: number, now: Micros): number =>
  (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ (now / 1000)) >>> 0;

/** Sets a timer. The returned function cancels it. */
export type SetTimer = (delayMs: number, run: () => void) => () => void;

/** Longest delay of the system's timers; a longer one fires at once. */
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

/** The system's timers. */
export const systemTimer: SetTimer = timerOf(true);
/** Timers that do not keep the process alive. */
export const idleTimer: SetTimer = timerOf(false);

/** Longest sleep. An operation submitted meanwhile may schedule a change before the planned wakeup. */
const SLEEP_MAX_MS = 50;

/** A running flow, including the exchange's scheduled changes. */
export interface RunningFlow {
  stop(): void;
}

interface Actor {
  nextAt(): Micros | null;
  advance(now: Micros): void;
  /** Called after every step of the exchange. Must not submit. */
  onStep?(result: StepResult): void;
}

/** The parts of a config that the flow needs. */
export type FlowParts = Pick<ExchangeConfig, 'seed' | 'flow' | 'markets' | 'churn' | 'forgetsAfter' | 'maintenance'>;

function actorsOf(
  session: ExchangeSession,
  { seed, flow: config, markets, churn: rules, forgetsAfter, maintenance }: FlowParts,
): Actor[] {
  const { exchange } = session;
  const submit = (op: Op): StepResult => session.submit(op);
  const churn: MarketChurn = new MarketChurn({
    seed,
    rules,
    exchange,
    submit,
    onListed: (listed) => flow.addMarkets(listed, session.now()),
  });
  const configured = markets.flatMap(({ ticker, probability }) =>
    probability === undefined ? [] : [{ ticker, probability }],
  );
  const flow = new AgentFlow(
    { seed, config, markets: [...configured, ...churn.openMarkets()], exchange, submit },
    session.now(),
  );
  return [
    churn,
    flow,
    ...(forgetsAfter === undefined ? [] : [settledRemover(session, forgetsAfter)]),
    ...(maintenance.length === 0 ? [] : [maintenanceActor(session, maintenance)]),
  ];
}

/** Removes markets that were paid out at least `after` ago. Checks once in every half of that time. */
function settledRemover(session: ExchangeSession, after: Micros): Actor {
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

function maintenanceActor(session: ExchangeSession, windows: FlowParts['maintenance']): Actor {
  const { exchange } = session;
  const boundaries = windows.flatMap(({ from, until }) => [from, until]).sort((a, b) => a - b);
  let at: Micros = session.now();
  return {
    nextAt: () => boundaries.find((boundary) => boundary > at) ?? null,
    advance(now) {
      at = now;
      const isDue = windows.some(({ from, until }) => from <= now && now < until);
      if (!exchange.isActive || isDue !== exchange.isTrading) return;
      if (isDue) session.submit({ type: 'set-exchange', isActive: true, isTrading: false, isMaintenance: true });
      else if (exchange.isMaintenance) session.submit({ type: 'set-exchange', isActive: true, isTrading: true });
    },
  };
}

/** Runs an exchange over time: its scheduled changes and its actors. */
export function startFlow(session: ExchangeSession, config: FlowParts, setTimer: SetTimer = systemTimer): RunningFlow {
  const { exchange } = session;
  const actors = actorsOf(session, config);
  const unsubscribe = session.onStep((result) => {
    for (const actor of actors) actor.onStep?.(result);
  });
  let cancelTimer = (): void => undefined;
  const run = (): void => {
    try {
      runActors();
    } catch (error) {
      // When the session has failed, its failure listeners know already; a timer has no caller to throw to.
      if (session.failure === null) throw error;
    }
  };
  const runActors = (): void => {
    const now = session.now();
    const due = exchange.nextDue();
    if (due !== null && due <= now) session.submit({ type: 'tick' });
    for (const actor of actors) actor.advance(now);
    const next = Math.min(exchange.nextDue() ?? Infinity, ...actors.map((actor) => actor.nextAt() ?? Infinity));
    cancelTimer = setTimer(Math.min(SLEEP_MAX_MS, Math.max(1, Math.ceil((next - session.now()) / 1000))), run);
  };
  run();
  return {
    stop: () => {
      unsubscribe();
      cancelTimer();
    },
  };
}
