// Traffic counters of a server, for its summary. Must never decide anything.
import type { FaultKind } from '../../config/fault-config.ts';
import type { EndpointName } from '../../venues/trade-api/profiles/wire-profile.ts';

/** Traffic of a server so far. */
export interface TrafficCounts {
  readonly requests: number;
  readonly requestsByEndpoint: Readonly<Partial<Record<EndpointName, number>>>;
  readonly answersByStatus: Readonly<Record<number, number>>;
  readonly connections: number;
  readonly feedCommands: number;
  readonly feedMessages: number;
  /**
   * Fills of accounts that keep a history. Simulated traders (the config's `flow`) keep none, so their fills are left
   * out.
   */
  readonly fills: number;
  readonly prints: number;
  readonly faultsByKind: Readonly<Partial<Record<FaultKind, number>>>;
}

/** Counts the traffic of a server; crashes do not reset the counts. */
export class TrafficCounters {
  readonly #byEndpoint = new Map<EndpointName, number>();
  readonly #byStatus = new Map<number, number>();
  readonly #byFault = new Map<FaultKind, number>();
  requests = 0;
  connections = 0;
  feedCommands = 0;
  feedMessages = 0;
  fills = 0;
  prints = 0;

  countRequest(endpoint: EndpointName): void {
    this.requests++;
    this.#byEndpoint.set(endpoint, (this.#byEndpoint.get(endpoint) ?? 0) + 1);
  }

  countAnswer(status: number): void {
    this.#byStatus.set(status, (this.#byStatus.get(status) ?? 0) + 1);
  }

  countFault(kind: FaultKind): void {
    this.#byFault.set(kind, (this.#byFault.get(kind) ?? 0) + 1);
  }

  counts(): TrafficCounts {
    return {
      requests: this.requests,
      requestsByEndpoint: Object.fromEntries(this.#byEndpoint),
      answersByStatus: Object.fromEntries(this.#byStatus),
      connections: this.connections,
      feedCommands: this.feedCommands,
      feedMessages: this.feedMessages,
      fills: this.fills,
      prints: this.prints,
      faultsByKind: Object.fromEntries(this.#byFault),
    };
  }
}
