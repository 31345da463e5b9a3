// A damaged tape: the file, line and entry, with the expected and the found value. Must never quote more of a line than
// is needed to recognize it.

/** A place in a tape. */
export interface TapePlace {
  readonly file: string;
  /** Line in the file, from 1; `null` for the whole file. */
  readonly line: number | null;
  /** Number of the entry; `null` when unknown. */
  readonly seq: number | null;
}

/**
 * Thrown when a tape cannot be written or read, or is damaged. A writer then throws the same fault at every later call.
 */
export class TapeFault extends Error implements TapePlace {
  override readonly name = 'TapeFault';
  readonly file: string;
  readonly line: number | null;
  readonly seq: number | null;
  /** The problem, without the place. */
  readonly problem: string;

  constructor({ file, line, seq }: TapePlace, what: string, options?: ErrorOptions) {
    const place = [file, line === null ? '' : `line ${line}`, seq === null ? '' : `entry ${seq}`];
    super(`${place.filter((part) => part !== '').join(', ')}: ${what}`, options);
    this.file = file;
    this.line = line;
    this.seq = seq;
    this.problem = what;
  }
}
