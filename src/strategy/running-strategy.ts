// One running strategy, shared by everything that deals with strategies. Plain data.
import type { StrategyName } from '../domain/ids.ts';
import type { Micros } from '../domain/units.ts';
import type { StrategyView } from '../state/strategy-view.ts';
import type { Handlers } from './strategy-definition.ts';

/** One running strategy. */
export interface RunningStrategy {
  readonly name: StrategyName;
  /** Position in the config, from 0. Part of its orders' ids. */
  readonly index: number;
  readonly handlers: Handlers;
  readonly view: StrategyView;
  readonly timers: Map<string, Micros>;
  /** Reason of its halt; `null` while it runs. */
  haltedBy: string | null;
}
