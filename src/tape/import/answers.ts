// Reads a venue's answers from files: one JSON value for a file, a list of answers, or one answer a line. Must never
// hold more than one file of answers, or one chunk of lines.
import { readFileSync, statSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type ImportPlace, ImportFault } from './fault.ts';
import { lineChunks } from './files.ts';
import { found } from './findings.ts';
import type { Telling } from './importer.ts';
import { parsed } from './json.ts';

/** Maximum bytes of a file that is one JSON value, which is read whole. */
const ANSWER_BYTES_MAX = 64 << 20;
const LINES = /\.(jsonl|ndjson)(\.gz)?$/;

/** An answer and its place. */
export interface Answer {
  readonly json: unknown;
  readonly place: ImportPlace;
}

/**
 * The answers of a file, in order. A line that is not JSON is a finding.
 * @throws {ImportFault} when a file without lines is too long to be read whole.
 */
export async function* answersIn(file: string, context: Telling): AsyncGenerator<readonly Answer[]> {
  const whole = LINES.test(file) ? undefined : parsed(wholeText(file));
  if (whole === undefined) return yield* answersByLine(file, context);
  context.progress(statSync(file).size);
  const items: readonly unknown[] = Array.isArray(whole) ? whole : [whole];
  yield items.map((json) => ({ json, place: { file, line: 1 } }));
}

function wholeText(file: string): string {
  const bytes = readFileSync(file);
  if (bytes.length > ANSWER_BYTES_MAX)
    throw new ImportFault(
      { file, line: null },
      `expected answers of at most ${ANSWER_BYTES_MAX} bytes, or one a line in a file that ends in .jsonl`,
    );
  return (file.endsWith('.gz') ? gunzipSync(bytes, { maxOutputLength: 4 * ANSWER_BYTES_MAX }) : bytes).toString();
}

async function* answersByLine(file: string, { findings, progress }: Telling): AsyncGenerator<readonly Answer[]> {
  for await (const { bytes, line } of lineChunks(file, progress)) {
    const answers: Answer[] = [];
    bytes
      .toString()
      .split('\n')
      .forEach((text, at) => {
        const place = { file, line: line + at };
        if (text.trim() === '') return;
        const json = parsed(text);
        if (json !== undefined) answers.push({ json, place });
        else findings.add('bad-row', place, `expected an answer as JSON, found ${found(text)}`);
      });
    yield answers;
  }
}
