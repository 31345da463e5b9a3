// Has another thread read the delta messages of a capture while this one imports the lines before: reading takes half of
// an import. Must never change what is imported: a line that the thread leaves out, or has not seen, is read as ever.
import { availableParallelism } from 'node:os';
import { must } from '../../../base/assert.ts';
import type { ChunkMemory } from '../rows/line-chunks.ts';
import type { ImportContext } from '../import-format.ts';
import type { FeedDialect } from '../import-wire.ts';
import type { DeltaForms } from './line-frame.ts';
import { ScannedDeltas } from './scanned-deltas.ts';
import { ScanThread } from './scan-thread.ts';

/** Chunks that the thread may have at a time. */
const CHUNKS_AHEAD = 3;
/** Bytes of lines from which on a thread gains more than its start costs. */
const WORTHWHILE_BYTES = 8 << 20;

/** Whole lines of a capture, and the messages in them that were read ahead. */
export interface CaptureChunk {
  readonly lines: Buffer;
  readonly deltas: ScannedDeltas | null;
}

/** The part of a reader that the thread needs to know. */
export interface CaptureForms {
  /** The dialect, once it is determined. */
  readonly dialect: FeedDialect | null;
  readonly deltaForms: DeltaForms;
}

/** Memory of a chunk, and of its messages. */
interface Slot {
  readonly memory: Buffer;
  readonly deltas: ScannedDeltas;
}

/** Reads chunks of one import ahead. The caller must call `close`. */
export class ScanAhead implements ChunkMemory {
  readonly #context: Pick<ImportContext, 'options' | 'tickers'>;
  readonly #forms: CaptureForms;
  /** The chunks that the thread has, and the one that is being filled, in turn. */
  readonly #slots: Slot[] = [];
  #present = 0;
  #thread: ScanThread | null = null;
  #mayBegin: boolean;
  #bytes = 0;
  /** Tickers that the thread knows. */
  #tickersKnown = 0;

  constructor(context: Pick<ImportContext, 'options' | 'tickers'>, forms: CaptureForms) {
    this.#context = context;
    this.#forms = forms;
    this.#mayBegin = context.options.readsAhead ?? availableParallelism() > 1;
  }

  nextMemory(bytes: number): Buffer {
    if (this.#thread !== null) this.#present = (this.#present + 1) % (CHUNKS_AHEAD + 1);
    return this.moreMemory(bytes);
  }

  moreMemory(bytes: number): Buffer {
    const slot = this.#slots[this.#present];
    if (slot !== undefined && slot.memory.length >= bytes) return slot.memory;
    const memory = Buffer.from(new SharedArrayBuffer(2 * bytes));
    this.#slots[this.#present] = { memory, deltas: ScannedDeltas.forChunk(memory.length) };
    return memory;
  }

  /** Passes chunks on in their sequence, each once its messages were read ahead. */
  async *scanned(chunks: AsyncIterable<Buffer>): AsyncGenerator<CaptureChunk> {
    const waiting: Promise<CaptureChunk>[] = [];
    const fault = yield* this.#scanAll(chunks, waiting);
    for (const chunk of waiting) yield await chunk;
    // The lines before a fault come first: they may have a fault of their own, and are counted for its place.
    if (fault !== null) throw fault.cause;
  }

  /** Returns what ended the chunks, or `null`. */
  async *#scanAll(
    chunks: AsyncIterable<Buffer>,
    waiting: Promise<CaptureChunk>[],
  ): AsyncGenerator<CaptureChunk, { readonly cause: unknown } | null> {
    try {
      for await (const lines of chunks) {
        waiting.push(this.#scan(lines));
        if (this.#thread === null || waiting.length > CHUNKS_AHEAD) yield must(await waiting.shift(), 'a chunk');
      }
      return null;
    } catch (cause) {
      return { cause };
    }
  }

  async #scan(lines: Buffer): Promise<CaptureChunk> {
    this.#bytes += lines.length;
    this.#beginThread();
    const thread = this.#thread;
    if (thread === null) return { lines, deltas: null };
    const { memory, deltas } = must(this.#slots[this.#present], 'memory of the chunk');
    deltas.clear();
    const isScanned = await thread.scan({
      kind: 'chunk',
      forms: this.#forms.deltaForms,
      tickers: this.#newTickers(),
      // tidy: as (the memory of a slot is shared)
      lines: memory.buffer as SharedArrayBuffer,
      start: lines.byteOffset,
      bytes: lines.length,
      deltas: deltas.memory,
    });
    deltas.rewind();
    return { lines, deltas: isScanned ? deltas : null };
  }

  /** Begins with the thread when the forms of messages are known, and enough of them were read. */
  #beginThread(): void {
    const { dialect, deltaForms } = this.#forms;
    if (!this.#mayBegin || dialect === null || (deltaForms.bare ?? deltaForms.wrapper) === null) return;
    const isWorthwhile = this.#bytes >= WORTHWHILE_BYTES || ScanThread.isReady(dialect.scanProgram);
    if (!isWorthwhile && this.#context.options.readsAhead !== true) return;
    this.#mayBegin = false;
    this.#thread = ScanThread.begin(dialect.scanProgram, dialect.name);
  }

  /** The tickers that were numbered since the last chunk. An import numbers each market once. */
  #newTickers(): readonly string[] {
    const { tickers } = this.#context;
    if (tickers.size === this.#tickersKnown) return [];
    const fresh = tickers.tickersByIndex().slice(this.#tickersKnown);
    this.#tickersKnown = tickers.size;
    return fresh.map((name) => must(name, 'the name of a market'));
  }

  close(): void {
    this.#thread?.release();
    this.#thread = null;
  }
}
