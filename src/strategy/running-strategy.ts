// One running strategy, as plain data that parts of the engine share.
import type { StrategyName } from '../domain/ids.ts';
import type { StrategyView } from '../state/strategy-view.ts';
import type { Handlers } from './strategy-definition.ts';
import type { StrategyTimers } from './strategy-timers.ts';

/** A strategy of the session, with handlers, view and timers. */
export interface RunningStrategy {
  readonly name: StrategyName;
  /** Index in the config's list of strategies, from 0. The ids of its orders contain it. */
  readonly index: number;
  readonly handlers: Handlers;
  readonly view: StrategyView;
  readonly timers: StrategyTimers;
  /** Reason of its halt; `null` while it runs. */
  haltedBy: string | null;
}
