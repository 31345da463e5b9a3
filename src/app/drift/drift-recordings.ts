// Reads a folder of recordings for `presage drift`: answers with their requests beside them, lines of JSON, and our own
// tapes. Must never guess the request of an answer.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { RequestCommand } from '../../domain/venue-command.ts';
import { isFeedCommand } from '../../domain/venue-command.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import { answerOf, commandsOf } from '../../tape/format/input-lines.ts';
import { sessionHeaders } from '../../tape/journal/session-headers.ts';
import { TapeReader } from '../../tape/journal/tape-reader.ts';
import { segmentsOf } from '../../tape/format/segment-files.ts';
import type { AnswerOutcome } from '../../venue.ts';
import type { SeenAnswer } from '../../venues/trade-api/drift/published-schemas.ts';
import type { DriftTally } from '../../venues/trade-api/drift/drift-tally.ts';
import type { RequestBuilder } from '../../venues/trade-api/rest/request-builder.ts';
import { isRecord, parseBody } from '../../venues/trade-api/wire/json-record.ts';
import { UsageError } from '../usage-error.ts';

/** Receives recorded answers and messages. */
export type DriftSink = Pick<DriftTally, 'answer' | 'message'>;

export interface DriftSource {
  readonly tally: DriftSink;
  /** Finds the path of a tape's command. */
  readonly builder: RequestBuilder;
}

/** Names of the skipped files. Their answers have no request, or no line could be used. */
type PassedOver = string[];

/**
 * Reads everything in a folder and its subfolders.
 * @returns the names of the skipped files.
 * @throws {UsageError} when there is no such folder.
 * @throws {TapeFault} when a tape in the folder is damaged.
 */
export function readRecordings(folder: string, options: DriftSource): readonly string[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`--recordings: expected a folder, found none: ${folder}`);
  const passedOver: PassedOver = [];
  readFolder(folder, options, passedOver);
  return passedOver;
}

/**
 * Returns the profiles that the tapes in a folder and its subfolders name.
 * @throws {TapeFault} when a tape's header cannot be read.
 */
export function recordedProfiles(folder: string): readonly string[] {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return [];
  const storage = fileStorage(folder);
  const entries = readdirSync(folder, { withFileTypes: true });
  const profiles =
    segmentsOf(storage).length > 0
      ? sessionHeaders(storage).flatMap(({ profile }) => profile ?? [])
      : entries.flatMap((entry) => (entry.isDirectory() ? recordedProfiles(join(folder, entry.name)) : []));
  return [...new Set(profiles)].sort();
}

function readFolder(folder: string, options: DriftSource, passedOver: PassedOver): void {
  if (segmentsOf(fileStorage(folder)).length > 0) return readTape(folder, options);
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  const names = new Set(entries.map(({ name }) => name));
  for (const entry of entries) {
    const file = join(folder, entry.name);
    if (entry.isDirectory()) readFolder(file, options, passedOver);
    else if (entry.name.endsWith('.jsonl')) readLines(file, options, passedOver);
    else if (entry.name.endsWith('.json') && !entry.name.endsWith(META)) {
      const meta = entry.name.replace(/\.json$/, META);
      const answer = names.has(meta) ? readAnswer(file, join(folder, meta)) : null;
      if (answer === null) passedOver.push(file);
      else options.tally.answer(answer);
    }
  }
}

const META = '.meta.json';

/** The file `meta` holds the request: `method`, `path` or `url`, and `status`. */
function readAnswer(file: string, meta: string): SeenAnswer | null {
  return seenAnswer(parseBody(readFileSync(meta, 'utf8')), readFileSync(file, 'utf8'));
}

function seenAnswer(request: unknown, body: string): SeenAnswer | null {
  if (!isRecord(request)) return null;
  const { method, status, url } = request;
  const path = request['path'] ?? (typeof url === 'string' ? pathIn(url) : null);
  if (typeof method !== 'string' || typeof status !== 'number' || typeof path !== 'string') return null;
  return { method, path, status, body };
}

function pathIn(url: string): string | null {
  return URL.canParse(url) ? new URL(url).pathname : null;
}

/** Each line is a message of the feed, or an answer together with its request. */
function readLines(file: string, { tally }: DriftSource, passedOver: PassedOver): void {
  let count = 0;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const json = line.trim() === '' ? null : parseBody(line);
    if (!isRecord(json)) continue;
    const body = json['response_body'] ?? json['body'];
    const answer = typeof body === 'string' ? seenAnswer(json, body) : null;
    if (answer !== null) tally.answer(answer);
    else if (typeof json['type'] === 'string') tally.message(line);
    else continue;
    count += 1;
  }
  if (count === 0) passedOver.push(file);
}

/** The request of an answer comes before it on the tape. */
function readTape(folder: string, { tally, builder }: DriftSource): void {
  const requests = new Map<number, RequestCommand>();
  for (const entry of new TapeReader(fileStorage(folder)).entries()) {
    if (entry.kind === 'frame') tally.message(entry.payload.toString());
    else if (entry.kind === 'commands') {
      const commands = commandsOf(entry).filter((command) => !isFeedCommand(command));
      for (const command of commands) requests.set(command.id, command);
    } else if (entry.kind === 'answer') {
      const { id, outcome } = answerOf(entry);
      const command = requests.get(id);
      requests.delete(id);
      if (command !== undefined) countAnswer({ command, outcome }, { tally, builder });
    }
  }
}

/** Counts an answer with the path of its command. */
export function countAnswer(
  { command, outcome }: { readonly command: RequestCommand; readonly outcome: AnswerOutcome },
  { tally, builder }: DriftSource,
): void {
  if (outcome.type !== 'answered') return;
  const { endpoint, path } = builder.buildRequest(command);
  tally.answer({ method: endpoint.method, path, status: outcome.status, body: outcome.body });
}

/** Names the first few of the skipped files. */
export function passedOverText(files: readonly string[]): string {
  const shown = files.slice(0, 3).map((file) => basename(file));
  const more = files.length > shown.length ? ` and ${files.length - shown.length} more` : '';
  return `passed over, because they do not say what they answer: ${shown.join(', ')}${more}`;
}
