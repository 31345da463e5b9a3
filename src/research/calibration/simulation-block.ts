// The `simulation:` block of a calibration, as YAML to paste. Must never hold a value that was not fitted: what is absent
// keeps its default.
import { Document, isMap, isScalar, visit } from 'yaml';
import type { FittedRow, LatencyFit } from './latency-fit.ts';
import type { QueueFit } from './queue-fit.ts';

/** The fitted parts. */
export interface FittedParts {
  readonly latency: LatencyFit;
  /** `null` where sessions say too little about the queue. */
  readonly queue: QueueFit | null;
}

/** Renders the block. It has the form that the config reads. */
export function simulationBlock(parts: FittedParts): string {
  const document = new Document({ simulation: simulationValue(parts) });
  visit(document, {
    Pair: (_, { key, value }) => {
      if (isScalar(key) && key.value === 'quantiles' && isMap(value)) value.flow = true;
    },
  });
  return document.toString({ lineWidth: 0 });
}

function simulationValue({ latency, queue }: FittedParts): unknown {
  const chosen = queue?.chosen;
  const matching = {
    ...(chosen?.fillWhenCrossed === false && { fillWhenCrossed: false }),
    ...(typeof chosen?.printWindow === 'number' && { printWindow: durationText(chosen.printWindow) }),
  };
  return {
    latency: {
      ...(latency.feedModel === 'drawn' && latency.feed !== null && { feed: leg(latency.feed) }),
      order: leg(latency.order),
      answer: leg(latency.answer),
    },
    ...(chosen !== undefined && { queue: chosen.queue }),
    ...(Object.keys(matching).length > 0 && { matching }),
  };
}

const leg = (rows: readonly FittedRow[]): unknown => ({
  model: 'quantiles',
  rows: rows.map(({ way, hour, quantiles }) => ({
    ...(way !== undefined && { way }),
    ...(hour !== undefined && { hour }),
    quantiles: new Map(quantiles.map(([percent, delay]) => [percent, durationText(delay)])),
  })),
});

/** A duration as configs write it, exact to the microsecond. */
export const durationText = (micros: number): string => `${(micros / 1000).toFixed(3).replace(/\.?0+$/, '')}ms`;
