// Normalizer of a paper session. Its inputs are the venue's public messages, mixed with messages of the simulated
// account. It needs no simulated venue, so a paper session can be replayed from its inputs.
import { type RequestCommand, isPublicRead } from '../../domain/venue-command.ts';
import type { EngineEvent } from '../../domain/event.ts';
import type { Micros } from '../../domain/units.ts';
import { SIMULATED_PREFIX, isSimulatedFrame } from '../../tape/format/simulated-frame.ts';
import type { Normalizer, RawInput } from '../../venue.ts';
import type { VenueEvent } from '../../venues/simulated/simulator-interfaces.ts';

/**
 * True for every request except a public read. The simulated venue has the account, so such a request never reaches the
 * real venue.
 */
export const isSimulatedRequest = (command: RequestCommand): boolean =>
  command.type !== 'read' || !isPublicRead(command.target);

/** Encodes private events of the simulated account as a frame. */
export const privateEventsFrame = (events: readonly VenueEvent[]): Uint8Array =>
  Buffer.from(`${SIMULATED_PREFIX.toString()}${JSON.stringify(events)}}`);

/** Normalizes the frames and answers of a paper session. */
export class PaperNormalizer implements Normalizer {
  readonly #inner: Normalizer;
  readonly #watch: (event: EngineEvent) => void;

  /** @param watch Called with each event of the real venue, just before the event is emitted. */
  constructor(inner: Normalizer, watch: (event: EngineEvent) => void = () => undefined) {
    this.#inner = inner;
    this.#watch = watch;
  }

  normalize(input: RawInput, emit: (event: EngineEvent) => void): void {
    if (input.type === 'frame' && isSimulatedFrame(input.bytes))
      return emitAll(privateEventsOf(input.bytes), input.at, emit);
    if (input.type === 'answer' && isSimulatedRequest(input.command) && input.outcome.type === 'answered')
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

const privateEventsOf = (bytes: Uint8Array): readonly VenueEvent[] =>
  eventsOf(Buffer.from(bytes).toString('utf8', SIMULATED_PREFIX.length, bytes.length - 1));

// tidy: as (this program wrote it)
const eventsOf = (json: string): readonly VenueEvent[] => JSON.parse(json) as readonly VenueEvent[];
