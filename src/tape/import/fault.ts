// What makes an import impossible as a whole: an option that is missing or wrong, a file that is not what it was said to be.
// A single row that is bad is never one of these: it is a finding, and the import goes on.

/** Where in an imported file. */
export interface ImportPlace {
  readonly file: string;
  /** The line, or the row of a file without lines, from 1; `null` where the whole file is meant. */
  readonly line: number | null;
}

/** An import that cannot be done, and what would make it possible. */
export class ImportFault extends Error {
  override readonly name = 'ImportFault';
  readonly place: ImportPlace | null;
  /** What is wrong, without the place. */
  readonly what: string;

  constructor(place: ImportPlace | null, what: string, options?: ErrorOptions) {
    const line = place?.line === null || place === null ? '' : `, line ${place.line}`;
    super(place === null ? what : `${place.file}${line}: ${what}`, options);
    // Whoever reads lines may go on with the same object.
    this.place = place === null ? null : { file: place.file, line: place.line };
    this.what = what;
  }
}
