// What is wrong with a tape: the file, the line and the entry, what was expected there and what was found.
// Must never quote more of a line than it takes to recognize it.

/** Where in a tape. */
export interface TapePlace {
  readonly file: string;
  /** The line in the file, from 1; `null` where the whole file is meant. */
  readonly line: number | null;
  /** The entry's number; `null` where it is not known. */
  readonly seq: number | null;
}

/** A tape that cannot be written, read, or believed. Once a writer has thrown it, it throws it at every call. */
export class TapeFault extends Error implements TapePlace {
  override readonly name = 'TapeFault';
  readonly file: string;
  readonly line: number | null;
  readonly seq: number | null;
  /** What is wrong, without the place. */
  readonly what: string;

  constructor({ file, line, seq }: TapePlace, what: string, options?: ErrorOptions) {
    const place = [file, line === null ? '' : `line ${line}`, seq === null ? '' : `entry ${seq}`];
    super(`${place.filter((part) => part !== '').join(', ')}: ${what}`, options);
    this.file = file;
    this.line = line;
    this.seq = seq;
    this.what = what;
  }
}
