// Replays the tape of a live session through the backtester, and compares both runs. Must never change the tape, nor
// ignore a difference.
import { Backtest } from '../../../backtest/backtest-run.ts';
import { type ParityReport, compareRuns } from '../../../backtest/parity/run-comparison.ts';
import { type RunTrace, RunTracer } from '../../../backtest/parity/run-trace.ts';
import { tapeWithoutOwn } from '../../../backtest/parity/tape-without-own.ts';
import { must } from '../../base/assert.ts';
import {
  type SimulationConfig,
  readSimulation,
  simulationOfManifest,
  simulationSchema,
} from '../../config/simulation-config.ts';
import type { Halt } from '../../domain/operator-order.ts';
import { EPOCH, type Micros, type Money, NO_MONEY } from '../../domain/units.ts';
import type { Engine } from '../../engine.ts';
import { countedNoun } from '../../report/text/figure-text.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import { isoMicros } from '../../tape/format/iso-time.ts';
import { setupFromManifest } from '../../runtime/replay/session-manifest.ts';
import { replayTape } from '../../runtime/replay/tape-replay.ts';
import { sessionBatchMax, engineOptions } from '../../runtime/session/engine-setup.ts';
import type { RowSource } from '../../tape/baked/tape-rows.ts';
import type { Manifest } from '../../tape/format/segment-header.ts';
import { headersFromEnd } from '../../tape/journal/session-headers.ts';
import type { Storage } from '../../tape/journal/storage.ts';
import { roundTrips } from '../../tape/tools/round-trips.ts';
import type { LatencySamples } from '../../venues/simulated/models/latency-models.ts';
import { scopeText } from '../operate/halt-text.ts';
import { type RecordedStrategiesOptions, recordedStrategies } from '../strategy/recorded-strategies.ts';
import { openTapeAt, tapeAt } from '../tape-place.ts';
import { UsageError } from '../usage-error.ts';
import { halfRoundTrips, latencySamples, slowOrderDelay } from './latency-samples.ts';

/** Options of a comparison. */
export interface ParityOptions extends RecordedStrategiesOptions {
  /** @default the last session on the tape. */
  readonly session?: string | undefined;
  /**
   * YAML file of the simulated venue's models. Default: those of a paper session, which its journal holds; for a live
   * session, delays from its journal and the defaults.
   */
  readonly simulation?: string | undefined;
  /** Maximum time between the same decision in both runs, milliseconds. @default 2000 */
  readonly windowMs?: number | undefined;
  readonly seed: number;
  /** @default `openTapeAt`. */
  readonly openTape?: (place: string) => RowSource;
}

/** The comparison, and notes on its assumptions. */
export interface ParityResult {
  readonly report: ParityReport;
  readonly notes: readonly string[];
}

const WINDOW_MS = 2000;

/** `isOutside`: its cause is not in the session, so that the backtest does not have it. */
interface SessionHalt {
  readonly halt: Halt;
  readonly isOutside: boolean;
}

interface LiveRun {
  readonly session: string;
  readonly trace: RunTrace;
  readonly manifest: Manifest;
  readonly from: Micros;
  readonly to: Micros;
  readonly cash: Money;
  readonly openingTickers: ReadonlySet<string>;
  readonly halts: readonly SessionHalt[];
  /** Time from which a replay of the journal differs: the session is compared up to then. */
  readonly codeDiffersAt: Micros | null;
}

/**
 * Compares a session with its replay in the backtester.
 * @param place the folder of the session's tape.
 * @throws {UsageError} when the session is unknown, cannot be replayed, or never traded.
 * @throws {TapeFault} when the tape is damaged.
 */
export async function runParity(place: string, options: ParityOptions): Promise<ParityResult> {
  const found = tapeAt(place);
  if (found.type === 'baked')
    throw new UsageError(`${place}: expected the folder of a session, found a baked tape, which has no orders`);
  const { storage, path: folder } = found;
  const live = await replayJournal(storage, folder, options);
  const { simulation: models } = live.manifest;
  const ownModels = models === undefined ? null : simulationOfManifest(models, folder);
  const { simulation, samples, notes } = simulationOf({ storage, ownModels, session: live.session }, options);
  const { report, simulatedHalts } = await compareWithBacktest(live, { place, folder, simulation, samples, options });
  const isOnOtherModels = live.manifest.isPaper === true && options.simulation === undefined && ownModels === null;
  return { report, notes: [...notesOn({ ...live, simulatedHalts, isOnOtherModels }), ...notes] };
}

async function replayJournal(storage: Storage, folder: string, options: ParityOptions): Promise<LiveRun> {
  const session = options.session ?? lastSession(storage, folder);
  let manifest: Manifest | null = null;
  const observer = new ReplayObserver();
  const report = await replayTape({
    storage,
    session,
    strategies: (found) => recordedStrategies((manifest = found), folder, options),
    observe: (notice, engine) => observer.onNotice(notice, engine),
    beforeEvent: (at) => observer.onTime(at),
  });
  const [replay] = report.sessions;
  if (!replay) throw new UsageError(`--session: expected one of the tape’s, found ${JSON.stringify(session)}`);
  if (replay.leftOut !== null) throw new UsageError(`session ${session} cannot be replayed: ${replay.leftOut}`);
  const codeDiffersAt = replay.difference === null ? null : observer.lastAt;
  refuseUntraded(session, observer, codeDiffersAt);
  return {
    session,
    trace: traceBefore(observer.runTrace(), codeDiffersAt ?? Infinity),
    manifest: must<Manifest>(manifest, 'the session’s manifest'),
    from: replay.from,
    to: observer.tradesTo,
    cash: observer.cash,
    openingTickers: observer.openingTickers,
    halts: observer.halts,
    codeDiffersAt,
  };
}

/** @throws {UsageError} when the replay never came to trade. */
function refuseUntraded(session: string, { hasTraded }: ReplayObserver, codeDiffersAt: Micros | null): void {
  if (hasTraded) return;
  if (codeDiffersAt === null) throw new UsageError(`session ${session} never traded: there is nothing to compare`);
  throw new UsageError(
    `session ${session} cannot be compared: its journal replays differently from ${isoMicros(codeDiffersAt)} on, before it traded; \`presage journal replay\` shows how`,
  );
}

/** The replay has ended with the first difference: orders from then on are those of the changed code. */
const traceBefore = (trace: RunTrace, to: number): RunTrace => ({
  ...trace,
  orders: trace.orders.filter(({ createdAt }) => createdAt < to),
});

function lastSession(storage: Storage, folder: string): string {
  let isRecording = false;
  for (const { of, session } of headersFromEnd(storage))
    if (of === 'journal') return session;
    else isRecording = true;
  throw new UsageError(
    `${folder}: expected a session with orders, found ${isRecording ? 'a recording of the feed alone' : 'none'}`,
  );
}

/** Observes the replay of a session: its decisions, and its account when trading began. */
class ReplayObserver {
  #tracer: RunTracer | null = null;
  cash: Money = NO_MONEY;
  openingTickers: ReadonlySet<string> = new Set();
  readonly halts: SessionHalt[] = [];
  hasTraded = false;
  /** Time of the last event. */
  lastAt: Micros = EPOCH;
  #stopsAt: Micros | null = null;

  onTime(at: Micros): void {
    if (at > this.lastAt) this.lastAt = at;
  }

  /** The time at which the session began to stop, or ended without a stop, as in a crash. */
  get tradesTo(): Micros {
    return this.#stopsAt ?? this.lastAt;
  }

  onNotice(notice: Notice, { state }: Engine): void {
    this.#tracer ??= new RunTracer(state.tickers);
    this.#tracer.onNotice(notice, state.now);
    if (notice.type === 'phase' && notice.phase === 'stopping') this.#stopsAt ??= state.now;
    if (notice.type === 'halt') {
      const { halt, isCarried } = notice;
      this.halts.push({ halt, isOutside: isCarried || isFromOutside(halt) });
    }
    if (notice.type !== 'phase' || notice.phase !== 'trading' || this.hasTraded) return;
    this.hasTraded = true;
    this.cash = state.portfolio.cash;
    const held = [...state.portfolio.positions()].filter(([, { qty }]) => qty !== 0);
    this.openingTickers = new Set(held.map(([market]) => state.tickers.tickerOf(market)));
  }

  runTrace(): RunTrace {
    return must(this.#tracer, 'a session that did something').runTrace();
  }
}

/** A halt by risk or a fault has its cause in the session: the backtest may come to it, too. */
const isFromOutside = ({ by }: Halt): boolean => by === 'operator' || by === 'watchdog';

const haltNote = ({ scope, by, since, reason }: Halt): string =>
  `a halt of ${scopeText(scope)} by ${by}, of ${isoMicros(since)} (${reason})`;

/** Returns the notes on a session's replay. */
export function notesOn({
  openingTickers,
  halts,
  simulatedHalts,
  codeDiffersAt,
  isOnOtherModels,
}: Pick<LiveRun, 'openingTickers' | 'halts' | 'codeDiffersAt'> & {
  readonly simulatedHalts: readonly Halt[];
  /** True when the session was simulated, by models that are not known. */
  readonly isOnOtherModels: boolean;
}): string[] {
  const notes = [
    ...halts.map(
      ({ halt, isOutside }) => `the session had ${haltNote(halt)}${isOutside ? '; the backtest trades on' : ''}`,
    ),
    ...simulatedHalts.map((halt) => `the backtest had ${haltNote(halt)}`),
  ];
  if (openingTickers.size > 0)
    notes.push(
      `the session began with positions in ${countedNoun(openingTickers.size, 'market')}; the backtest begins with none`,
    );
  if (isOnOtherModels)
    notes.push(
      'the session was on paper, and its journal, of an earlier version, does not hold its models: the backtest has the defaults; --simulation gives those of the session',
    );
  if (codeDiffersAt !== null)
    notes.push(
      `the journal itself replays differently from ${isoMicros(codeDiffersAt)} on: the code has changed, and only what came before is compared`,
    );
  return notes;
}

interface Simulation {
  readonly simulation: SimulationConfig;
  readonly samples: LatencySamples;
}

interface Comparison extends Simulation {
  readonly place: string;
  readonly folder: string;
  readonly options: ParityOptions;
}

interface ComparedRuns {
  readonly report: ParityReport;
  readonly simulatedHalts: readonly Halt[];
}

async function compareWithBacktest(live: LiveRun, comparison: Comparison): Promise<ComparedRuns> {
  const { place, folder, simulation, samples, options } = comparison;
  const { config, venue } = setupFromManifest(live.manifest, folder);
  const strategies = await recordedStrategies(live.manifest, folder, options);
  const source = (options.openTape ?? openTapeAt)(place);
  let tracer: RunTracer | null = null;
  try {
    const backtest: Backtest = new Backtest({
      source: live.manifest.isPaper
        ? source
        : tapeWithoutOwn(source, { ...live.trace, takenLater: slowOrderDelay(simulation.latency.order, samples) }),
      engine: ({ observe, ...parts }) => {
        tracer = new RunTracer(parts.tickers);
        const made = engineOptions({ config, venue: parts, strategies, hasKey: true, observe });
        return { ...made, groupsMayBeMissing: true };
      },
      capabilities: venue.capabilities,
      batchMax: sessionBatchMax(config, venue.capabilities),
      simulation,
      samples,
      cash: live.cash,
      seed: options.seed,
      from: live.from,
      to: live.to,
      stopWithin: config.orders.stopWithin,
      observe: (notice) => tracer?.onNotice(notice, backtest.driver.engine.state.now),
    });
    await backtest.runToEnd();
  } finally {
    source.close();
  }
  const simulated = must<RunTracer>(tracer, 'a tracer').runTrace();
  const { gaps } = source.facts;
  const windowMicros = (options.windowMs ?? WINDOW_MS) * 1000;
  const { trace, codeDiffersAt, openingTickers } = live;
  const report = compareRuns({ live: trace, simulated, windowMicros, gaps, codeDiffersAt, openingTickers });
  return { report, simulatedHalts: simulated.halts.map(({ halt }) => halt) };
}

/** The session, and the models that its journal holds. */
interface ModelSources {
  readonly storage: Storage;
  readonly ownModels: SimulationConfig | null;
  readonly session: string;
}

/**
 * Returns the models of the file; without a file those of the paper session; for a live session the defaults, with delays
 * from its own round trips.
 */
function simulationOf(
  { storage, ownModels, session }: ModelSources,
  { simulation: file }: ParityOptions,
): Simulation & { readonly notes: readonly string[] } {
  const known = file === undefined ? ownModels : readSimulation(file);
  if (known !== null) {
    const place = file === undefined ? 'paper.simulation.latency of the session' : undefined;
    return { simulation: known, samples: latencySamples(known, place), notes: [] };
  }
  const samples = halfRoundTrips(roundTrips(storage, session));
  if ((samples.order ?? []).length === 0) return { simulation: simulationSchema.parse({}), samples: {}, notes: [] };
  const fromJournal = { model: 'journal', folder: '.' } as const;
  const simulation = simulationSchema.parse({ latency: { order: fromJournal, answer: fromJournal } });
  const note = 'an order’s delay is taken as half of a round trip of the session: a journal holds round trips only';
  return { simulation, samples, notes: [note] };
}
