// The clock of an imported tape, which never goes back. Must never change a row's time without a finding.
import { EPOCH, type Micros } from '../../../domain/units.ts';
import { type ImportPlace, ImportFault } from '../import-fault.ts';
import type { Findings } from '../import-findings.ts';
import { isoMicros } from '../../format/iso-time.ts';

/** Number of first rows by which a file with the newest row first is recognized. */
const TRIAL_ROWS = 1000;

/** Dates rows. */
export class TapeClock {
  readonly #findings: Findings;
  #last: Micros = EPOCH;
  #rows = 0;
  #backRows = 0;
  /** Own time of the last of the first rows. `#falls` and `#rises` count those earlier or later than the row just before. */
  #lastSaid: Micros = EPOCH;
  #falls = 0;
  #rises = 0;
  #lastBack: ImportPlace = { file: '', line: null };

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** Time of the last row; the epoch before any row. */
  get lastAt(): Micros {
    return this.#last;
  }

  /**
   * Returns the time of a row on the tape: the later of its own time and the time of the row before.
   * @throws {ImportFault} when most of the first rows go back in time: the file has the newest row first.
   */
  dateRow(at: Micros, place: ImportPlace): Micros {
    this.#rows += 1;
    if (this.#rows <= TRIAL_ROWS) this.#compareTimes(at);
    if (at >= this.#last) return (this.#last = at);
    this.#backRows += 1;
    const back = (this.#last - at) / 1_000_000;
    this.#findings.addFinding('back-in-time', place, `${isoMicros(at)} is ${back} s before the row before it`);
    this.#lastBack = { file: place.file, line: place.line };
    if (this.#rows <= TRIAL_ROWS && this.#backRows > TRIAL_ROWS / 2) this.#refuseNewestFirst();
    return this.#last;
  }

  #compareTimes(at: Micros): void {
    if (at < this.#lastSaid) this.#falls += 1;
    else if (at > this.#lastSaid) this.#rises += 1;
    this.#lastSaid = at;
  }

  /**
   * Ends the rows.
   * @throws {ImportFault} when a short file has the newest row first.
   */
  endRows(): void {
    if (this.#rows <= TRIAL_ROWS && this.#backRows > this.#rows / 2) this.#refuseNewestFirst();
  }

  /** Several captures of the same time, one after the other, also go back, but their rows rise between. */
  #refuseNewestFirst(): void {
    if (this.#falls <= this.#rises) return;
    throw new ImportFault(
      this.#lastBack,
      'expected the oldest row first, found the newest first: sort the file by its time',
    );
  }
}
