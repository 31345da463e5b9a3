// Reads a venue's answers from files. A file is one JSON value (an answer or a list of answers), or has one answer per
// line. Must never hold more than one file of answers, or one chunk of lines.
import { readFileSync, statSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type ImportPlace, ImportFault } from '../import-fault.ts';
import { isSystemError, lineChunks, reasonOf, withoutMark } from './line-chunks.ts';
import { foundText } from '../import-findings.ts';
import type { ImportContext } from '../import-format.ts';
import { parseJsonOrUndefined } from './json-records.ts';

/** Most bytes of a file that may be one JSON value and is read whole. */
const ANSWER_BYTES_MAX = 64 << 20;
const UNPACKED_BYTES_MAX = 4 * ANSWER_BYTES_MAX;
const LINES = /\.(jsonl|ndjson)(\.gz)?$/;

/** An answer and its place. */
export interface FileAnswer {
  readonly json: unknown;
  readonly place: ImportPlace;
}

/**
 * Reads the answers of a file, in sequence. A line that is not JSON is a finding.
 * @throws {ImportFault} when a file cannot be read, or is too long to be read whole.
 */
export async function* answersIn(file: string, context: ImportContext): AsyncGenerator<readonly FileAnswer[]> {
  const whole = LINES.test(file) ? undefined : parseJsonOrUndefined(wholeText(file));
  if (whole === undefined) return yield* answersByLine(file, context);
  context.addBytes(statSync(file).size);
  const items: readonly unknown[] = Array.isArray(whole) ? whole : [whole];
  yield items.map((json) => ({ json, place: { file, line: 1 } }));
}

/** @throws {ImportFault} when the file is too long, or cannot be read or unpacked. */
function wholeText(file: string): string {
  if (statSync(file).size > ANSWER_BYTES_MAX) throw tooLong(file, ANSWER_BYTES_MAX, 'bytes');
  try {
    const bytes = readFileSync(file);
    const text = file.endsWith('.gz') ? gunzipSync(bytes, { maxOutputLength: UNPACKED_BYTES_MAX }) : bytes;
    return withoutMark(text.toString());
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    if (cause.code === 'ERR_BUFFER_TOO_LARGE') throw tooLong(file, UNPACKED_BYTES_MAX, 'unpacked bytes');
    throw new ImportFault({ file, line: null }, `cannot be read: ${reasonOf(cause)}`, { cause });
  }
}

const tooLong = (file: string, most: number, what: string): ImportFault =>
  new ImportFault(
    { file, line: null },
    `expected answers of at most ${most} ${what}, or one a line in a file that ends in .jsonl`,
  );

async function* answersByLine(
  file: string,
  { findings, addBytes, countRow }: ImportContext,
): AsyncGenerator<readonly FileAnswer[]> {
  for await (const { bytes, line } of lineChunks(file, addBytes)) {
    const answers: FileAnswer[] = [];
    bytes
      .toString()
      .split('\n')
      .forEach((text, at) => {
        const place = { file, line: line + at };
        if (text.trim() === '') return;
        const json = parseJsonOrUndefined(place.line === 1 ? withoutMark(text) : text);
        if (json !== undefined) return void answers.push({ json, place });
        countRow();
        findings.addFinding('bad-row', place, `expected an answer as JSON, found ${foundText(text)}`);
      });
    yield answers;
  }
}
