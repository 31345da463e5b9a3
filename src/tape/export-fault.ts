// Why rows could not be exported. Apart from what exports them, so that who only tells of it need not load that.

/** A file that cannot be written. */
export class ExportFault extends Error {
  override readonly name = 'ExportFault';
}
