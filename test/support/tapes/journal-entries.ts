// Tapes for tests: a manifest, inputs of every kind, and the entries of a tape when it is read back.
import * as fc from 'fast-check';
import { type Command, type PlaceCommand, type ReadCommand, isFeedCommand } from '../../../src/domain/venue-command.ts';
import { NOTHING_RESTORED } from '../../../src/domain/operator-order.ts';
import { clientOrderId, strategyName, ticker } from '../../../src/domain/ids.ts';
import { cents, contracts, micros } from '../../../src/domain/units.ts';
import type { MarketIndex } from '../../../src/domain/ids.ts';
import type { Manifest } from '../../../src/tape/format/segment-header.ts';
import { commandsOf, inputOf } from '../../../src/tape/format/input-lines.ts';
import type { TapeNotice } from '../../../src/tape/journal/tape-recovery.ts';
import { TapeReader } from '../../../src/tape/journal/tape-reader.ts';
import type { Storage } from '../../../src/tape/journal/storage.ts';
import { type JournalOptions, JournalWriter } from '../../../src/tape/journal/journal-writer.ts';
import type { Answer, Input } from '../../../src/venue.ts';
import { FakeScheduler } from '../transport/fake-scheduler.ts';

export const MANIFEST: Manifest = {
  version: '0.0.0',
  profile: 'service',
  hasKey: true,
  limits: {
    read: { model: 'token-bucket', refillPerSecond: 20, capacity: 20 },
    trade: { model: 'rolling-window', count: 10, windowMs: 1000 },
  },
  tickers: [],
  setup: { markets: { events: [], tickers: ['RAIN-26-A'] } },
  strategies: [],
  hash: 'a0',
};

/** Opens a journal writer on a storage. It compresses nothing unless the options say otherwise. */
export const journalOn = (storage: Storage, options: Partial<JournalOptions> = {}): JournalWriter =>
  new JournalWriter({ storage, manifest: MANIFEST, timers: new FakeScheduler(), packer: null, ...options });

/** Opens a journal writer and collects its notices. */
export function journalWithNotices(
  storage: Storage,
  options: Partial<JournalOptions> = {},
): { readonly journal: JournalWriter; readonly notes: TapeNotice[] } {
  const notes: TapeNotice[] = [];
  return { journal: journalOn(storage, { ...options, onNotice: (note) => notes.push(note) }), notes };
}

export const AT = 1_763_700_000_000_000;
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

export const start = (session: string, at = AT): Input => ({
  type: 'event',
  event: { kind: 'start', at: micros(at), session, carried: NOTHING_RESTORED },
});

export const frame = (text: string, at = AT): Input => ({ type: 'frame', at: micros(at), bytes: encode(text) });

export const place = (id: number, at = AT): PlaceCommand => ({
  type: 'place',
  lane: 'new',
  id,
  createdAt: micros(at),
  validUntil: micros(at + 2_000_000),
  clientOrderId: clientOrderId(`s1-maker-${id}`),
  strategy: strategyName('maker'),
  market: 0 as MarketIndex,
  ticker: ticker('RAIN-26-A'),
  side: 'buy',
  price: cents(42),
  qty: contracts(10),
  timeInForce: 'gtc',
  postOnly: true,
  reduceOnly: false,
  expiresAt: null,
});

export const read = (id: number, at = AT): ReadCommand => ({
  type: 'read',
  lane: 'read',
  id,
  createdAt: micros(at),
  validUntil: null,
  target: { what: 'balance' },
  cursor: null,
});

export const answer = (command: Answer['command'], outcome: Answer['outcome'], at = AT): Answer => ({
  type: 'answer',
  at: micros(at),
  askedAt: micros(at - 1000),
  command,
  outcome,
});

/** One entry of a journal. */
export type JournalEntry = { readonly input: Input } | { readonly commands: readonly Command[] };

/** Writes entries one after the other. */
export function writeAll(journal: JournalWriter, things: readonly JournalEntry[]): void {
  for (const thing of things) {
    if ('input' in thing) journal.writeInput(thing.input);
    else journal.writeCommands(thing.commands);
  }
}

/** Reads every entry of a tape as it was written, without headers and ends. */
export function readAll(storage: Storage): JournalEntry[] {
  const byId = new Map<number, Answer['command']>();
  const found: JournalEntry[] = [];
  for (const entry of new TapeReader(storage).entries()) {
    if (entry.kind === 'commands') {
      const commands = commandsOf(entry);
      found.push({ commands });
      for (const command of commands.filter((each) => !isFeedCommand(each))) byId.set(command.id, command);
      continue;
    }
    const input = inputOf(entry, (id) => byId.get(id));
    if (input === null) continue;
    found.push({ input: input.type === 'frame' ? { ...input, bytes: new Uint8Array(input.bytes) } : input });
  }
  return found;
}

const text = fc.string({ unit: 'binary', maxLength: 40 });
const at = fc.integer({ min: 0, max: 2 ** 52 }).map(micros);

const frames: fc.Arbitrary<Input> = fc.record({
  type: fc.constant('frame' as const),
  at,
  bytes: fc.oneof(
    fc.uint8Array({ maxLength: 60 }).map((bytes) => new Uint8Array(bytes)),
    text.map(encode),
    fc.json().map(encode),
  ),
});

const signals: fc.Arbitrary<Input> = fc.oneof(
  fc.record({ type: fc.constant('feed-heard' as const), at }),
  fc.record({ type: fc.constant('feed-up' as const), at, connection: fc.nat() }),
  fc.record({ type: fc.constant('feed-down' as const), at, reason: text }),
  fc.record({ type: fc.constant('feed-sent' as const), at, text }),
  at.map((when): Input => ({ type: 'event', event: { kind: 'timer', at: when } })),
  fc.record({ at, reason: text }).map((stop): Input => ({ type: 'event', event: { kind: 'stop', ...stop } })),
);

const outcomes: fc.Arbitrary<Answer['outcome']> = fc.oneof(
  fc.record({ type: fc.constantFrom('not-sent' as const, 'unknown' as const), reason: text }),
  fc.record({
    type: fc.constant('answered' as const),
    status: fc.integer({ min: 100, max: 599 }),
    body: text,
    retryAfter: fc.option(at),
    venueAt: fc.option(at),
  }),
);

/** Generates any entries of a journal: a command with or without its later answer, frames and signals. */
export const journalEntries: fc.Arbitrary<JournalEntry[]> = fc
  .array(
    fc.oneof(
      frames.map((input): JournalEntry[] => [{ input }]),
      signals.map((input): JournalEntry[] => [{ input }]),
      fc
        .record({ id: fc.nat(), outcome: outcomes, when: at, isRead: fc.boolean() })
        .map(({ id, outcome, when, isRead }) => {
          const command = isRead ? read(id) : place(id);
          return [
            { commands: [command] },
            { input: { ...answer(command, outcome), at: when } },
          ] satisfies JournalEntry[];
        }),
    ),
    { maxLength: 25 },
  )
  .map((groups) => [{ input: start('s1') }, ...groups.flat()]);
