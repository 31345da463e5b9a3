// The files of the index: one file of facts for each session, which grows while its session runs. Must never give the
// facts of another session, nor facts that are far behind a running session's journal.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SessionHeader } from '../tape/journal/session-headers.ts';
import { sessionHeaders } from '../tape/journal/session-headers.ts';
import { TapeFault } from '../tape/format/tape-fault.ts';
import type { Storage } from '../tape/journal/storage.ts';
import { TapeReader } from '../tape/journal/tape-reader.ts';
import { FactStore } from './fact-store.ts';
import type { SessionFacts } from './why-facts.ts';

const SUFFIX = '.facts.db';
const GROWING = '.growing-';

/** File of a session's facts, once they are complete. */
export const indexFile = (folder: string, session: string): string => join(folder, `${session}${SUFFIX}`);

/** File of a session's facts while they are being recorded. No two recordings share a file. */
export function growingFile(folder: string, session: string): string {
  const begin = `${session}${SUFFIX}${GROWING}`;
  const used = readdirSync(folder).flatMap((name) =>
    name.startsWith(begin) ? [Number(/^\d+/.exec(name.slice(begin.length))?.[0] ?? 0)] : [],
  );
  return join(folder, `${begin}${Math.max(0, ...used) + 1}`);
}

/** Removes files of sessions that are gone. */
export function removeOtherSessions(folder: string, sessions: ReadonlySet<string>): void {
  for (const name of readdirSync(folder))
    if (name.includes(SUFFIX) && !sessions.has(name.slice(0, name.indexOf(SUFFIX)))) rmSync(join(folder, name));
}

/** Removes the unfinished files of a session, except one. */
export function removeGrowing(folder: string, session: string, except: string | null = null): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const isExcepted = except !== null && path.startsWith(except);
    if (name.startsWith(`${session}${SUFFIX}.`) && !isExcepted) rmSync(path, { force: true });
  }
}

/** A journal and the folder of its index. */
interface IndexedJournal {
  readonly journal: Storage;
  /** `null` for no index. */
  readonly indexFolder: string | null;
}

/** The times for which an answer needs facts. Microseconds. */
export interface WantedTimes {
  /** The end of the asked time. @default the journal's end, as it is now. */
  readonly atUs?: number | undefined;
  /** Nothing after this time is needed. @default the end of the session. */
  readonly toUs?: number | undefined;
}

/** A running session's facts may be this much behind its journal. Microseconds. */
const LAG_US = 10_000_000;
/** Pause between two tries, and number of tries, until a growing file reaches the asked time. */
const LOOK_MS = 200;
const LOOKS_MAX = 25;

/**
 * Opens the index of a session when it has the facts of the times. Waits while the index is only seconds behind the
 * asked time. Returns `null` when the session has to be replayed.
 */
export async function openIndexWhenReached(
  { indexFolder, journal }: IndexedJournal,
  session: string,
  { atUs = Number.POSITIVE_INFINITY, toUs = Number.POSITIVE_INFINITY }: WantedTimes = {},
): Promise<FactStore | null> {
  if (indexFolder === null) return null;
  const header = sessionHeaders(journal).find((each) => each.session === session);
  if (header === undefined) return null;
  let [neededUs, looks] = [Number.POSITIVE_INFINITY, 0];
  for (;;) {
    const found = longestIndex(indexFolder, header);
    if (found === null) return null;
    const { store, facts } = found;
    if (facts.isOver || toUs <= facts.toUs) return store;
    const lastUs = lastTimeAfter(journal, facts);
    // The journal may end before the asked time.
    if (lastUs !== null) neededUs = Math.min(neededUs, atUs, lastUs);
    if (lastUs !== null && facts.toUs >= neededUs) return store;
    store.close();
    looks += 1;
    if (lastUs === null || looks === LOOKS_MAX) return null;
    await delay(LOOK_MS);
  }
}

/** Time of the journal's last entry; `null` when the facts are too far behind it. */
function lastTimeAfter(journal: Storage, { position, toUs }: SessionFacts): number | null {
  if (position === null) return null;
  let lastUs = toUs;
  try {
    for (const { at } of new TapeReader(journal, { after: position }).entries()) {
      if (at > toUs + LAG_US) return null;
      lastUs = at;
    }
    return lastUs;
  } catch (fault) {
    if (fault instanceof TapeFault) return null;
    throw fault;
  }
}

interface OpenedIndex {
  readonly store: FactStore;
  readonly facts: SessionFacts;
}

/** The file that reaches furthest. */
function longestIndex(folder: string, header: SessionHeader): OpenedIndex | null {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const begin = `${header.session}${SUFFIX}`;
  const files = names.filter((name) => name.startsWith(begin) && /^(?:\.growing-\d+)?$/.test(name.slice(begin.length)));
  const opened = files.map((name) => openFile(join(folder, name), header)).filter((index) => index !== null);
  const [longest = null, ...others] = opened.toSorted((a, b) => b.facts.toUs - a.facts.toUs);
  for (const { store } of others) store.close();
  return longest;
}

/** Opens a file whose facts come from this session's own setup. */
function openFile(path: string, { version, hash }: SessionHeader): OpenedIndex | null {
  const store = FactStore.openStore(path);
  const facts = store?.sessionFacts() ?? null;
  if (store === null || facts === null) return null;
  // A session's setup is unknown once its first file is gone. Its name still belongs to it alone.
  const isSame = hash === null || (facts.hash === hash && facts.version === version);
  if (isSame) return { store, facts };
  store.close();
  return null;
}
