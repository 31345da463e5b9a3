// Records the facts of a session from its journal: replays it, from its beginning, into a store. Must never connect to
// anything, and never go on after a difference as if there were none: then it notes the recorded commands alone.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { EngineEvent } from '../domain/event.ts';
import { commandsOf } from '../tape/format/input-lines.ts';
import { type Manifest, type SegmentHeader, readHeader } from '../tape/format/segment-header.ts';
import { segmentsOf } from '../tape/format/segment-files.ts';
import type { Entry } from '../tape/format/tape-line.ts';
import { TapeFault } from '../tape/format/tape-fault.ts';
import type { Storage } from '../tape/journal/storage.ts';
import { TapeReader } from '../tape/journal/tape-reader.ts';
import { setupFromManifest } from '../runtime/replay/session-manifest.ts';
import { type ReplayDifference, SessionReplay } from '../runtime/replay/session-replay.ts';
import type { BoundStrategy } from '../strategy/strategy-definition.ts';
import type { FactStore } from './fact-store.ts';
import { WhyFault } from './why-fault.ts';
import type { SessionFacts } from './why-facts.ts';
import { WhyRecorder } from './why-recorder.ts';

/** Progress of a replay. */
export interface WhyProgress {
  readonly inputs: number;
  /** Time of the last entry read, microseconds. */
  readonly atUs: number;
  readonly fromUs: number;
  /** Time up to which it is replayed; `null` for the end of the session. */
  readonly toUs: number | null;
}

export interface RecordSessionOptions {
  readonly storage: Storage;
  readonly session: string;
  readonly store: FactStore;
  /** Makes the session's strategies. */
  readonly strategies: (manifest: Manifest) => Promise<readonly BoundStrategy[]>;
  /** Version of this program. A journal of another version is not replayed. */
  readonly version: string;
  /** Stops the replay after this time, microseconds. Default: the end of the session. */
  readonly toUs?: number;
  readonly onProgress?: (progress: WhyProgress) => void;
  /** Ends the replay early; what was recorded until then stays. */
  readonly signal?: AbortSignal;
}

const endSchema = z.object({ reason: z.string() });

/** Entries between two turns of the event loop: some 30 ms, so that a server can answer in between. */
const ENTRIES_PER_TURN = 1000;
const ENTRIES_PER_REPORT = 20_000;

/**
 * Replays a session into a store.
 * @throws {WhyFault} when the session cannot be replayed: it is gone, a recording, or of another version.
 * @throws {ManifestFault} when it cannot be set up again; and whatever `strategies` throws.
 */
export async function recordSession(options: RecordSessionOptions): Promise<SessionFacts> {
  const recording = new SessionRecording(options);
  options.store.beginBatch();
  try {
    await recording.recordEntries();
  } finally {
    options.store.endBatch();
  }
  return recording.facts();
}

class SessionRecording {
  readonly #options: RecordSessionOptions;
  readonly #recorder: WhyRecorder;
  #replay: SessionReplay | null = null;
  #manifest: Manifest | null = null;
  #strategies: readonly string[] = [];
  #fromUs = 0;
  #atUs = 0;
  #seq = 0;
  #end: string | null = null;
  #hole: SessionFacts['hole'] = null;
  #difference: SessionFacts['difference'] = null;

  constructor(options: RecordSessionOptions) {
    this.#options = options;
    this.#recorder = new WhyRecorder(options.store);
  }

  async recordEntries(): Promise<void> {
    const { storage, signal, toUs = Number.POSITIVE_INFINITY } = this.#options;
    const reader = new TapeReader(storage, { firstSegment: firstSegmentOf(storage, this.#options.session) });
    try {
      let count = 0;
      for (const entry of reader.entries()) {
        if (await this.#isOver(entry)) break;
        if (entry.at > toUs) break;
        this.#recordEntry(entry);
        count += 1;
        if (count % ENTRIES_PER_TURN !== 0) continue;
        if (count % ENTRIES_PER_REPORT === 0) this.#reportProgress();
        await nextTurn();
        if (signal?.aborted) break;
      }
    } catch (fault) {
      if (!(fault instanceof TapeFault)) throw fault;
      this.#hole = { afterUs: this.#atUs, text: fault.message };
    }
    this.#recorder.flush();
    this.#options.store.setSession(this.facts());
  }

  /** Starts the session at its first header. Returns true at the header of the next session. */
  async #isOver(entry: Entry): Promise<boolean> {
    const header = entry.kind === 'segment' ? readHeader(entry.payload) : null;
    if (header === null || typeof header === 'string') return false;
    if (header.session !== this.#options.session) return this.#replay !== null;
    if (this.#replay === null) await this.#startReplay(header, entry);
    return false;
  }

  async #startReplay({ session, of, manifest }: SegmentHeader, { at }: Entry): Promise<void> {
    if (of === 'recording') throw new WhyFault(`session ${session} is a recording: no strategy ran in it`);
    if (!manifest) throw new WhyFault(`session ${session} cannot be replayed: its beginning is no longer kept`);
    this.#refuseOtherVersion(session, manifest);
    const { storage, strategies } = this.#options;
    const parts = setupFromManifest(manifest, storage.path);
    const recorder = this.#recorder;
    const bound = recorder.listenTo(await strategies(manifest));
    this.#strategies = bound.map(({ name }) => name);
    const replay: SessionReplay = new SessionReplay({
      ...parts,
      strategies: bound,
      observe: (notice) => recorder.receiveNotice(notice),
      afterEvent: (event: EngineEvent) => recorder.afterEvent(replay.engine, event, this.#seq),
    });
    this.#replay = replay;
    this.#manifest = manifest;
    this.#fromUs = at;
  }

  #refuseOtherVersion(session: string, { version }: Manifest): void {
    if (version === this.#options.version) return;
    throw new WhyFault(
      `session ${session} was written by version ${version}, and this is ${this.#options.version}: ` +
        `another version may decide otherwise. Run \`npx presage-trading@${version} why\` with the same options`,
    );
  }

  #recordEntry(entry: Entry): void {
    const replay = this.#replay;
    if (replay === null) return;
    this.#atUs = entry.at;
    this.#seq = entry.seq;
    if (entry.kind === 'end') this.#end = endSchema.parse(JSON.parse(entry.payload.toString())).reason;
    if (this.#difference !== null) return this.#recordCommands(entry);
    const difference = replay.replayEntry(entry);
    if (difference === null) return;
    this.#difference = { atUs: entry.at, seq: difference.seq, text: differenceText(difference) };
    this.#recordCommands(entry);
  }

  /** Records the orders that the journal says were sent, once the replay is of no more use. */
  #recordCommands(entry: Entry): void {
    if (entry.kind !== 'commands') return;
    for (const command of commandsOf(entry)) {
      if (command.type !== 'place') continue;
      const { strategy, ticker, clientOrderId: order, side, price, qty } = command;
      const { at: atUs, seq } = entry;
      this.#options.store.addFact({ kind: 'sent', strategy, ticker, order, atUs, seq, data: { side, price, qty } });
    }
  }

  #reportProgress(): void {
    const { onProgress, toUs = null } = this.#options;
    onProgress?.({ inputs: this.#replay?.inputs ?? 0, atUs: this.#atUs, fromUs: this.#fromUs, toUs });
  }

  /** @throws {WhyFault} when the journal has no such session. */
  facts(): SessionFacts {
    const { session } = this.#options;
    const manifest = this.#manifest;
    if (manifest === null) throw new WhyFault(`the journal has no session ${session}`);
    return {
      session,
      fromUs: this.#fromUs,
      toUs: this.#atUs,
      inputs: this.#replay?.inputs ?? 0,
      version: manifest.version,
      hash: manifest.hash,
      strategies: [...this.#strategies],
      end: this.#end,
      hole: this.#hole,
      difference: this.#difference,
    };
  }
}

function differenceText({ seq, expected, got }: ReplayDifference): string {
  const short = (text: string | null): string => (text === null ? 'no commands' : text.slice(0, 200));
  return `entry ${seq} of the journal has ${short(expected)}, the replay has ${short(got)}`;
}

/** Number of the first file of a session; 0 when there is none. */
export function firstSegmentOf(storage: Storage, session: string): number {
  for (const { number } of segmentsOf(storage)) {
    const [first] = new TapeReader(storage, { firstSegment: number }).entries();
    const header = first === undefined ? null : readHeader(first.payload);
    if (header !== null && typeof header !== 'string' && header.session === session) return number;
  }
  return 0;
}
