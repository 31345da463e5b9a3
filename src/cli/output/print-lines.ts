// Prints results on standard output.

/** Prints lines. */
export const printLines = (lines: readonly string[]): void =>
  void process.stdout.write(lines.map((line) => `${line}\n`).join(''));

/** Prints lines, or one JSON record. */
export function printRecord(isJson: true | undefined, record: object, lines: readonly string[]): void {
  process.stdout.write(isJson ? `${JSON.stringify(record)}\n` : `${lines.join('\n')}\n`);
}
