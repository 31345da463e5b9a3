// `presage parity`: a live session's own tape through the backtester, and what came out otherwise, with its cause.
// Must never change the tape, and never pass over a difference.
import { Command } from '@commander-js/extra-typings';
import { reportingTapeFaults } from './tape/tape-opening.ts';
import { printLines } from './output/print-lines.ts';
import { momentText } from '../report/text/moment-text.ts';
import { type ParityReport, compareRuns } from '../../backtest/parity/run-comparison.ts';
import { type RunTrace, RunTracer } from '../../backtest/parity/run-trace.ts';
import { tapeWithoutOwn } from '../../backtest/parity/tape-without-own.ts';
import { Backtest } from '../../backtest/backtest-run.ts';
import { type SimulationConfig, simulationSchema } from '../config/simulation-config.ts';
import { readYaml } from '../config/yaml.ts';
import { contractsText, signedDollars } from '../domain/amounts.ts';
import { must } from '../base/assert.ts';
import { type Micros, type Money, NO_MONEY, money, qty } from '../domain/units.ts';
import type { Engine } from '../engine.ts';
import type { Notice } from '../execution/engine-notice.ts';
import { type ReplaySetup, setupFromManifest } from '../runtime/replay/session-manifest.ts';
import { replayTape } from '../runtime/replay/tape-replay.ts';
import { engineOptions } from '../runtime/session/engine-setup.ts';
import type { Manifest } from '../tape/format/segment-header.ts';
import { headersFromEnd } from '../tape/journal/session-headers.ts';
import { roundTrips } from '../tape/tools/round-trips.ts';
import type { Storage } from '../tape/journal/storage.ts';
import type { LatencySamples } from '../venues/simulated/models/latency-models.ts';
import { durationArgument, seedArgument } from './arguments/argument-parsers.ts';
import { ExitCode } from './output/exit-code.ts';
import { remakeStrategies } from './journal-command.ts';
import { halfRoundTrips, latencySamples } from '../app/backtest/latency-samples.ts';
import { openTapeAt, tapeAt } from '../app/tape-place.ts';
import { UsageError } from '../app/usage-error.ts';

interface ParityOptions {
  readonly session?: string;
  readonly simulation?: string;
  readonly window?: number;
  readonly seed: number;
  readonly strategies?: string;
  readonly allowChanged?: true;
  readonly json?: true;
}

const SHOWN_MAX = 40;
const WINDOW_MS = 2000;

/** The command. */
export function parityCommand() {
  return new Command('parity')
    .description(
      'Replay a live session’s tape through the backtester, and list what came out otherwise, with its cause.',
    )
    .argument('<tape>', 'the folder of a session: <data folder>/journal, or what `run --record` wrote')
    .option('--session <name>', 'one of the tape’s sessions; the last one without it')
    .option(
      '--simulation <file>',
      'YAML with the models of the simulated venue; as slow as the journal shows without it',
    )
    .option('--window <duration>', 'how far apart the same decision may be in both; 2s unless told', durationArgument)
    .option('--seed <number>', 'for what the models draw', seedArgument, 1)
    .option('--strategies <folder>', 'look for the strategies’ files here')
    .option('--allow-changed', 'go on although a strategy’s file is not what it was')
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'after',
      `
The session’s own orders are taken out of the books that it recorded, and the simulated venue is as slow as the real one
was. Causes: latency (it arrived or left at another time), queue (what stood before it), fee, budget (held back for
rate), code (the journal itself replays otherwise), tape (a gap), follows (from an earlier difference in the same event
group), unexplained.

The agreement is twice what both traded by the same orders over the sum of what each traded: 1 is all, 0 is nothing.

Exit code: 0 every difference has a cause; 1 some have none, or the tape is damaged; 2 the command or a file is wrong.

Example:
  presage run --config config/demo.yaml --for 1m --record recordings/demo
  presage parity recordings/demo`,
    )
    .action(async (place, options) => {
      process.exitCode = await reportingTapeFaults(() => parity(place, options));
    });
}

/** The session as it was. */
interface Lived {
  readonly trace: RunTrace;
  readonly manifest: Manifest;
  readonly from: Micros;
  readonly to: Micros;
  /** What the account opened with, and in how many markets it held something. */
  readonly cash: Money;
  readonly held: number;
  readonly codeDiffersAt: number | null;
}

async function parity(place: string, options: ParityOptions): Promise<number> {
  const found = tapeAt(place);
  if (found.type === 'baked')
    throw new UsageError(`${place}: expected the folder of a session, found a baked tape, which has no orders`);
  const { storage, path } = found;
  const lived = await relive(storage, path, options);
  const notes = notesOn(lived);
  const report = await replayed(place, lived, { options, storage, folder: path, notes });
  if (options.json) printLines([JSON.stringify({ ...report, notes })]);
  else printLines(render(report, notes));
  return (report.byCause.unexplained ?? 0) > 0 ? ExitCode.session : ExitCode.ok;
}

/** Replays the journal, for what the session did. */
async function relive(storage: Storage, folder: string, options: ParityOptions): Promise<Lived> {
  const session = options.session ?? lastSession(storage, folder);
  let manifest: Manifest | null = null;
  const seen = new Witness();
  const report = await replayTape({
    storage,
    session,
    strategies: (one) => remakeStrategies((manifest = one), folder, options),
    observe: (notice, engine) => seen.take(notice, engine),
  });
  const [replay] = report.sessions;
  if (!replay) throw new UsageError(`--session: expected one of the tape’s, found ${JSON.stringify(session)}`);
  if (replay.leftOut !== null) throw new UsageError(`session ${session} cannot be replayed: ${replay.leftOut}`);
  const trace = seen.trace();
  if (!seen.hasTraded) throw new UsageError(`session ${session} never came to trade: there is nothing to compare`);
  return {
    trace,
    manifest: must<Manifest>(manifest, 'the session’s manifest'),
    from: replay.from,
    to: seen.lastAt,
    cash: seen.cash,
    held: seen.held,
    codeDiffersAt: replay.difference?.at ?? null,
  };
}

/** The tape's last session that was one, and no recording. */
function lastSession(storage: Storage, folder: string): string {
  for (const { of, session } of headersFromEnd(storage)) if (of === 'journal') return session;
  throw new UsageError(`${folder}: expected a session with orders, found a recording of the feed alone`);
}

/** Sees a session's replay. */
class Witness {
  #tracer: RunTracer | null = null;
  cash: Money = NO_MONEY;
  held = 0;
  hasTraded = false;
  lastAt = 0 as Micros;

  take(notice: Notice, { state }: Engine): void {
    this.#tracer ??= new RunTracer(state.tickers);
    this.#tracer.onNotice(notice, state.now);
    this.lastAt = state.now;
    if (notice.type !== 'phase' || notice.phase !== 'trading' || this.hasTraded) return;
    this.hasTraded = true;
    this.cash = state.portfolio.cash;
    this.held = [...state.portfolio.positions().values()].filter((position) => position.qty !== 0).length;
  }

  trace(): RunTrace {
    return must(this.#tracer, 'a session that did something').runTrace();
  }
}

function notesOn({ held, codeDiffersAt }: Lived): string[] {
  const notes: string[] = [];
  if (held > 0) notes.push(`the session began with positions in ${held} markets; the backtest begins with none`);
  if (codeDiffersAt !== null)
    notes.push(
      `the journal itself replays otherwise from ${momentText(codeDiffersAt as Micros)} on: the code has changed`,
    );
  return notes;
}

interface Replaying {
  readonly options: ParityOptions;
  readonly storage: Storage;
  readonly folder: string;
  /** What the reader should know; added to. */
  readonly notes: string[];
}

/** The same stretch by the backtester, laid beside the session. */
async function replayed(place: string, lived: Lived, replaying: Replaying): Promise<ParityReport> {
  const { options, folder } = replaying;
  const { config, venue }: ReplaySetup = setupFromManifest(lived.manifest, folder);
  const { simulation, samples } = simulationOf(replaying);
  const strategies = await remakeStrategies(lived.manifest, folder, options);
  const source = openTapeAt(place);
  let tracer: RunTracer | null = null;
  try {
    const backtest: Backtest = new Backtest({
      source: lived.manifest.isPaper
        ? source
        : tapeWithoutOwn(source, { ...lived.trace, takenLater: slowest(samples) }),
      engine: ({ observe, ...parts }) => {
        tracer = new RunTracer(parts.tickers);
        const made = engineOptions({ config, venue: parts, strategies, hasKey: true, observe });
        return { ...made, groupsMayBeMissing: true };
      },
      capabilities: venue.capabilities,
      simulation,
      samples,
      cash: lived.cash,
      seed: options.seed,
      from: lived.from,
      to: lived.to,
      stopWithin: config.orders.stopWithin,
      observe: (notice) => tracer?.onNotice(notice, backtest.driver.engine.state.now),
    });
    await backtest.runToEnd();
  } finally {
    source.close();
  }
  const simulated = must<RunTracer>(tracer, 'a tracer').runTrace();
  const { trace: live, codeDiffersAt } = lived;
  const { gaps } = source.facts;
  return compareRuns({ live, simulated, windowMicros: (options.window ?? WINDOW_MS) * 1000, gaps, codeDiffersAt });
}

const USUAL_MICROS = 50_000;

/** How long an order may be on its way, or nearly so: its 99th percentile. Microseconds. */
function slowest({ order = [] }: LatencySamples): number {
  return order[Math.floor(order.length * 0.99)] ?? USUAL_MICROS;
}

/** The models: as a file says, or as slow as the session's own venue was. */
function simulationOf({ options, storage, notes }: Replaying) {
  if (options.simulation !== undefined) {
    const simulation = readYaml(options.simulation, simulationSchema);
    return { simulation, samples: latencySamples(simulation) };
  }
  const samples = halfRoundTrips(roundTrips(storage));
  if ((samples.order ?? []).length === 0) return { simulation: simulationSchema.parse({}), samples: {} };
  notes.push('an order is taken to be half as long on its way as its answer took to come: a journal tells no more');
  const asShown = { model: 'journal', folder: '.' } as const;
  const simulation: SimulationConfig = simulationSchema.parse({ latency: { order: asShown, answer: asShown } });
  return { simulation, samples };
}

function render(
  { orders, filledQty, agreement, cash, differences, byCause }: ParityReport,
  notes: readonly string[],
): string[] {
  const shown = differences.slice(0, SHOWN_MAX);
  const causes = Object.entries(byCause).map(([cause, count]) => `${cause} ${count}`);
  return [
    ...shown.map(
      ({ at, cause, strategy, ticker, what }) =>
        `${momentText(at as Micros)}  ${cause}: ${strategy} in ${ticker}: ${what}`,
    ),
    ...(differences.length > shown.length
      ? [`... and ${differences.length - shown.length} more: --json shows all`]
      : []),
    ...(differences.length === 0 ? [] : ['']),
    ...notes.map((note) => `note: ${note}`),
    `orders     session ${orders.live}, backtest ${orders.simulated}, in both ${orders.paired}`,
    `contracts  session ${contracts(filledQty.live)}, backtest ${contracts(filledQty.simulated)}, by the same orders ${contracts(filledQty.same)}`,
    `trades     session ${signed(cash.live)}, backtest ${signed(cash.simulated)}, fees taken off`,
    `causes     ${causes.length === 0 ? 'no differences' : causes.join(', ')}`,
    `agreement  ${agreement.toFixed(4)}`,
  ];
}

const contracts = (amount: number): string => contractsText(qty(amount));
const signed = (amount: number): string => signedDollars(money(amount));
