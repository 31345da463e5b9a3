// Errors that make an import impossible, such as a missing option or a file of another format. A single bad row is a
// finding instead, and the import continues.

/** A place in an imported file. */
export interface ImportPlace {
  readonly file: string;
  /** The line, or the row of a file without lines, from 1; `null` for the whole file. */
  readonly line: number | null;
}

/** An import that cannot be done. */
export class ImportFault extends Error {
  override readonly name = 'ImportFault';
  readonly place: ImportPlace | null;
  /** The problem, without the place. */
  readonly problem: string;

  constructor(place: ImportPlace | null, what: string, options?: ErrorOptions) {
    const line = place?.line === null || place === null ? '' : `, line ${place.line}`;
    super(place === null ? what : `${place.file}${line}: ${what}`, options);
    // Copied, because readers of lines update the same object.
    this.place = place === null ? null : { file: place.file, line: place.line };
    this.problem = what;
  }
}
