// Converts wall-clock times of a time zone to instants, including the repeated and the skipped hour. Must never choose
// between two instants: the caller does, and reports the choice.
import type { Micros } from '../../../domain/units.ts';
import { ImportFault } from '../import-fault.ts';

const MINUTE = 60_000_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Time for which an offset is cached. Zones change their offset only on a quarter of an hour. */
const STRETCH = 15 * MINUTE;
const STRETCHES_MAX = 100_000;

/** A time zone by its IANA name. */
export class TimeZone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #offsets = new Map<number, number>();

  /** @throws {ImportFault} for an unknown zone. */
  constructor(name: string) {
    try {
      this.#format = new Intl.DateTimeFormat('en-US', {
        timeZone: name,
        hourCycle: 'h23',
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
        hour: '2-digit',
        minute: '2-digit',
        second: '2-digit',
      });
    } catch (cause) {
      const found = JSON.stringify(name);
      throw new ImportFault(null, `time zone: expected a name such as America/Los_Angeles, found ${found}`, { cause });
    }
    this.name = name;
  }

  /**
   * Returns the instants at which the zone's clock showed a time: one instant, two in a repeated hour, none in a
   * skipped hour.
   */
  instantsOf(wall: Micros): readonly Micros[] {
    const offsets = new Set([this.offsetAt((wall - DAY) as Micros), this.offsetAt((wall + DAY) as Micros)]);
    return [...offsets]
      .map((offset) => (wall - offset) as Micros)
      .filter((at) => at + this.offsetAt(at) === wall)
      .sort((a, b) => a - b);
  }

  /** Offset of the zone's clock ahead of UTC, in microseconds. */
  offsetAt(at: Micros): number {
    const stretch = Math.floor(at / STRETCH);
    const known = this.#offsets.get(stretch);
    if (known !== undefined) return known;
    if (this.#offsets.size >= STRETCHES_MAX) this.#offsets.clear();
    const offset = this.#computeOffset(stretch * STRETCH);
    this.#offsets.set(stretch, offset);
    return offset;
  }

  #computeOffset(at: number): number {
    const parts: Record<string, number> = {};
    for (const { type, value } of this.#format.formatToParts(at / 1000)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) * 1000 - at;
  }
}
