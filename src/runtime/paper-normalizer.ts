// What a paper session is told: the venue's public words as they came, and the simulated account's between them.
// The same inputs give the same events without the simulated venue: that is what lets a paper session be replayed.
import type { RequestCommand } from '../domain/command.ts';
import type { EngineEvent } from '../domain/event.ts';
import type { Micros } from '../domain/units.ts';
import { SIMULATED, isSimulatedFrame } from '../tape/simulated-frame.ts';
import type { Normalizer, RawInput } from '../venue.ts';
import type { VenueEvent } from '../venues/simulated/ports.ts';

/** Reads of the account, which the simulated venue answers. Every other read is public, and the real venue's. */
const ACCOUNT_READS: ReadonlySet<string> = new Set([
  'balance',
  'positions',
  'orders',
  'order',
  'fills',
  'settlements',
  'queue-positions',
  'limits',
]);

/** Whether a request never reaches the real venue. */
export const isSimulated = (command: RequestCommand): boolean =>
  command.type !== 'read' || ACCOUNT_READS.has(command.target.what);

/** A frame of what only the account is told. */
export const newsFrame = (events: readonly VenueEvent[]): Uint8Array =>
  Buffer.from(`${SIMULATED.toString()}${JSON.stringify(events)}}`);

/** A normalizer of paper sessions. */
export class PaperNormalizer implements Normalizer {
  readonly #inner: Normalizer;
  readonly #watch: (event: EngineEvent) => void;

  /** @param watch Sees every event of the real venue just before the engine does. */
  constructor(inner: Normalizer, watch: (event: EngineEvent) => void = () => undefined) {
    this.#inner = inner;
    this.#watch = watch;
  }

  normalize(input: RawInput, emit: (event: EngineEvent) => void): void {
    if (input.type === 'frame' && isSimulatedFrame(input.bytes)) return emitAll(newsOf(input.bytes), input.at, emit);
    if (input.type === 'answer' && isSimulated(input.command) && input.outcome.type === 'answered')
      return emitAll(eventsOf(input.outcome.body), input.at, emit);
    this.#inner.normalize(input, (event) => {
      this.#watch(event);
      emit(event);
    });
  }
}

function emitAll(events: readonly VenueEvent[], at: Micros, emit: (event: EngineEvent) => void): void {
  for (const event of events) emit({ ...event, at });
}

const newsOf = (bytes: Uint8Array): readonly VenueEvent[] =>
  eventsOf(Buffer.from(bytes).toString('utf8', SIMULATED.length, bytes.length - 1));

// tidy: as (this very program wrote it)
const eventsOf = (json: string): readonly VenueEvent[] => JSON.parse(json) as readonly VenueEvent[];
