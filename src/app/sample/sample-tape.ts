// Makes a tape for studies: the local exchange and its simulated traders, run in virtual time. Must never read a clock: the
// same number of groups and the same seed give the same tape.
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { assert, must } from '../../base/assert.ts';
import type { FlowConfig } from '../../config/exchange-config.ts';
import { type Micros, contracts, dollars, fromMillis, fromSeconds, micros, price } from '../../domain/units.ts';
import { AgentFlow } from '../../exchange/flow/agent-flow.ts';
import type { Op } from '../../exchange/machine/exchange-input.ts';
import { createExchange } from '../../exchange/machine/exchange-machine.ts';
import type { StepResult } from '../../exchange/machine/exchange-output.ts';
import { saltOf } from '../../exchange/session/exchange-driver.ts';
import { BakedWriter } from '../../tape/baked/baked-writer.ts';
import type { TapeFacts } from '../../tape/baked/tape-rows.ts';
import { canonicalJson } from '../../tape/format/canonical-json.ts';
import { SAMPLE_SERIES, SAMPLE_START, type SampleGroup, sampleGroups } from './sample-listing.ts';
import { SampleRows } from './sample-rows.ts';

/** Options of a sample tape. */
export interface SampleTapeOptions {
  /** File of the tape. It must not exist. */
  readonly out: string;
  /** Number of event groups. */
  readonly groups: number;
  /** Source of every random draw. */
  readonly seed: number;
  /** Stops the work. Nothing is written then. */
  readonly signal?: AbortSignal;
  /** Called with the number of groups listed so far. */
  readonly onProgress?: (listed: number) => void;
}

/** A tape, and its counts. */
export interface SampleTape {
  readonly facts: TapeFacts;
  readonly groups: number;
  readonly markets: number;
}

/** Raised when the same options give another tape. */
const SAMPLE_VERSION = 1;

/**
 * The simulated traders, so that a quoter's parameters decide: a narrow spread loses more to informed traders and moving prices
 * than the others pay for it, and a wide one trades mostly when the price runs through it.
 */
const FLOW: FlowConfig = {
  enabled: true,
  agentCash: dollars(1_000_000),
  makersPerMarket: 1,
  levels: 3,
  levelQty: contracts(40),
  halfSpread: price(250),
  changesPerSecond: 0.9,
  noiseTradesPerMinute: 7,
  informedTradesPerMinute: 0.5,
  volatility: 0.1,
  jumpsPerHour: 3,
  jumpSize: 0.4,
  crowdError: 0.06,
  crowdMemory: fromSeconds(60),
};

/** Steps between two pauses, which let the program handle a signal. */
const PAUSE_STEPS = 5000;

/**
 * Makes a tape.
 * @throws {BakedFault} when the file cannot be written.
 * @throws the signal's reason when the work was stopped.
 */
export async function makeSampleTape(options: SampleTapeOptions): Promise<SampleTape> {
  const { out, groups, seed } = options;
  const writer = new BakedWriter(out, { hasLiveDefinitions: true, isNew: true });
  try {
    const listed = sampleGroups(groups, seed);
    await writeRows(options, listed, new SampleRows(writer));
    writer.addAssumption('Simulated traders of the local exchange made every quote and every trade.');
    const facts = writer.finish({ source: 'sample', venue: 'local', sourceHash: sampleHash(groups, seed) });
    return { facts, groups, markets: listed.reduce((sum, { markets }) => sum + markets.length, 0) };
  } catch (fault) {
    writer.abandon();
    throw fault;
  }
}

/** Names the tape by all that decides about it. */
const sampleHash = (groups: number, seed: number): string =>
  createHash('sha256')
    .update(canonicalJson({ version: SAMPLE_VERSION, groups, seed }))
    .digest('hex');

async function writeRows(
  { seed, signal, onProgress }: SampleTapeOptions,
  listed: readonly SampleGroup[],
  rows: SampleRows,
): Promise<void> {
  const run = new SampleExchange(seed, listed, rows);
  for (let steps = 1; run.advance(); steps += 1) {
    if (steps % PAUSE_STEPS !== 0) continue;
    await setImmediate();
    signal?.throwIfAborted();
    onProgress?.(run.listed);
  }
}

/** Shortest time between two wakeups: the agents of the same moment act in one. */
const TICK = fromMillis(1);

/** The exchange, its flow and its listings, advanced from one due time to the next. */
class SampleExchange {
  readonly #exchange;
  readonly #flow: AgentFlow;
  readonly #groups: readonly SampleGroup[];
  readonly #rows: SampleRows;
  readonly #left: Set<string>;
  #now: Micros = SAMPLE_START;
  /** Number of groups listed so far. */
  listed = 0;

  constructor(seed: number, groups: readonly SampleGroup[], rows: SampleRows) {
    this.#exchange = createExchange(saltOf(seed, SAMPLE_START));
    this.#groups = groups;
    this.#rows = rows;
    this.#left = new Set(groups.flatMap(({ markets }) => markets.map(({ ticker }) => ticker)));
    const submit = (op: Op): StepResult => this.#submit(op);
    this.#flow = new AgentFlow({ seed, config: FLOW, markets: [], exchange: this.#exchange, submit }, SAMPLE_START);
    for (const series of SAMPLE_SERIES) {
      this.#submit({ type: 'define-series', series });
      rows.addSeries(series, SAMPLE_START);
    }
  }

  /** Advances to the next due time. Returns false once every market is paid out. */
  advance(): boolean {
    if (this.#left.size === 0) return false;
    const due = [this.#exchange.nextDue(), this.#flow.nextAt(), this.#groups[this.listed]?.at ?? null];
    const next = Math.min(...due.map((at) => at ?? Infinity));
    assert(Number.isFinite(next), 'a due time while markets are open');
    this.#now = micros(Math.max(this.#now + TICK, next));
    this.#submit({ type: 'tick' });
    while ((this.#groups[this.listed]?.at ?? Infinity) <= this.#now) this.#list();
    this.#flow.advance(this.#now);
    return true;
  }

  #list(): void {
    const { group, markets, flow } = must(this.#groups[this.listed], 'a group to list');
    this.listed += 1;
    this.#submit({ type: 'define-group', group });
    this.#rows.addGroup(group, markets, this.#now);
    for (const market of markets) this.#submit({ type: 'define-market', market });
    this.#submit({ type: 'tick' });
    this.#flow.addMarkets(flow, this.#now);
  }

  #submit(op: Op): StepResult {
    const result = this.#exchange.step({ at: this.#now, op });
    this.#rows.addFacts(result.facts);
    this.#flow.onStep(result);
    for (const fact of result.facts)
      if (fact.type === 'market' && fact.to === 'finalized') this.#left.delete(fact.ticker);
    return result;
  }
}
