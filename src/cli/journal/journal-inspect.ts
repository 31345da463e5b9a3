// Selects entries of a journal and prints a line for each. Must never hold more lines than about twice the number after
// `--tail`.
import { once } from 'node:events';
import { UsageError } from '../../app/usage-error.ts';
import { isoMicros } from '../../tape/format/iso-time.ts';
import type { Micros } from '../../domain/units.ts';
import { frameOf } from '../../tape/format/input-lines.ts';
import { readHeader } from '../../tape/format/segment-header.ts';
import type { Entry } from '../../tape/format/tape-line.ts';
import { TapeReader } from '../../tape/journal/tape-reader.ts';
import type { Storage } from '../../tape/journal/storage.ts';
import { ExitCode } from '../output/exit-code.ts';
import { entryText } from './journal-text.ts';
import { OrderTrail, JournalRequests, type TrailStep } from './journal-trail.ts';

/** Options of the command: a selection of entries, and a format. */
export interface InspectOptions {
  readonly kind?: readonly string[];
  readonly order?: string;
  readonly market?: string;
  readonly session?: string;
  readonly from?: Micros;
  readonly to?: Micros;
  readonly tail?: number;
  readonly json?: true;
}

/**
 * Prints the selected entries.
 * @throws {UsageError} when the last moment is before the first one.
 * @throws {TapeFault} at the first damaged line, once the earlier entries are printed.
 */
export async function inspect(storage: Storage, options: InspectOptions): Promise<number> {
  refuseReversed(options);
  const kept: string[] = [];
  const { tail } = options;
  let found = 0;
  try {
    for (const line of linesOf(storage, options)) {
      found += 1;
      if (tail === undefined) {
        await print(line);
        continue;
      }
      kept.push(line);
      if (kept.length > 2 * tail) kept.splice(0, kept.length - tail);
    }
  } finally {
    for (const line of kept.slice(-(tail ?? 0))) await print(line);
  }
  // Without this line, a misspelled name would look like an empty result.
  if (found === 0) process.stderr.write('presage: no entry of the journal matches\n');
  return ExitCode.ok;
}

/** Without this, two moments in the wrong sequence would look like an empty journal. */
function refuseReversed({ from, to }: InspectOptions): void {
  if (from === undefined || to === undefined || from <= to) return;
  throw new UsageError(`--to: expected a moment from --from ${isoMicros(from)} on, found ${isoMicros(to)}`);
}

async function print(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}

/** Yields the selected entries as lines. */
export function* linesOf(storage: Storage, options: InspectOptions): Generator<string> {
  const requests = new JournalRequests();
  const trail = options.order === undefined ? null : new OrderTrail(options.order);
  let session = '';
  for (const entry of new TapeReader(storage).entries()) {
    requests.addEntry(entry);
    if (entry.kind === 'segment') session = sessionOf(entry) ?? session;
    const steps: (TrailStep | { entry: Entry; role: null })[] = trail?.stepsOf(entry) ?? [{ entry, role: null }];
    for (const { entry: chosen, role } of steps) {
      if (!isChosen(chosen, session, options)) continue;
      yield options.json
        ? jsonLine(chosen, session, role)
        : textLine(chosen, role, entryText(chosen, requests.requestOf));
    }
  }
}

function sessionOf(entry: Entry): string | null {
  const header = readHeader(entry.payload);
  return typeof header === 'string' ? null : header.session;
}

function isChosen(entry: Entry, session: string, options: InspectOptions): boolean {
  const { kind, market, from, to } = options;
  if (options.session !== undefined && session !== options.session) return false;
  if (kind !== undefined && !kind.includes(entry.kind)) return false;
  if (from !== undefined && entry.at < from) return false;
  if (to !== undefined && entry.at > to) return false;
  if (market === undefined) return true;
  const content = entry.kind === 'frame64' ? Buffer.from(frameOf(entry)) : entry.payload;
  return content.includes(`"${market}"`) || content.includes(`\\"${market}\\"`);
}

function textLine({ at, seq, kind }: Entry, role: TrailStep['role'] | null, text: string): string {
  return [isoMicros(at), String(seq), ...(role === null ? [] : [role.padEnd(7)]), kind.padEnd(9), text].join('  ');
}

function jsonLine({ seq, at, kind, payload }: Entry, session: string, role: TrailStep['role'] | null): string {
  const text = payload.toString();
  const isFrame = kind === 'frame' || kind === 'frame64';
  return JSON.stringify({
    seq,
    at,
    kind,
    session,
    ...(role !== null && { role }),
    payload: isFrame ? text : JSON.parse(text),
  });
}
