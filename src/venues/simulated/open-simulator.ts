// Makes a simulated venue of a config: each model by its name. Must never choose what the config does not.
import type { SimulationConfig } from '../../config/simulation-config.ts';
import { SimulatedFloor } from './floor.ts';
import type { FloorOptions } from './ports.ts';
import { queueModel } from './queue-models.ts';
import { Simulator, type SimulatorOptions } from './venue.ts';

export interface OpenSimulatorOptions extends Omit<SimulatorOptions, 'openFloor' | 'fees'> {
  readonly config: Pick<SimulationConfig, 'queue' | 'matching' | 'fees'>;
  /** Told of orders whose story is wanted; absent costs nothing. */
  readonly tell?: FloorOptions['tell'];
  /** An order of ours that rested has traded and is booked, the account's latest; nothing has been told since. */
  readonly executed?: () => void;
}

/** A venue as configured. Its latency is the courier's business. */
export function openSimulator({ config, tell, executed, ...options }: OpenSimulatorOptions): Simulator {
  const queue = queueModel(config.queue);
  const { selfTrade, fillWhenCrossed } = config.matching;
  return new Simulator({
    ...options,
    fees: config.fees,
    openFloor: (asked) =>
      new SimulatedFloor({
        ...asked,
        queue,
        selfTrade,
        fillWhenCrossed,
        ...(tell === undefined ? {} : { tell }),
        onExecution: (execution) => {
          asked.onExecution(execution);
          executed?.();
        },
      }),
  });
}
