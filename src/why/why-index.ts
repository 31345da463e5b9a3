// Makes the index of a journal session by session, and keeps the running session's index up to date. Must never leave
// half of a file under a finished name, nor let two processes write one index.
import { renameSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { makeFolder } from '../log/make-folder.ts';
import { FolderLock } from '../tape/journal/folder-lock.ts';
import { type SessionHeader, sessionHeaders } from '../tape/journal/session-headers.ts';
import { FactStore } from './fact-store.ts';
import { growingFile, indexFile, openIndexWhenReached, removeGrowing, removeOtherSessions } from './index-files.ts';
import { SessionRecording } from './replayed-facts.ts';
import { WhyFault } from './why-fault.ts';
import type { StoreOptions, WhySource } from './why-source.ts';

/** A session that was indexed, or the reason why it was not. */
export interface IndexedSession {
  readonly session: string;
  /** `null` when nothing was replayed. */
  readonly inputs: number | null;
  /** Reason why the session has no new index; `null` when it has one. */
  readonly leftOut: string | null;
}

interface IndexPlace {
  readonly session: string;
  readonly indexFolder: string;
}

/**
 * Indexes every session without an index, and removes the index of sessions that are gone. A running session is
 * indexed again each time, as far as it is written.
 * @throws {WhyFault} without a folder.
 * @throws {StorageFault} when another process writes the index.
 */
export function buildWhyIndex(source: WhySource, options: StoreOptions = {}): Promise<readonly IndexedSession[]> {
  return withIndexFolder(source, async (indexFolder) => {
    const built: IndexedSession[] = [];
    for (const { session } of prepareSessions(source, indexFolder)) {
      if (options.signal?.aborted) break;
      built.push(await indexSession(source, { session, indexFolder }, options));
    }
    return built;
  });
}

async function withIndexFolder<T>({ indexFolder }: WhySource, act: (folder: string) => Promise<T>): Promise<T> {
  if (indexFolder === null) throw new WhyFault('an index needs a folder');
  makeFolder(indexFolder, 0o700);
  const lock = FolderLock.acquire(indexFolder);
  try {
    return await act(indexFolder);
  } finally {
    lock.release();
  }
}

/** The sessions in which a bot ran. Index files of other sessions are removed. */
function prepareSessions({ journal }: WhySource, indexFolder: string): readonly SessionHeader[] {
  const headers = sessionHeaders(journal).filter(({ of }) => of === 'journal');
  removeOtherSessions(indexFolder, new Set(headers.map(({ session }) => session)));
  return headers;
}

async function indexSession(source: WhySource, place: IndexPlace, options: StoreOptions): Promise<IndexedSession> {
  const { session } = place;
  const known = await openIndexWhenReached(source, session);
  known?.close();
  if (known) return { session, inputs: null, leftOut: 'it has its index' };
  const growing = new GrowingIndex(source, place, options);
  try {
    await growing.recordWritten();
    if (!options.signal?.aborted) return { session, inputs: growing.finishFile(), leftOut: null };
    return { session, inputs: null, leftOut: 'it was stopped' };
  } catch (fault) {
    if (!(fault instanceof WhyFault)) throw fault;
    return { session, inputs: null, leftOut: fault.message };
  } finally {
    growing.discard();
  }
}

/** News from `followWhyIndex`. */
export type IndexNews =
  /** The index had everything in the running session's journal at that time. */
  | { readonly type: 'current'; readonly session: string; readonly inputs: number }
  | ({ readonly type: 'indexed' } & IndexedSession);

export interface FollowOptions extends StoreOptions {
  readonly signal: AbortSignal;
  readonly onNews?: (news: IndexNews) => void;
}

/** Interval at which the journal is read. Milliseconds. */
const LOOK_MS = 1000;

/**
 * Keeps the index of the running session, and then of each later session, until the signal. Earlier sessions are left
 * to `buildWhyIndex`.
 * @throws {WhyFault} without a folder.
 * @throws {StorageFault} when another process writes the index.
 */
export function followWhyIndex(source: WhySource, options: FollowOptions): Promise<void> {
  return withIndexFolder(source, async (indexFolder) => {
    let done: string | null = null;
    while (!options.signal.aborted) {
      const session = prepareSessions(source, indexFolder).at(-1)?.session ?? null;
      if (session !== null && session !== done) {
        const indexed = await followSession(source, { session, indexFolder }, options);
        if (!options.signal.aborted) options.onNews?.({ type: 'indexed', ...indexed });
        done = session;
      }
      await pause(options.signal);
    }
  });
}

/** Resolves after `LOOK_MS` or at the signal. */
const pause = (signal: AbortSignal): Promise<void> => delay(LOOK_MS, undefined, { signal }).catch(() => undefined);

async function followSession(source: WhySource, place: IndexPlace, options: FollowOptions): Promise<IndexedSession> {
  const { session, indexFolder } = place;
  const { signal, onNews } = options;
  const growing = new GrowingIndex(source, place, options);
  let isCurrent = false;
  try {
    while (!signal.aborted) {
      await growing.recordWritten();
      if (growing.isOver) return { session, inputs: growing.finishFile(), leftOut: null };
      if (!isCurrent && !signal.aborted) {
        // This file now covers all that the files of earlier recordings cover.
        removeGrowing(indexFolder, session, growing.file);
        onNews?.({ type: 'current', session, inputs: growing.inputs });
        isCurrent = true;
      }
      await pause(signal);
    }
    growing.leave();
    return { session, inputs: null, leftOut: 'it was stopped' };
  } catch (fault) {
    if (!(fault instanceof WhyFault)) throw fault;
    return { session, inputs: null, leftOut: fault.message };
  } finally {
    growing.discard();
  }
}

/** The file of one session while it grows. Others may read it at the same time. */
export class GrowingIndex {
  readonly file: string;
  readonly #place: IndexPlace;
  readonly #store: FactStore;
  readonly #recording: SessionRecording;
  #isClosed = false;

  constructor(source: WhySource, place: IndexPlace, { onProgress, signal }: StoreOptions = {}) {
    const { journal: storage, version, strategies } = source;
    const { session, indexFolder } = place;
    this.#place = place;
    this.file = growingFile(indexFolder, session);
    this.#store = FactStore.createStore(this.file, true);
    const store = this.#store;
    const calls = { ...(onProgress && { onProgress }), ...(signal && { signal }) };
    this.#recording = new SessionRecording({ storage, session, store, strategies, version, ...calls });
  }

  /** True when no more of the session can be read. */
  get isOver(): boolean {
    return this.#recording.isOver;
  }

  /** Number of inputs replayed so far. */
  get inputs(): number {
    return this.#recording.inputs;
  }

  /** Records what was written to the journal since the last call. */
  recordWritten(): Promise<void> {
    return this.#recording.recordWritten();
  }

  /** Makes the file the session's finished file. Returns the number of inputs. */
  finishFile(): number {
    const { inputs } = this.#recording.endRecording();
    const { session, indexFolder } = this.#place;
    const finished = indexFile(indexFolder, session);
    const part = `${finished}.part`;
    rmSync(part, { force: true });
    this.#store.copyTo(part);
    this.leave();
    renameSync(part, finished);
    removeGrowing(indexFolder, session);
    return inputs;
  }

  /** Closes the file and keeps it: it serves answers until another file reaches further. */
  leave(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#store.close();
  }

  /** Closes the file and removes it. */
  discard(): void {
    if (this.#isClosed) return;
    this.leave();
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${this.file}${suffix}`, { force: true });
  }
}
