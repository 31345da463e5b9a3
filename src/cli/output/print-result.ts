// Prints the result of long work, and writes its file. Must never lose the result because the file cannot be written: the
// work may have taken hours.
import { type OnUnwritten, writeResult } from '../../app/usage-error.ts';
import { printLines } from './print-lines.ts';

/** A result, and the file that shows it. */
export interface FiledResult {
  /** Writes the file; `null` when there is none to write. */
  readonly write: (() => void) | null;
  /** The lines to print. `isUnwritten`: the file could not be written. */
  readonly linesOf: (isUnwritten: boolean) => readonly string[];
}

/** Writes the file, and prints the lines in any case. Returns false when the file could not be written. */
export function printResult({ write, linesOf }: FiledResult): boolean {
  const unwritten: string[] = [];
  const onUnwritten: OnUnwritten = ({ message }) => void unwritten.push(message);
  if (write !== null) writeResult(write, onUnwritten);
  printLines(linesOf(unwritten.length > 0));
  for (const message of unwritten) process.stderr.write(`presage: ${message}\n`);
  return unwritten.length === 0;
}
