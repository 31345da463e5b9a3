// Reads the time within a message, for captures whose lines have no time of receipt: the venue's own, in a member that
// the dialect itself does not read. Must never be used where the time of receipt is known.
import type { Micros } from '../../domain/units.ts';
import type { Frame } from '../../venue.ts';
import type { ImportPlace } from './fault.ts';
import { isRecord, parsed } from './json.ts';
import type { MomentReader } from './moment-reader.ts';
import { timeAmong } from './time-names.ts';
import type { JsonRecord } from './wire.ts';

const SECOND = 1_000_000;

/** Reads times within messages. */
export class TimeWithin {
  readonly #moments: MomentReader;
  #frame: Frame | null = null;
  /** Times read, and those of them that are whole seconds. */
  #times = 0;
  #wholeSeconds = 0;

  constructor(moments: MomentReader) {
    this.#moments = moments;
  }

  /** True when all times read are whole seconds. */
  get isCoarse(): boolean {
    return this.#times > 0 && this.#wholeSeconds === this.#times;
  }

  /** Switches to another message. Borrowed. */
  open(frame: Frame): void {
    this.#frame = frame;
  }

  /** The time within the message; `null` where there is none. */
  read(place: ImportPlace): Micros | null {
    const moment = this.#frame === null ? null : timeAmong(contentOf(this.#frame));
    const at = moment === null ? null : this.#moments.resolve(moment, place);
    if (at === null) return null;
    this.#times += 1;
    if (at % SECOND === 0) this.#wholeSeconds += 1;
    return at;
  }
}

/** Content of a message; empty where it cannot be read. */
function contentOf({ bytes }: Frame): JsonRecord {
  const message = parsed(Buffer.from(bytes).toString());
  const content = isRecord(message) ? message['msg'] : undefined;
  return isRecord(content) ? content : {};
}
