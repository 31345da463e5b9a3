// Small recordings for tests of baking: messages of a venue with the `service` dialect, written as a recorder writes
// them.
import type { Command, ReadTarget } from '../../../src/domain/venue-command.ts';
import { type Micros, micros } from '../../../src/domain/units.ts';
import { type BakeOptions, type NormalizerFactory, bakeTape } from '../../../src/tape/tools/bake-tape.ts';
import { openBakedFile } from '../../../src/tape/baked/baked-reader.ts';
import type { TapeFacts } from '../../../src/tape/baked/tape-rows.ts';
import type { Storage } from '../../../src/tape/journal/storage.ts';
import type { JournalOptions, JournalWriter } from '../../../src/tape/journal/journal-writer.ts';
import { TradeApiNormalizer } from '../../../src/venues/trade-api/normalize/trade-api-normalizer.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { type PlainRow, rowsOf } from './baked-rows.ts';
import { MANIFEST, answer, frame, journalOn, read } from './journal-entries.ts';

export const SESSION_START = 1_795_000_000_000_000;

/** Returns the normalizer of the `service` dialect, with or without its fast path. */
export const serviceNormalizer =
  (scans = true): NormalizerFactory =>
  (_profile, tickers) =>
    new TradeApiNormalizer({ profile: serviceProfile, tickers, scans });

/** One session under recording. Each input is ten microseconds later than the one before. */
export class RecordedSession {
  readonly journal: JournalWriter;
  #at: number;
  #seq = 0;
  #commandId = 0;

  constructor(
    storage: Storage,
    { at = SESSION_START, ...options }: Partial<JournalOptions> & { readonly at?: number } = {},
  ) {
    this.journal = journalOn(storage, { of: 'recording', ...options });
    this.#at = at;
  }

  get at(): Micros {
    return micros(this.#at);
  }

  #next(): Micros {
    this.#at += 10;
    return this.at;
  }

  feedUp(): this {
    this.#seq = 0;
    this.journal.writeInput({ type: 'feed-up', at: this.#next(), connection: 1 });
    return this;
  }

  feedDown(reason: string): this {
    this.journal.writeInput({ type: 'feed-down', at: this.#next(), reason });
    return this;
  }

  /** Records a frame unchanged. */
  writeFrame(text: string): this {
    this.journal.writeInput(frame(text, this.#next()));
    return this;
  }

  /** Records a message of the book subscription with the next sequence number. */
  writeMessage(type: string, msg: object): this {
    this.#seq += 1;
    return this.writeFrame(JSON.stringify({ type, sid: 1, seq: this.#seq, msg }));
  }

  /** Skips the sequence numbers of messages that were lost. */
  skipMessages(count: number): this {
    this.#seq += count;
    return this;
  }

  writeSnapshot(ticker: string, yes: readonly (readonly [number, number])[] = [[42, 13]]): this {
    return this.writeMessage('orderbook_snapshot', { market_ticker: ticker, yes, no: [[55, 7]] });
  }

  writeDelta(ticker: string, delta = 5): this {
    return this.writeMessage('orderbook_delta', {
      market_ticker: ticker,
      side: 'yes',
      price: 42,
      delta,
      ts_ms: 1_795_000_000_000,
    });
  }

  writeCommands(...commands: readonly Command[]): this {
    this.journal.writeCommands(commands);
    return this;
  }

  /** Records a read and its answer. */
  writeRead(target: ReadTarget, body: object): this {
    this.#commandId += 1;
    const command = { ...read(this.#commandId, this.#at), target };
    this.journal.writeCommands([command]);
    const outcome = {
      type: 'answered',
      status: 200,
      body: JSON.stringify(body),
      retryAfter: null,
      venueAt: null,
    } as const;
    this.journal.writeInput(answer(command, outcome, this.#next()));
    return this;
  }

  close(): Promise<void> {
    return this.journal.close('done');
  }
}

export const RECORDER_MANIFEST = { ...MANIFEST, tickers: ['M-1', 'M-2'] };

/** Bakes a tape and returns the baked content. */
export function bakedTape(
  storage: Storage,
  to: string,
  options: Partial<BakeOptions> = {},
): {
  readonly facts: TapeFacts;
  readonly rows: readonly PlainRow[];
  readonly tickers: readonly (string | undefined)[];
} {
  const facts = bakeTape({ storage, to, normalizerOf: serviceNormalizer(), ...options });
  const source = openBakedFile(to);
  const rows = rowsOf(source);
  const tickers = source.tickers.tickersByIndex();
  source.close();
  return { facts, rows, tickers };
}
