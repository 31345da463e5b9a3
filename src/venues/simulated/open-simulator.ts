// Makes a simulated venue from a config: each model by its name. Must never choose a model that the config does not.
import type { SimulationConfig } from '../../config/simulation-config.ts';
import { SimulatedFloor } from './floor.ts';
import type { FloorOptions } from './ports.ts';
import { queueModel } from './queue-models.ts';
import { Simulator, type SimulatorOptions } from './venue.ts';

export interface OpenSimulatorOptions extends Omit<SimulatorOptions, 'openFloor' | 'fees'> {
  readonly config: Pick<SimulationConfig, 'queue' | 'matching' | 'fees'>;
  /** Receives explanation steps of orders. No cost when absent. */
  readonly tell?: FloorOptions['tell'];
  /**
   * Called when a resting order of ours has traded and the fill is booked, as the account's latest; no event has been
   * published since.
   */
  readonly executed?: () => void;
}

/** Makes a venue as configured. Latency is the link's part. */
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
