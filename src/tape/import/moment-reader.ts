// The times of one file's rows, in order: what a wall clock showed is turned to a moment by its zone and the row before.
// Must never take a time without a zone for one in UTC.
import { EPOCH, type Micros, fromSeconds } from '../../domain/units.ts';
import { type ImportPlace, ImportFault } from './fault.ts';
import { type Findings, found } from './findings.ts';
import { type Moment, readMoment } from '../../domain/moment.ts';
import { momentText } from './moment.ts';
import { TimeZone } from './time-zone.ts';

/** Rows of one file are out of order by no more: what is earlier by more is of the second time that the clock showed it. */
const DISORDER_MAX = fromSeconds(60);

/** Reads times. */
export class MomentReader {
  readonly #findings: Findings;
  readonly #zone: TimeZone | null;
  #last: Micros = EPOCH;

  /** @throws {ImportFault} when there is no such zone. */
  constructor(findings: Findings, timeZone: string | undefined) {
    this.#findings = findings;
    this.#zone = timeZone === undefined ? null : new TimeZone(timeZone);
  }

  /**
   * The moment that a text means; `null` when there is none, which is told.
   * @throws {ImportFault} when it tells no zone and none was given.
   */
  read(text: string | number, place: ImportPlace): Micros | null {
    const moment = readMoment(text);
    if (moment === null) {
      this.#findings.add('bad-row', place, `expected a time, found ${found(text)}`);
      return null;
    }
    return this.resolve(moment, place);
  }

  /**
   * The moment that was meant; `null` when there is none, which is told.
   * @throws {ImportFault} when it tells no zone and none was given.
   */
  resolve(moment: Moment, place: ImportPlace): Micros | null {
    const at = moment.kind === 'instant' ? moment.at : this.#zoned(moment.wall, place);
    if (at !== null) this.#last = at;
    return at;
  }

  #zoned(wall: Micros, place: ImportPlace): Micros | null {
    const zone = this.#zone;
    const shown = momentText(wall).slice(0, -1);
    if (zone === null)
      throw new ImportFault(place, `expected a time zone to be given, found ${shown}, which tells none`);
    const [first, second] = zone.momentsOf(wall);
    if (first === undefined) {
      this.#findings.add('nonexistent-time', place, `${shown} never was in ${zone.name}`);
      return null;
    }
    if (second === undefined) return first;
    const taken = first >= this.#last - DISORDER_MAX ? first : second;
    this.#findings.add('ambiguous-time', place, `${shown} was twice in ${zone.name}; ${momentText(taken)} is taken`);
    return taken;
  }
}
