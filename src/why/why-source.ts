// Where answers come from: the journal of a bot, and beside it the index, one file of facts for each session. Without
// an index the session is replayed. Must never answer from an index of another setup, nor leave half of one behind.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BoundStrategy } from '../strategy/strategy-definition.ts';
import type { Manifest } from '../tape/format/segment-header.ts';
import type { Storage } from '../tape/journal/storage.ts';
import { sessionHeaders } from '../tape/journal/session-headers.ts';
import { FactStore } from './fact-store.ts';
import { recordSession, type WhyProgress } from './replayed-facts.ts';
import { WhyFault } from './why-fault.ts';
import type { SessionFacts } from './why-facts.ts';

/** Everything that answers are made from. */
export interface WhySource {
  readonly journal: Storage;
  /** Folder of the index; `null` for none. */
  readonly indexFolder: string | null;
  /** Version of this program. */
  readonly version: string;
  /** Makes the strategies of a session. */
  readonly strategies: (manifest: Manifest) => Promise<readonly BoundStrategy[]>;
}

/** Progress and cancel of an answer. */
export interface StoreOptions {
  /** Called about every 20 000 entries while a session is replayed. */
  readonly onProgress?: ((progress: WhyProgress) => void) | undefined;
  /** Ends the replay: the answer then fails with a `WhyFault`. */
  readonly signal?: AbortSignal | undefined;
}

const SUFFIX = '.facts.db';

/** File of a session's facts. */
export const indexFile = (folder: string, session: string): string => join(folder, `${session}${SUFFIX}`);

/**
 * Opens the facts of a session until a time, lets a function answer from them, and closes them.
 * @throws {WhyFault} when the session cannot be replayed, or the signal ends the replay.
 */
export async function withFacts<Answer>(
  source: WhySource,
  { session, ...options }: StoreOptions & { readonly session: string; readonly toUs?: number },
  answer: (store: FactStore, session: SessionFacts) => Answer,
): Promise<Answer> {
  const store = openIndex(source, session, options.toUs) ?? (await replayedFacts(source, session, options));
  try {
    const facts = store.sessionFacts();
    if (facts === null) throw new WhyFault(`session ${session} has no facts`);
    return answer(store, facts);
  } finally {
    store.close();
  }
}

/** The index of a session, when it has one that covers the time. */
function openIndex({ indexFolder }: WhySource, session: string, toUs = Number.POSITIVE_INFINITY): FactStore | null {
  if (indexFolder === null) return null;
  const file = indexFile(indexFolder, session);
  const store = existsSync(file) ? FactStore.openStore(file) : null;
  const facts = store?.sessionFacts() ?? null;
  if (store === null || facts === null) return null;
  if (facts.end !== null || facts.hole !== null || toUs <= facts.toUs) return store;
  store.close();
  return null;
}

async function replayedFacts(
  { journal: storage, version, strategies }: WhySource,
  session: string,
  { toUs, onProgress, signal }: StoreOptions & { readonly toUs?: number },
): Promise<FactStore> {
  const store = FactStore.createStore();
  try {
    const range = { ...(toUs !== undefined && { toUs }), ...(onProgress && { onProgress }), ...(signal && { signal }) };
    await recordSession({ storage, session, store, strategies, version, ...range });
    if (signal?.aborted) throw new WhyFault('the replay was stopped before it reached the moment');
    return store;
  } catch (fault) {
    store.close();
    throw fault;
  }
}

/** A session that was indexed, or the reason why it was not. */
export interface IndexedSession {
  readonly session: string;
  /** `null` when nothing was replayed: the index was there, or the session cannot be replayed. */
  readonly inputs: number | null;
  /** Reason why it has no new index; `null` when it has one. */
  readonly leftOut: string | null;
}

/**
 * Indexes every session of the journal that has no index, and removes the index of sessions that are gone. A session
 * that still runs is indexed as far as it is written, again each time.
 */
export async function buildWhyIndex(source: WhySource, options: StoreOptions = {}): Promise<readonly IndexedSession[]> {
  const { indexFolder, journal } = source;
  if (indexFolder === null) throw new WhyFault('an index needs a folder');
  mkdirSync(indexFolder, { recursive: true, mode: 0o700 });
  const headers = sessionHeaders(journal).filter(({ of }) => of === 'journal');
  removeOthers(indexFolder, new Set(headers.map(({ session }) => session)));
  const built: IndexedSession[] = [];
  for (const { session } of headers) {
    if (options.signal?.aborted) break;
    built.push(await indexSession(source, { session, indexFolder }, options));
  }
  return built;
}

function removeOthers(folder: string, sessions: ReadonlySet<string>): void {
  for (const name of readdirSync(folder))
    if (name.includes(SUFFIX) && !sessions.has(name.slice(0, name.indexOf(SUFFIX)))) rmSync(join(folder, name));
}

async function indexSession(
  source: WhySource,
  { session, indexFolder }: { readonly session: string; readonly indexFolder: string },
  options: StoreOptions,
): Promise<IndexedSession> {
  const known = openIndex(source, session);
  known?.close();
  if (known) return { session, inputs: null, leftOut: 'it has its index' };
  const { journal: storage, version, strategies } = source;
  const { onProgress, signal } = options;
  const file = indexFile(indexFolder, session);
  const part = `${file}.part-${process.pid}`;
  rmSync(part, { force: true });
  const store = FactStore.createStore(part);
  try {
    const calls = { ...(onProgress && { onProgress }), ...(signal && { signal }) };
    const { inputs } = await recordSession({ storage, session, store, strategies, version, ...calls });
    store.close();
    if (signal?.aborted) return { session, inputs: null, leftOut: 'it was stopped' };
    renameSync(part, file);
    return { session, inputs, leftOut: null };
  } catch (fault) {
    if (!(fault instanceof WhyFault)) throw fault;
    return { session, inputs: null, leftOut: fault.message };
  } finally {
    rmSync(part, { force: true });
  }
}
