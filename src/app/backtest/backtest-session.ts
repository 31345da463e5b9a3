// Composes and runs a backtest from its config: tape, strategies, venue, engine. Each run loads its strategies again,
// so that no state is inherited.
import { isoMicros } from '../../tape/format/iso-time.ts';
import { type BacktestOptions, type BacktestRun, PeekError, runBacktest } from '../../../backtest/backtest-run.ts';
import { TapeRangeError } from '../../../backtest/replay-options.ts';
import { guardWallClock } from '../../../backtest/wall-clock-guard.ts';
import type { BacktestConfig } from '../../config/backtest-config.ts';
import { type ParamsSource, bindStrategies } from '../../runtime/plugins/strategy-binding.ts';
import { checkSetup, engineOptions, sessionBatchMax } from '../../runtime/session/engine-setup.ts';
import { checkTradeRate } from '../../runtime/session/read-rate.ts';
import type { BoundStrategy, Strategy } from '../../strategy/strategy-definition.ts';
import type { RunRecord } from '../../report/record/run-record.ts';
import type { RowSource } from '../../tape/baked/tape-rows.ts';
import { LatencyFault } from '../../venues/simulated/models/latency-models.ts';
import { tradeApiReplayParts } from '../../venues/trade-api/replay-parts.ts';
import { TickerTable } from '../../domain/ids.ts';
import { latencySamples } from './latency-samples.ts';
import { knownProfile } from '../venue/known-profile.ts';
import { strategyFacts } from '../strategy/strategy-facts.ts';
import { paramsFromWorkingFolder } from './backtest-overrides.ts';
import { UsageError } from '../usage-error.ts';

type RunCallbacks = Pick<
  BacktestOptions,
  | 'signal'
  | 'onBegun'
  | 'onProgress'
  | 'onDecision'
  | 'observer'
  | 'observe'
  | 'rowsMax'
  | 'onExplanation'
  | 'makeEngine'
>;

/** Options of a run besides its config and tape. */
export interface BacktestHooks extends RunCallbacks {
  /** Source of each strategy's parameters. @default the working folder. */
  readonly paramsFrom?: (index: number) => ParamsSource;
  /** Loads a strategy's file. @default `loadStrategy`, which compiles it. */
  readonly loadStrategy?: (file: string) => Promise<Strategy>;
  /** Returns the same strategies with an audience. @default the strategies as they are. */
  readonly listenTo?: (strategies: readonly BoundStrategy[]) => readonly BoundStrategy[];
}

/**
 * Runs a backtest once.
 * @throws {UsageError} for a range without data, an unusable latency model, or a strategy with unsupported needs.
 * @throws {StrategyFileError} when a strategy cannot be used.
 * @throws {ConfigValueFault} for a profile or a journal that does not exist, or a trade budget that is too slow.
 * @throws {ConfigError} when a strategy's parameters do not fit.
 */
export async function runBacktestOnce(
  config: BacktestConfig,
  source: RowSource,
  hooks: BacktestHooks,
): Promise<BacktestRun> {
  // The clock is guarded before strategies load: a strategy could keep a reference to the clock.
  guardWallClock();
  const { paramsFrom = paramsFromWorkingFolder, loadStrategy, listenTo, ...callbacks } = hooks;
  const ready = await bindStrategies(config.strategies, paramsFrom, loadStrategy);
  const bound = ready.map((strategy) => strategy.bound);
  const strategies = listenTo?.(bound) ?? bound;
  const profile = knownProfile(config.profile, 'profile');
  const { capabilities } = tradeApiReplayParts({ profile, tickers: new TickerTable() });
  checkTradeRate(config, capabilities, true);
  try {
    return await runBacktest({
      source,
      engine: ({ observe, ...venue }) => ({
        ...engineOptions({ config, venue, strategies, hasKey: true, observe }),
        groupsMayBeMissing: true,
      }),
      capabilities,
      batchMax: sessionBatchMax(config, capabilities),
      simulation: config.simulation,
      samples: latencySamples(config.simulation),
      cash: config.cash,
      seed: config.seed,
      ...(config.from !== undefined && { from: config.from }),
      ...(config.to !== undefined && { to: config.to }),
      stopWithin: config.orders.stopWithin,
      ...callbacks,
    });
  } catch (fault) {
    if (fault instanceof TapeRangeError) {
      const { from, to } = source.facts;
      const range = `the tape goes from ${isoMicros(from)} to ${isoMicros(to)}`;
      throw new UsageError(`${fault.message}; ${range}`, { cause: fault });
    }
    if (fault instanceof PeekError || fault instanceof LatencyFault)
      throw new UsageError(fault.message, { cause: fault });
    throw fault;
  }
}

/** @throws {ConfigValueFault} for a config that every run would refuse at its start. */
export function refuseUnusableSetup(config: BacktestConfig): void {
  const tickers = new TickerTable();
  const { capabilities } = tradeApiReplayParts({ profile: knownProfile(config.profile, 'profile'), tickers });
  checkSetup({ config, venue: { capabilities, tickers }, hasKey: true });
  checkTradeRate(config, capabilities, true);
  latencySamples(config.simulation);
}

/** Returns the record of a run, the source of its report. */
export function backtestRecord(run: BacktestRun, config: BacktestConfig, source: RowSource): RunRecord {
  const { facts } = source;
  const from = Math.max(facts.from, config.from ?? facts.from);
  const plannedTo = Math.min(facts.to, config.to ?? facts.to);
  return run.scores.runRecord({
    kind: 'backtest',
    ...strategyFacts(config.strategies),
    to: run.driver.now,
    isPartial: !run.isWhole,
    seed: config.seed,
    decisionHash: run.decisionHash,
    models: config.simulation,
    coverage: {
      source: facts.source,
      from,
      to: run.isWhole ? plannedTo : Math.max(from, Math.min(plannedTo, run.driver.now)),
      rows: run.driver.rowsPassed,
      gaps: facts.gaps,
      assumptions: facts.assumptions,
    },
    events: run.driver.eventCount,
  });
}
