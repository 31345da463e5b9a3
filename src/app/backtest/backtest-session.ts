// Puts a backtest together from its config and the command line: tape, strategies, venue, engine. Each run of the same is
// put together anew, strategies included, so that none inherits what another one learned.
import { resolve } from 'node:path';
import { type BacktestOptions, type BacktestRun, PeekError, runBacktest } from '../../../backtest/backtest-run.ts';
import { TapeRangeError } from '../../../backtest/replay-options.ts';
import { guardWallClock } from '../../../backtest/wall-clock-guard.ts';
import type { BacktestConfig } from '../../config/backtest-config.ts';
import { type ParamsSource, bindStrategies, paramsFromConfig } from '../../runtime/plugins/strategy-binding.ts';
import { engineOptions } from '../../runtime/session/engine-setup.ts';
import type { RunRecord } from '../../report/record/run-record.ts';
import type { RowSource } from '../../tape/baked/tape-rows.ts';
import { LatencyFault } from '../../venues/simulated/models/latency-models.ts';
import { tradeApiReplayParts } from '../../venues/trade-api/trade-api-venue.ts';
import { TickerTable } from '../../domain/ids.ts';
import type { BacktestFlags } from './backtest-overrides.ts';
import { UsageError } from '../../cli/output/exit-code.ts';
import { momentText } from '../../cli/journal/journal-text.ts';
import { latencySamples } from './latency-samples.ts';
import { knownProfile } from '../venue/open-venue.ts';
import { strategyFacts } from '../strategy/strategy-facts.ts';

/** What a run may be listened to with, and ended by. */
type Listening = Pick<
  BacktestOptions,
  'signal' | 'onProgress' | 'onDecision' | 'observer' | 'observe' | 'onExplanation'
>;

/** How it is run: who listens, and where the strategies' parameters come from; by hand, where nothing is said. */
export interface BacktestHooks extends Listening {
  readonly paramsFrom?: (index: number) => ParamsSource;
}

const byHand = (): ParamsSource => ({ folder: resolve('.'), lines: null });

/** Where parameters come from: a strategy of the command line has its own, and one of its parameters mixes with the config's. */
export function paramsSources({ config, strategy, param = [] }: BacktestFlags): NonNullable<BacktestHooks['paramsFrom']> {
  if (strategy !== undefined) return byHand;
  const inFile = paramsFromConfig(config);
  return param.length === 0 ? inFile : (index) => ({ ...inFile(index), lines: null });
}

/**
 * Runs a backtest once.
 * @throws {UsageError} when the tape has nothing in the range, or a strategy looks where a replay has nothing.
 * @throws {StrategyFileError} when a strategy cannot be used.
 * @throws {ConfigError} when a strategy's parameters do not fit.
 */
export async function runBacktestOnce(config: BacktestConfig, source: RowSource, manner: BacktestHooks): Promise<BacktestRun> {
  // Before any strategy is loaded: whatever it keeps of the clock is guarded.
  guardWallClock();
  const { paramsFrom = byHand, ...listening } = manner;
  const ready = await bindStrategies(config.strategies, paramsFrom);
  const strategies = ready.map(({ bound }) => bound);
  const profile = knownProfile(config.profile, 'profile');
  const { capabilities } = tradeApiReplayParts({ profile, tickers: new TickerTable() });
  try {
    return await runBacktest({
      source,
      engine: ({ observe, ...venue }) => ({
        ...engineOptions({ config, venue, strategies, hasKey: true, observe }),
        groupsMayBeMissing: true,
      }),
      capabilities,
      simulation: config.simulation,
      samples: latencySamples(config.simulation),
      cash: config.cash,
      seed: config.seed,
      ...(config.from !== undefined && { from: config.from }),
      ...(config.to !== undefined && { to: config.to }),
      stopWithin: config.orders.stopWithin,
      ...listening,
    });
  } catch (fault) {
    if (fault instanceof TapeRangeError) {
      const { from, to } = source.facts;
      const whole = `it goes from ${momentText(from)} to ${momentText(to)}`;
      throw new UsageError(`${fault.message}; ${whole}`, { cause: fault });
    }
    if (fault instanceof PeekError || fault instanceof LatencyFault)
      throw new UsageError(fault.message, { cause: fault });
    throw fault;
  }
}

/** The run's record, for its report. */
export function backtestRecord(run: BacktestRun, config: BacktestConfig, source: RowSource): RunRecord {
  const { facts } = source;
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
      from: Math.max(facts.from, config.from ?? facts.from),
      to: Math.min(facts.to, config.to ?? facts.to),
      rows: run.driver.rowsPassed,
      gaps: facts.gaps,
      assumptions: facts.assumptions,
    },
    events: run.driver.eventCount,
  });
}
