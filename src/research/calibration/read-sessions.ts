// Reads the sessions of a folder for a calibration. Must never count an answer that a simulated venue gave.
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from '../../app/usage-error.ts';
import { type RequestCommand, isFeedCommand } from '../../domain/venue-command.ts';
import { setupFromManifest } from '../../runtime/replay/session-manifest.ts';
import { commandsOf, inputOf } from '../../tape/format/input-lines.ts';
import { segmentsOf } from '../../tape/format/segment-files.ts';
import { type SegmentHeader, readHeader } from '../../tape/format/segment-header.ts';
import type { Entry } from '../../tape/format/tape-line.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import { TapeReader } from '../../tape/journal/tape-reader.ts';
import type { Normalizer } from '../../venue.ts';
import { SessionCollector } from './session-collector.ts';
import type { SessionFacts } from './calibration-facts.ts';

/** The places that hold sessions, in words. */
export const SESSION_PLACES = 'a data folder, its journal, or what `run --record` wrote';

/** A session with the folder of its tape. */
export interface FoundSession {
  readonly folder: string;
  /** Name of the venue's wire profile. */
  readonly profile: string;
  readonly facts: SessionFacts;
}

/** The sessions of some places, and those that say nothing about a venue. */
export interface FoundSessions {
  readonly sessions: readonly FoundSession[];
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

/** Entries between two reports of progress. */
const ENTRIES_PER_PROGRESS = 65_536;

/**
 * Reads all sessions of a place, or the one that it names: `var/bot#NAME`.
 * @param onProgress receives the number of entries read.
 * @throws {UsageError} when the place has no tape, or not the named session.
 * @throws {TapeFault} when the tape is damaged.
 */
export function readSessions(place: string, onProgress: (entries: number) => void = () => undefined): FoundSessions {
  const { folder, wanted } = sessionPlace(place);
  const found: FoundSession[] = [];
  const leftOut: { name: string; reason: string }[] = [];
  let running: SessionReading | null = null;
  const close = (): void => {
    if (running === null) return;
    const { name, reason } = running;
    if (reason === null) found.push({ folder, profile: running.profile, facts: running.facts() });
    else if (wanted === undefined || wanted === name) leftOut.push({ name, reason });
  };
  let entries = 0;
  for (const entry of new TapeReader(fileStorage(folder)).entries()) {
    if (++entries % ENTRIES_PER_PROGRESS === 0) onProgress(entries);
    const header = headerOf(entry);
    if (header !== null && header.session !== running?.name) {
      close();
      running = new SessionReading(header, folder, wanted);
    }
    running?.onEntry(entry);
  }
  close();
  if (found.length === 0 && leftOut.length === 0)
    throw new UsageError(`${place}: expected a session${wanted === undefined ? '' : ` ${wanted}`}, found none`);
  return { sessions: found, leftOut };
}

/**
 * One table of delays describes one venue.
 * @throws {UsageError} for sessions of different venues.
 */
export function refuseOtherVenues(sessions: readonly { readonly name: string; readonly profile: string }[]): void {
  const [first] = sessions;
  const other = sessions.find(({ profile }) => profile !== first?.profile);
  if (first === undefined || other === undefined) return;
  const [own, others] = [first, other].map(({ name, profile }) => `${name} of ${profile}`);
  throw new UsageError(`expected sessions of one venue, found ${own} and ${others}`);
}

function sessionPlace(place: string): { readonly folder: string; readonly wanted?: string } {
  const mark = place.lastIndexOf('#');
  const isNamed = mark > 0 && !existsSync(place);
  const path = resolve(isNamed ? place.slice(0, mark) : place);
  if (!(statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false))
    throw new UsageError(`${place}: expected ${SESSION_PLACES}, found ${existsSync(path) ? 'a file' : 'nothing'}`);
  const folder = [path, join(path, 'journal')].find(
    (each) => existsSync(each) && segmentsOf(fileStorage(each)).length > 0,
  );
  if (folder === undefined) throw new UsageError(`${place}: expected ${SESSION_PLACES}, found a folder without a tape`);
  return { folder, ...(isNamed && { wanted: place.slice(mark + 1) }) };
}

function headerOf(entry: Entry): SegmentHeader | null {
  const header = entry.kind === 'segment' ? readHeader(entry.payload) : null;
  return typeof header === 'string' ? null : header;
}

/** Reads the entries of one session. */
class SessionReading {
  readonly name: string;
  readonly profile: string;
  /** Why the session says nothing; `null` when it does. */
  readonly reason: string | null;
  readonly #collector: SessionCollector | null = null;
  readonly #normalizer: Normalizer | null = null;
  readonly #requests = new Map<number, RequestCommand>();

  constructor({ session, of, manifest }: SegmentHeader, folder: string, wanted: string | undefined) {
    this.name = session;
    this.profile = manifest?.profile ?? '';
    this.reason = reasonOf();
    if (this.reason !== null || manifest === undefined) return;
    const { venue } = setupFromManifest(manifest, folder);
    this.#normalizer = venue.normalizer;
    this.#collector = new SessionCollector(session, venue.tickers);

    function reasonOf(): string | null {
      if (wanted !== undefined && wanted !== session) return 'not asked for';
      if (of === 'recording') return 'a recording of the feed alone: it has no orders';
      if (manifest === undefined) return 'its beginning is no longer kept';
      return manifest.isPaper ? 'a paper session: its orders and answers are simulated' : null;
    }
  }

  facts(): SessionFacts {
    if (this.#collector === null) throw new RangeError('expected a session that was read');
    return this.#collector.facts();
  }

  onEntry(entry: Entry): void {
    const collector = this.#collector;
    if (collector === null) return;
    if (entry.kind === 'commands') {
      for (const command of commandsOf(entry))
        if (!isFeedCommand(command)) {
          this.#requests.set(command.id, command);
          collector.onCommand(command);
        }
      return;
    }
    const input = inputOf(entry, (id) => this.#requests.get(id));
    if (input === null) return;
    if (input.type === 'event') return collector.onEvent(input.event);
    if (input.type === 'answer') {
      this.#requests.delete(input.command.id);
      if (input.outcome.type === 'answered') collector.beginAnswer(input.command, input.askedAt, input.at);
    }
    this.#normalizer?.normalize(input, (event) => collector.onEvent(event));
    collector.endAnswer();
  }
}
