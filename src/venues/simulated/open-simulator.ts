// Makes a simulated venue from a config. Must never choose a model that the config does not name.
import type { SimulationConfig } from '../../config/simulation-config.ts';
import { TapeFillSimulator } from './matching/fill-simulator.ts';
import type { FillSimulatorOptions } from './simulator-interfaces.ts';
import { queueModel } from './models/queue-models.ts';
import { Simulator, type SimulatorOptions } from './simulator.ts';

export interface OpenSimulatorOptions extends Omit<SimulatorOptions, 'openMatching' | 'fees'> {
  readonly config: Pick<SimulationConfig, 'queue' | 'matching' | 'fees'>;
  /** Receives the explanations of orders. No cost when absent. */
  readonly onExplanation?: FillSimulatorOptions['onExplanation'];
  /** Called after a resting order of ours has traded. The fill is already in the account. */
  readonly onRestingFill?: () => void;
}

/** Makes a venue as configured. Latency is not part of the venue: the link adds it. */
export function openSimulator({ config, onExplanation, onRestingFill, ...options }: OpenSimulatorOptions): Simulator {
  const queue = queueModel(config.queue);
  const { selfTrade, fillWhenCrossed, printWindow } = config.matching;
  return new Simulator({
    ...options,
    fees: config.fees,
    openMatching: (asked) =>
      new TapeFillSimulator({
        ...asked,
        queue,
        selfTrade,
        fillWhenCrossed,
        ...(printWindow === undefined ? {} : { explainWindow: printWindow }),
        ...(onExplanation === undefined ? {} : { onExplanation }),
        onExecution: (execution) => {
          asked.onExecution(execution);
          onRestingFill?.();
        },
      }),
  });
}
