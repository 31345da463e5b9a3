// Reads server-sent events as a browser does: name, data and id of each, and the id to resume from.
import { LIVE_EVENTS, type LiveEventName } from '../../../src/console/api/view-schemas.ts';
import type { DescribedApi } from './described-api.ts';
import { PATIENCE_MS } from '../../support/runner/patience.ts';

/** One event of a stream. */
export interface ReadEvent {
  readonly event: string;
  readonly data: Record<string, unknown>;
  readonly id: string | null;
}

/** A reader of one stream. */
export class EventReader {
  readonly events: ReadEvent[] = [];
  lastId: string | null = null;
  /** Resolves when the stream has ended. */
  readonly ended: Promise<void>;
  readonly #abort = new AbortController();
  #wake: (() => void) | null = null;

  readonly #api: DescribedApi | null;
  /** The reason why the reading ended: an event that fits no schema, or a broken connection. */
  #fault: unknown = null;

  private constructor(response: Response, api: DescribedApi | null) {
    this.#api = api;
    this.ended = this.#read(response).catch((fault: unknown) => {
      this.#fault = fault;
      this.#wake?.();
    });
  }

  /** Opens a stream. With a published description, each event must fit it. */
  static async open(
    url: string,
    headers: Record<string, string>,
    api: DescribedApi | null = null,
  ): Promise<EventReader> {
    const abort = new AbortController();
    const response = await fetch(url, { headers, signal: abort.signal });
    if (response.status !== 200) throw new Error(`the stream was refused: ${response.status} ${await response.text()}`);
    const reader = new EventReader(response, api);
    reader.#abort.signal.addEventListener('abort', () => abort.abort());
    return reader;
  }

  async #read({ body }: Response): Promise<void> {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const part of body ?? []) {
      const blocks = (rest + decoder.decode(part as Uint8Array, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) this.#addBlock(block);
    }
  }

  #addBlock(block: string): void {
    const fields = new Map(
      block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    );
    const event = fields.get('event');
    if (event === undefined) return;
    const id = fields.get('id') ?? null;
    this.lastId = id ?? this.lastId;
    const data = JSON.parse(fields.get('data') ?? 'null') as Record<string, unknown>;
    // Every event of every test fits the published schema.
    LIVE_EVENTS[event as LiveEventName].parse(data);
    this.#api?.checkEvent(event, data);
    this.events.push({ event, data, id });
    this.#wake?.();
  }

  /** Returns the first event that fits, received or still to come. */
  async event(fits: (event: ReadEvent) => boolean): Promise<ReadEvent> {
    for (const untilMs = performance.now() + PATIENCE_MS; performance.now() < untilMs;) {
      const found = this.events.find(fits);
      if (found) return found;
      if (this.#fault !== null) throw this.#fault;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 200);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    throw new Error(`no such event in ${this.events.map(({ event }) => event).join(', ')}`);
  }

  /** Breaks the connection. */
  close(): void {
    this.#abort.abort();
  }
}

/** Fits events of a name. */
export const named =
  (name: LiveEventName) =>
  ({ event }: ReadEvent): boolean =>
    event === name;
