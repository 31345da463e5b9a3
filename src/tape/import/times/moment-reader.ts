// Reads the times of a file's rows in sequence. A wall-clock time is converted by its zone and by the row before. Must
// never take a time without a zone for UTC.
import { EPOCH, type Micros, fromSeconds } from '../../../domain/units.ts';
import { type ImportPlace, ImportFault } from '../import-fault.ts';
import { type Findings, foundText } from '../import-findings.ts';
import { type ParsedTime, parseMoment } from '../../../domain/parsed-time.ts';
import { isoMicros } from '../../format/iso-time.ts';
import { TimeZone } from './time-zone.ts';

/**
 * Largest disorder of rows in one file. A clock may show a time twice. The second time is taken when the first is
 * earlier than the last row by more.
 */
const DISORDER_MAX = fromSeconds(60);

/** Reads times. */
export class MomentReader {
  readonly #findings: Findings;
  readonly #zone: TimeZone | null;
  #last: Micros = EPOCH;

  /** @throws {ImportFault} for an unknown zone. */
  constructor(findings: Findings, timeZone: string | undefined) {
    this.#findings = findings;
    this.#zone = timeZone === undefined ? null : new TimeZone(timeZone);
  }

  /**
   * Reads the time in a text. A text that is not a time is a finding, and gives `null`.
   * @throws {ImportFault} when the text has no zone, and no zone was given.
   */
  readTime(text: string | number, place: ImportPlace): Micros | null {
    const moment = parseMoment(text);
    if (moment === null) {
      this.#findings.addFinding('bad-row', place, `expected a time, found ${foundText(text)}`);
      return null;
    }
    return this.instantOf(moment, place);
  }

  /**
   * Converts a time to an instant. A time that the clock skipped is a finding, and gives `null`.
   * @throws {ImportFault} when the time has no zone, and no zone was given.
   */
  instantOf(moment: ParsedTime, place: ImportPlace): Micros | null {
    const at = moment.kind === 'instant' ? moment.at : this.#zoned(moment.wall, place);
    if (at !== null) this.#last = at;
    return at;
  }

  #zoned(wall: Micros, place: ImportPlace): Micros | null {
    const zone = this.#zone;
    const shown = isoMicros(wall).slice(0, -1);
    if (zone === null) throw new ImportFault(place, `expected a time zone to be given, found ${shown}, which has none`);
    const [first, second] = zone.instantsOf(wall);
    if (first === undefined) {
      this.#findings.addFinding('nonexistent-time', place, `${shown} did not exist in ${zone.name}`);
      return null;
    }
    if (second === undefined) return first;
    const taken = first >= this.#last - DISORDER_MAX ? first : second;
    this.#findings.addFinding(
      'ambiguous-time',
      place,
      `${shown} came twice in ${zone.name}; ${isoMicros(taken)} is taken`,
    );
    return taken;
  }
}
