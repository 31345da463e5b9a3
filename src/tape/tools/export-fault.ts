// The error of an export, in a file of its own: code that only reports the error does not load the exporter.

/** Thrown when a file cannot be written. */
export class ExportFault extends Error {
  override readonly name = 'ExportFault';
}
