// The error of an export. This file is separate, so that code that only reports the error does not load the exporter.

/** A file that cannot be written. */
export class ExportFault extends Error {
  override readonly name = 'ExportFault';
}
