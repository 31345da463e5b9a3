// One backtest: connects a tape, the simulated venue and the engine, and replays the tape. Must never let anything
// decide but the tape, the config, the seed and recorded delays.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { type SimulationConfig, simulatedRounding } from '../src/config/simulation-config.ts';
import { must } from '../src/base/assert.ts';
import type { Command } from '../src/domain/venue-command.ts';
import { DIRECT_ROUNDING } from '../src/domain/fee-schedule.ts';
import type { TickerTable } from '../src/domain/ids.ts';
import { EPOCH, type Micros, type Money } from '../src/domain/units.ts';
import { Engine, type EngineOptions } from '../src/engine.ts';
import type { Notice, Observer } from '../src/execution/engine-notice.ts';
import { VenueMids } from '../src/report/record/venue-mids.ts';
import { RunRecorder } from '../src/report/record/run-recorder.ts';
import { RowKind, type RowSource } from '../src/tape/baked/tape-rows.ts';
import type { Capabilities } from '../src/venue.ts';
import { type LatencySamples, latencyModel } from '../src/venues/simulated/models/latency-models.ts';
import { type OpenSimulatorOptions, openSimulator } from '../src/venues/simulated/open-simulator.ts';
import type { ExplanationStep } from '../src/venues/simulated/simulator-interfaces.ts';
import type { Simulator, UnsettledPosition } from '../src/venues/simulated/simulator.ts';
import { conservationFaults } from './conservation.ts';
import { DecisionHash } from './decision-hash.ts';
import type { ReplayOptions, FeedDelay, RunObserver } from './replay-options.ts';
import { ReplayDriver } from './replay-driver.ts';
import { PermanentTickers } from '../src/venues/simulated/feed/permanent-tickers.ts';
import { takeRefusedCall, withoutWallClock } from './wall-clock-guard.ts';

/** The parts that the run provides for the engine. */
export interface BacktestEngineParts {
  readonly tickers: TickerTable;
  readonly observe: Observer;
  /** The simulated venue's capabilities: predicted and charged fees come from the same figures. */
  readonly capabilities: Capabilities;
}

/** The progress of a run. */
export interface BacktestProgress {
  readonly rows: number;
  readonly rowsAll: number;
  /** Share of the tape's time that has passed, from 0 to 1. */
  readonly share: number;
  /** Rows per second so far. */
  readonly rate: number;
  readonly etaSeconds: number;
  /** The bot's time on the tape. */
  readonly now: Micros;
}

export interface BacktestOptions {
  readonly source: RowSource;
  /** Makes the engine's options: strategies, limits and budgets as live. */
  readonly engine: (parts: BacktestEngineParts) => EngineOptions;
  /** Makes the engine from its options. Default: `new Engine`. */
  readonly makeEngine?: (options: EngineOptions) => Engine;
  /** The abilities and limits of the recorded venue. */
  readonly capabilities: Capabilities;
  /** The most orders, or cancels, that leave in one request. Default: 1. */
  readonly batchMax?: number;
  readonly simulation: SimulationConfig;
  /** Recorded delays, for models that draw delays from a journal. */
  readonly samples?: LatencySamples;
  readonly cash: Money;
  readonly seed: number;
  readonly from?: Micros;
  readonly to?: Micros;
  /** Maximum time that the session may take to stop. Microseconds. */
  readonly stopWithin: number;
  /** The results so far are kept. */
  readonly signal?: AbortSignal;
  /** Called before the first event, with a function that returns the time of the latest event. It may be called within one. */
  readonly onBegun?: (timeOf: () => Micros) => void;
  /** Called after each turn. `recorder` may be read between two events, at no fixed times. */
  readonly onProgress?: (progress: BacktestProgress, recorder: Pick<RunRecorder, 'marketSums'>) => void;
  readonly observe?: Observer;
  /** Maximum number of trades and of orders recorded one by one. Default: 20 000 of each, evenly chosen. */
  readonly rowsMax?: number;
  /** Receives every decision as the line that is hashed. */
  readonly onDecision?: (text: string, command: Command, at: Micros) => void;
  readonly observer?: Omit<RunObserver, 'onCommands' | 'score'>;
  /** Receives explanation steps of every order at the venue. It costs time. */
  readonly onExplanation?: (line: ExplanationStep) => void;
}

/** The result of a run. */
export interface BacktestRun {
  readonly isWhole: boolean;
  readonly driver: ReplayDriver;
  readonly scores: RunRecorder;
  readonly decisionHash: string;
  readonly decisions: number;
  /** Conservation faults, as sentences. There should be none. */
  readonly imbalances: readonly string[];
  /** Positions in markets that the tape does not settle. */
  readonly unsettled: readonly UnsettledPosition[];
  readonly elapsedMs: number;
}

/** Thrown when a strategy used something that a replay does not have; the run is void. */
export class PeekError extends Error {
  override readonly name = 'PeekError';
}

/** Steps between two looks at the clock. They are halved while they take longer than a turn, and else doubled up to this. */
const STEPS_MAX = 4096;
/** Approximate maximum time between two turns of the event loop, unless one event takes longer. */
const TURN_MS = 50;

/**
 * Runs a backtest.
 * @throws {PeekError} when a strategy uses the time of day, unseeded randomness, a timer or the network.
 * @throws {TapeRangeError} when the tape has nothing in the range.
 * @throws {LatencyFault} when delays cannot be drawn.
 */
export async function runBacktest(options: BacktestOptions): Promise<BacktestRun> {
  return new Backtest(options).runToEnd();
}

/** All runs with one seed give their orders the same names. */
export const sessionName = (seed: number): string => `b${seed.toString(36)}`;

export class Backtest {
  readonly driver: ReplayDriver;
  readonly #options: BacktestOptions;
  readonly scores: RunRecorder;
  readonly #mids: VenueMids;
  readonly #decisions: DecisionHash;
  readonly #strategyFaults: string[] = [];
  /** Few at first: the speed of the strategies is not known yet. */
  #steps = 1;
  #simulator: Simulator | null = null;

  constructor(options: BacktestOptions) {
    this.#options = options;
    const { source, simulation, seed } = options;
    const tickers = new PermanentTickers(source.tickers);
    const observe = (notice: Notice): void => this.#observe(notice);
    const { makeEngine = (parts: EngineOptions): Engine => new Engine(parts) } = options;
    const capabilities = capabilitiesOf(options);
    const engine = makeEngine({
      keepsStates: false,
      ...options.engine({ tickers, observe, capabilities }),
      isFeedLossless: true,
    });
    this.#mids = new VenueMids(() => must(this.#simulator, 'simulated venue'), engine.state);
    const { rowsMax } = options;
    this.scores = new RunRecorder({
      engine,
      span: spanOf(options),
      mids: this.#mids,
      ...(rowsMax !== undefined && { rowsMax }),
    });
    this.#decisions = new DecisionHash(options.onDecision);
    const random = xoroshiro128plus(seed);
    this.driver = new ReplayDriver({
      source,
      engine,
      openVenue: (sink) =>
        (this.#simulator = openVenue(options, {
          tickers,
          capabilities,
          sink,
          onRestingFill: () => {
            this.#mids.onExecution();
            this.scores.onVenueTrade();
          },
        })),
      latency: latencyModel(simulation.latency, options.samples),
      feedDelay: feedDelayOf(simulation),
      lookahead: lookaheadOf(simulation),
      draw: () => uniformFloat64(random),
      session: sessionName(seed),
      ...(options.batchMax !== undefined && { batchMax: options.batchMax }),
      stopWithin: options.stopWithin,
      observer: this.#onlooker(),
      ...rangeOf(options),
    });
  }

  #onlooker(): RunObserver {
    return {
      ...this.#options.observer,
      score: this.scores,
      onArrival: (command, at, sentAt) => {
        this.#mids.onArrival(command);
        this.#options.observer?.onArrival?.(command, at, sentAt);
      },
      onCommands: (commands, at) => {
        for (const command of commands) this.#decisions.addDecision(command, at);
      },
    };
  }

  #observe(notice: Notice): void {
    this.scores.onNotice(notice);
    this.#options.observe?.(notice);
    if (notice.type === 'halt' && notice.halt.scope.type === 'strategy' && notice.halt.by === 'fault')
      this.#strategyFaults.push(`${notice.halt.scope.strategy}: ${notice.halt.reason}`);
  }

  async runToEnd(): Promise<BacktestRun> {
    const startedAt = performance.now();
    const { signal, onBegun, onProgress } = this.#options;
    onBegun?.(() => this.driver.engine.state.now);
    // An earlier run may have left a refused call.
    takeRefusedCall();
    let isMore = true;
    while (isMore) {
      isMore = this.#runTurn();
      onProgress?.(this.#progress(startedAt), this.scores);
      if (!isMore) break;
      await nextTurn();
      if (signal?.aborted === true) this.driver.interruptRun();
    }
    return this.#result(performance.now() - startedAt);
  }

  /** Returns true when there is more to do. */
  #runTurn(): boolean {
    const until = performance.now() + TURN_MS;
    let isMore = true;
    for (let from = until - TURN_MS; isMore && from < until;) {
      isMore = withoutWallClock(() => this.driver.runSteps(this.#steps));
      const now = performance.now();
      this.#steps = now - from > TURN_MS ? Math.max(1, this.#steps >> 1) : Math.min(STEPS_MAX, this.#steps << 1);
      from = now;
    }
    this.#refusePeeking();
    return isMore;
  }

  #refusePeeking(): void {
    const refused = takeRefusedCall();
    if (refused === null) return;
    const fault = this.#strategyFaults.find((text) => text.includes(refused.name));
    throw new PeekError(fault === undefined ? `a strategy: ${refused.message}` : `strategy ${fault}`, {
      cause: refused,
    });
  }

  #progress(startedAt: number): BacktestProgress {
    const { rowsPassed, now, nextLearnedAt } = this.driver;
    const seconds = Math.max(0.001, (performance.now() - startedAt) / 1000);
    const { facts } = this.#options.source;
    const to = Math.min(this.#options.to ?? facts.to, facts.to);
    const isOver = nextLearnedAt === Number.POSITIVE_INFINITY;
    const share = isOver ? 1 : Math.min(1, Math.max(0, (nextLearnedAt - facts.from) / Math.max(1, to - facts.from)));
    const etaSeconds = share > 0 ? (seconds * (1 - share)) / share : 0;
    return { rows: rowsPassed, rowsAll: facts.rows, share, rate: rowsPassed / seconds, etaSeconds, now };
  }

  #result(elapsedMs: number): BacktestRun {
    const driver = this.driver;
    const simulator = must(this.#simulator, 'simulated venue');
    return {
      isWhole: !driver.isInterrupted,
      driver,
      scores: this.scores,
      decisionHash: this.#decisions.digest(),
      decisions: this.#decisions.count,
      imbalances: conservationFaults(driver.engine, simulator.account),
      unsettled: simulator.unsettled(),
      elapsedMs,
    };
  }
}

function capabilitiesOf({ capabilities, simulation }: BacktestOptions): Capabilities {
  const { feeRounding = [DIRECT_ROUNDING] } = capabilities;
  return { ...capabilities, feeRounding: simulatedRounding(simulation.fees, feeRounding) };
}

type Wiring = Pick<OpenSimulatorOptions, 'tickers' | 'capabilities' | 'sink' | 'onRestingFill'>;

function openVenue(options: BacktestOptions, wiring: Wiring): Simulator {
  const { simulation: config, cash: openingCash, onExplanation } = options;
  const simulator: Simulator = openSimulator({
    config,
    ...wiring,
    openingCash,
    ...(onExplanation && { onExplanation: (line) => onExplanation({ ...line, at: simulator.now }) }),
  });
  return simulator;
}

function feedDelayOf({ latency: { feed } }: SimulationConfig): FeedDelay {
  if (feed === 'recorded') return 'recorded';
  return feed.model === 'constant' ? feed.delay : 'drawn';
}

/** The time that the venue may run ahead of the bot. Drawn delays allow none: they need one fixed sequence. */
function lookaheadOf({ latency: { feed, order, answer } }: SimulationConfig): number {
  const isRandom = [feed, answer].some((leg) => leg !== 'recorded' && leg.model !== 'constant');
  return isRandom || order.model !== 'constant' ? 0 : order.delay;
}

const rangeOf = ({ source, from, to }: BacktestOptions): Pick<ReplayOptions, 'from' | 'to'> => ({
  from: Math.max(from ?? EPOCH, marketDataFrom(source)) as Micros,
  ...(to !== undefined && { to }),
});

/**
 * The time of the tape's first book or print row. A recorder first asks which markets exist. The answers were true
 * before, and the session knows them at its start.
 */
function marketDataFrom(source: RowSource): Micros {
  for (const { count, kind, at } of source.readBlocks()) {
    const row = kind.subarray(0, count).findIndex((each) => each !== RowKind.other);
    if (row >= 0) return (at[row] ?? source.facts.from) as Micros;
  }
  return source.facts.from;
}

function spanOf({ source: { facts }, from, to }: BacktestOptions): number {
  return Math.max(0, Math.min(to ?? facts.to, facts.to) - Math.max(from ?? facts.from, facts.from));
}
