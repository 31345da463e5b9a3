// One running strategy, as everybody has it who deals with strategies. Nothing here does anything.
import type { StrategyName } from '../domain/ids.ts';
import type { Micros } from '../domain/units.ts';
import type { StrategyView } from '../state/view.ts';
import type { Handlers } from './strategy.ts';

/** One running strategy. */
export interface Running {
  readonly name: StrategyName;
  /** Its place in the config, from 0: part of its orders' ids. */
  readonly index: number;
  readonly handlers: Handlers;
  readonly view: StrategyView;
  readonly timers: Map<string, Micros>;
  /** Why it was halted; `null` while it runs. */
  haltedBy: string | null;
}
