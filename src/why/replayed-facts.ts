// Replays a session from its journal and records its facts in a store. Must never connect to anything. After a
// difference, must never record anything but the journal's commands.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { EngineEvent } from '../domain/event.ts';
import { commandsOf } from '../tape/format/input-lines.ts';
import { type Manifest, type SegmentHeader, readHeader } from '../tape/format/segment-header.ts';
import type { Entry } from '../tape/format/tape-line.ts';
import { TapeFault } from '../tape/format/tape-fault.ts';
import { sessionHeaders } from '../tape/journal/session-headers.ts';
import type { Storage } from '../tape/journal/storage.ts';
import { TapeReader } from '../tape/journal/tape-reader.ts';
import { setupFromManifest } from '../runtime/replay/session-manifest.ts';
import { type SessionDifference, SessionReplay } from '../runtime/replay/session-replay.ts';
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
  /** Time at which the replay ends; `null` for the end of the session. */
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
  /** The replay stops after this time, microseconds. Default: the end of the session. */
  readonly toUs?: number;
  readonly onProgress?: (progress: WhyProgress) => void;
  /** Ends the replay early. The facts recorded so far stay. */
  readonly signal?: AbortSignal;
}

const endSchema = z.object({ reason: z.string() });

/** Entries between two turns of the event loop: about 10 ms. A server can answer in between. */
const ENTRIES_PER_TURN = 1000;
const ENTRIES_PER_REPORT = 20_000;
/** Pause between two batches of a shared store. Milliseconds. */
const BATCH_MS = 2000;

/**
 * Replays a session into a store.
 * @throws {WhyFault} when the session is gone, a recording, or of another version.
 * @throws {ManifestFault} when the session cannot be set up again.
 */
export async function recordSession(options: RecordSessionOptions): Promise<SessionFacts> {
  const recording = new SessionRecording(options);
  await recording.recordWritten();
  return recording.endRecording();
}

/** Records one session. The session may still be running. */
export class SessionRecording {
  readonly #options: RecordSessionOptions;
  readonly #recorder: WhyRecorder;
  #replay: SessionReplay | null = null;
  #manifest: Manifest | null = null;
  #strategies: readonly string[] = [];
  #fromUs = 0;
  #atUs = 0;
  #seq = 0;
  #count = 0;
  #batchBegan = performance.now();
  #end: string | null = null;
  #hole: SessionFacts['hole'] = null;
  #difference: SessionFacts['difference'] = null;
  #position: SessionFacts['position'] = null;
  #isOver = false;

  constructor(options: RecordSessionOptions) {
    this.#options = options;
    this.#recorder = new WhyRecorder(options.store);
    options.store.beginBatch();
  }

  /** True when no more of the session can be read: it ended, another began, or a line is damaged. */
  get isOver(): boolean {
    return this.#isOver || this.#end !== null || this.#hole !== null;
  }

  /** Number of inputs replayed so far. */
  get inputs(): number {
    return this.#replay?.inputs ?? 0;
  }

  /**
   * Records what was written to the journal since the last call, and ends the batch. After a signal or the
   * session's end, nothing more is recorded.
   */
  async recordWritten(): Promise<void> {
    const after = this.#position;
    if (after === null && this.#replay !== null) return;
    const { storage, session, signal } = this.#options;
    this.#position = null;
    try {
      const start = after === null ? { firstSegment: firstSegmentOf(storage, session) } : { after };
      const reader = new TapeReader(storage, start);
      const isAll = await this.#recordFrom(reader);
      if (isAll && !signal?.aborted) this.#position = reader.endPosition;
    } catch (fault) {
      if (!(fault instanceof TapeFault)) throw fault;
      this.#hole = { afterUs: this.#atUs, text: fault.message };
    }
    if (this.#manifest !== null) this.#endBatch();
  }

  /** Returns true once everything written so far is recorded. */
  async #recordFrom(reader: TapeReader): Promise<boolean> {
    const { signal, toUs = Number.POSITIVE_INFINITY } = this.#options;
    for (const entry of reader.borrowedEntries()) {
      if (entry.kind === 'segment' && (await this.#enterSegment(entry))) return false;
      if (entry.at > toUs) return false;
      this.#recordEntry(entry);
      this.#count += 1;
      if (this.#count % ENTRIES_PER_TURN !== 0) continue;
      if (this.#count % ENTRIES_PER_REPORT === 0) this.#reportProgress();
      if (performance.now() - this.#batchBegan >= BATCH_MS) this.#endBatch();
      await nextTurn();
      if (signal?.aborted) return false;
    }
    return true;
  }

  /** Writes everything that waits, and begins another batch. */
  #endBatch(): void {
    const { store } = this.#options;
    this.#recorder.flush();
    store.setSession(this.#facts());
    store.endBatch();
    store.beginBatch();
    this.#batchBegan = performance.now();
  }

  /**
   * Ends the recording.
   * @throws {WhyFault} when the journal has no such session.
   */
  endRecording(): SessionFacts {
    this.#options.store.endBatch();
    return this.#facts();
  }

  /** Starts the session at its first header. Returns true at the header of the next session. */
  async #enterSegment(entry: Entry): Promise<boolean> {
    const header = readHeader(entry.payload);
    if (typeof header === 'string') return false;
    if (header.session === this.#options.session) {
      if (this.#replay === null) await this.#startReplay(header, entry);
      return false;
    }
    this.#isOver = this.#replay !== null;
    return this.#isOver;
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

  /** Once the replay has differed, records the orders that the journal says were sent. */
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

  #facts(): SessionFacts {
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
      isOver: this.isOver,
      position: this.#position,
      hole: this.#hole,
      difference: this.#difference,
    };
  }
}

/** Longest part of the commands in a difference, and how much of it comes before the first different character. */
const SHOWN_MAX = 200;
const SHOWN_BEFORE = 60;

/** Shows both texts where they differ: they may be equal for hundreds of characters before. */
function differenceText({ seq, expected, got }: SessionDifference): string {
  const from = Math.max(0, equalLength(expected ?? '', got ?? '') - SHOWN_BEFORE);
  const short = (text: string | null): string =>
    text === null ? 'no commands' : `${from > 0 ? '…' : ''}${text.slice(from, from + SHOWN_MAX)}`;
  return `entry ${seq} of the journal has ${short(expected)}, the replay has ${short(got)}`;
}

function equalLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** Number of the session's first file, or 0. */
const firstSegmentOf = (storage: Storage, session: string): number =>
  sessionHeaders(storage).find((header) => header.session === session)?.segment ?? 0;
