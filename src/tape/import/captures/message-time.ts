// Reads the venue's time within a message, from a member that the dialect itself does not read. It is for captures
// whose lines have no time of receipt. Must never be used when the time of receipt is known.
import type { Micros } from '../../../domain/units.ts';
import type { Frame } from '../../../venue.ts';
import type { ImportPlace } from '../import-fault.ts';
import { isJsonRecord, parseJsonOrUndefined } from '../rows/json-records.ts';
import type { MomentReader } from '../times/moment-reader.ts';
import { timeInRecord } from '../times/time-names.ts';
import type { JsonObject } from '../import-wire.ts';

const SECOND = 1_000_000;

/** Reads times within messages. */
export class MessageTimeReader {
  readonly #moments: MomentReader;
  #frame: Frame | null = null;
  /** Number of times read. `#wholeSeconds` counts the whole seconds among them. */
  #times = 0;
  #wholeSeconds = 0;

  constructor(moments: MomentReader) {
    this.#moments = moments;
  }

  /** True: all times read are whole seconds. */
  get isCoarse(): boolean {
    return this.#times > 0 && this.#wholeSeconds === this.#times;
  }

  /** Switches to another message. The frame must stay valid until the next call. */
  setFrame(frame: Frame): void {
    this.#frame = frame;
  }

  /** Returns the time within the message, or `null`. */
  readTime(place: ImportPlace): Micros | null {
    const moment = this.#frame === null ? null : timeInRecord(contentOf(this.#frame));
    const at = moment === null ? null : this.#moments.instantOf(moment, place);
    if (at === null) return null;
    this.#times += 1;
    if (at % SECOND === 0) this.#wholeSeconds += 1;
    return at;
  }
}

/** Returns the content of a message; empty when it cannot be read. */
function contentOf({ bytes }: Frame): JsonObject {
  const message = parseJsonOrUndefined(Buffer.from(bytes).toString());
  const content = isJsonRecord(message) ? message['msg'] : undefined;
  return isJsonRecord(content) ? content : {};
}
