// One run of a strategy over a stream (generated markets with their events). The engine is the real one, the venue is
// simulated, and clock and randomness are guarded. Must never let an observer change the decisions.
import { Backtest } from '../../../backtest/backtest-run.ts';
import { type WallClockError, takeRefusedCall, withoutWallClock } from '../../../backtest/wall-clock-guard.ts';
import { type BacktestConfig, backtestConfigSchema } from '../../config/backtest-config.ts';
import type { Command } from '../../domain/venue-command.ts';
import { type StrategyName, TickerTable, strategyName } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import type { Engine } from '../../engine.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import { engineOptions } from '../../runtime/session/engine-setup.ts';
import type { BoundStrategy, Strategy } from '../../strategy/strategy-definition.ts';
import type { RowSource } from '../../tape/baked/tape-rows.ts';
import { kalshiProfile } from '../../venues/trade-api/profiles/kalshi-profile.ts';
import { tradeApiReplayParts } from '../../venues/trade-api/replay-parts.ts';
import { OwnCodeFault } from './own-code-fault.ts';
import type { Stream } from '../streams/stream.ts';
import { type RowsOptions, streamRows } from '../streams/stream-rows.ts';

/** The strategy to certify, with its parameters and limits. */
export interface Subject {
  readonly strategy: Strategy;
  readonly params: unknown;
  readonly limits: BacktestConfig['limits'];
  /** Called after each run of the strategy. Default: nothing is called. */
  readonly onRunEnd?: () => void;
}

/** The name under which the strategy runs. */
export const SUBJECT_NAME: StrategyName = strategyName('certified');

/** A command of the engine and its time. */
export interface Decision {
  readonly at: Micros;
  readonly command: Command;
  readonly text: string;
}

export interface TrialOptions extends RowsOptions {
  readonly wrap?: (bound: BoundStrategy) => BoundStrategy;
  readonly observe?: (notice: Notice) => void;
  readonly onDecision?: (decision: Decision) => void;
  /** Changes the tape before the run. */
  readonly overlay?: (source: RowSource) => RowSource;
  /** True: no request waits for another, so that the sequence of requests has no effect. */
  readonly isUnlimited?: boolean;
  /** Called now and then. The run ends when this function returns true. */
  readonly isEnough?: () => boolean;
}

/** The result of a run. */
export interface Trial extends TrialEnd {
  readonly bound: BoundStrategy;
  readonly engine: Engine;
  readonly eventCount: number;
}

/** Faults that show at the end of a run. */
export interface TrialEnd {
  /** Reason of a halt by a fault, or `null`. */
  readonly haltedBy: string | null;
  /** The strategy's forbidden use of clock or randomness, or `null`. Set even when the strategy caught the error. */
  readonly forbiddenUse: WallClockError | null;
}

const STEPS_PER_CHECK = 512;
const SESSION_SEED = 1;

/** Wide limits: the run shows the strategy's own bounds. */
export const WIDE_LIMITS = {
  orderQtyMax: 1000,
  orderCostMax: 1000,
  positionQtyMax: 5000,
  marketCostMax: 5000,
  groupCostMax: 20_000,
  accountCostMax: 50_000,
  dailyLossMax: 50_000,
  drawdownMax: 50_000,
  workingOrdersMax: 5000,
  ordersPerSecondMax: 1000,
  priceMin: 0.01,
  priceMax: 0.99,
  priceDistanceMax: 0.5,
  bookAgeMax: '60s',
  closeGuard: '0s',
} as const;

const { capabilities } = tradeApiReplayParts({ profile: kalshiProfile, tickers: new TickerTable() });
const NO_LIMIT = { model: 'rolling-window', count: 1_000_000, windowMs: 1000 } as const;
const unlimited: typeof capabilities = { ...capabilities, limits: { read: NO_LIMIT, trade: NO_LIMIT } };

/** The venue's quantity step in all trials, hundredths of a contract. */
export const QTY_STEP: number = capabilities.qtyStep;

/** Enough requests in flight that none waits for another. */
const IN_FLIGHT = { tradesInFlightMax: 256, readsInFlightMax: 64 } as const;

function configOf(stream: Stream, { limits }: Subject, isUnhurried: boolean): BacktestConfig {
  const series = [...new Set(stream.markets.map(({ seriesTicker }) => seriesTicker))];
  const config = backtestConfigSchema.parse({
    tape: 'generated',
    cash: 100_000,
    profile: 'kalshi',
    markets: { series: series.length === 0 ? ['GENERATED'] : series, settledGrace: '1s' },
    strategies: [{ name: SUBJECT_NAME, file: 'certified' }],
    limits: WIDE_LIMITS,
  });
  return { ...config, budgets: { ...config.budgets, ...(isUnhurried && IN_FLIGHT) }, limits: limits ?? config.limits };
}

/**
 * Makes a new strategy from the subject.
 * @throws {OwnCodeFault} when the strategy throws.
 */
export function bindSubject({ strategy, params }: Subject): BoundStrategy {
  try {
    return withoutWallClock(() => strategy.bind(SUBJECT_NAME, params));
  } catch (fault) {
    throw new OwnCodeFault('its setup', fault);
  }
}

/** Runs the subject over a stream. */
export function runTrial(subject: Subject, stream: Stream, options: TrialOptions = {}): Trial {
  takeRefusedCall();
  const bound = bindSubject(subject);
  const halts: string[] = [];
  const backtest = assemble({ stream, subject, bound: options.wrap?.(bound) ?? bound }, options, halts);
  const { driver } = backtest;
  withoutWallClock(() => {
    while (driver.runSteps(STEPS_PER_CHECK)) if (options.isEnough?.() === true) driver.interruptRun();
  });
  subject.onRunEnd?.();
  const { engine, eventCount } = driver;
  return { bound, engine, eventCount, haltedBy: halts[0] ?? null, forbiddenUse: takeRefusedCall() };
}

/** Returns the decisions of a run. */
export function decisionsOf(subject: Subject, stream: Stream, options: TrialOptions = {}): Decision[] {
  const decisions: Decision[] = [];
  runTrial(subject, stream, { ...options, onDecision: (decision) => void decisions.push(decision) });
  return decisions;
}

interface Assembly {
  readonly stream: Stream;
  readonly subject: Subject;
  readonly bound: BoundStrategy;
}

function assemble({ stream, subject, bound }: Assembly, options: TrialOptions, halts: string[]): Backtest {
  const { isUnlimited = false } = options;
  const config = configOf(stream, subject, isUnlimited);
  const venueCapabilities = isUnlimited ? unlimited : capabilities;
  const source = streamRows(stream, options);
  return new Backtest({
    source: options.overlay?.(source) ?? source,
    engine: ({ observe, ...venue }) => ({
      ...engineOptions({ config, venue, strategies: [bound], hasKey: true, observe }),
      // The states of the strategy are read as often as in a session.
      keepsStates: true,
    }),
    capabilities: venueCapabilities,
    simulation: config.simulation,
    cash: config.cash,
    seed: SESSION_SEED,
    stopWithin: config.orders.stopWithin,
    observe(notice) {
      if (notice.type === 'halt' && notice.halt.scope.type === 'strategy' && notice.halt.by === 'fault')
        halts.push(notice.halt.reason);
      options.observe?.(notice);
    },
    ...(options.onDecision && {
      onDecision: (text, command, at) => options.onDecision?.({ at, command, text }),
    }),
  });
}
