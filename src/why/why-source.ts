// The journal of a bot and the index beside it, from which answers are made. Without an index the session is replayed.
// Must never answer from facts that the present journal would not give.
import type { BoundStrategy } from '../strategy/strategy-definition.ts';
import type { Manifest } from '../tape/format/segment-header.ts';
import type { Storage } from '../tape/journal/storage.ts';
import { FactStore } from './fact-store.ts';
import { openIndexWhenReached, type WantedTimes } from './index-files.ts';
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

/**
 * Opens the facts of a session until a time, lets a function answer from them, and closes them.
 * @throws {WhyFault} when the session cannot be replayed or the signal ends the replay.
 */
export async function withFacts<Answer>(
  source: WhySource,
  { session, ...options }: StoreOptions & WantedTimes & { readonly session: string },
  answer: (store: FactStore, session: SessionFacts) => Answer,
): Promise<Answer> {
  const indexed = await openIndexWhenReached(source, session, options);
  const store = indexed ?? (await replayedFacts(source, session, options));
  try {
    const facts = store.sessionFacts();
    if (facts === null) throw new WhyFault(`session ${session} has no facts`);
    return answer(store, facts);
  } finally {
    store.close();
  }
}

async function replayedFacts(
  { journal: storage, version, strategies }: WhySource,
  session: string,
  { toUs, onProgress, signal }: StoreOptions & { readonly toUs?: number | undefined },
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
