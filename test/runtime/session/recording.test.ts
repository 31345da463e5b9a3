// A recording of the local exchange, once baked, gives the same books at every moment that the recording session saw.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openVenue } from '../../../src/app/venue/open-venue.ts';
import { tapeNormalizer } from '../../../src/app/tape-place.ts';
import { readBotConfig } from '../../../src/config/bot-config.ts';
import type { Micros, Price, Qty } from '../../../src/domain/units.ts';
import { logTo } from '../../../src/log.ts';
import { LiveSession } from '../../../src/runtime/session/live-session.ts';
import { manifestOf } from '../../../src/runtime/replay/session-manifest.ts';
import { PublicRecorder } from '../../../src/runtime/session/public-recorder.ts';
import type { Journal } from '../../../src/tape/journal/journal-port.ts';
import { fileStorage } from '../../../src/tape/journal/file-storage.ts';
import { openTape } from '../../../src/tape/tools/open-tape.ts';
import { rowFacts } from '../../../src/tape/tools/row-facts.ts';
import { TapeState } from '../../../src/tape/tools/tape-state.ts';
import { verifyTape } from '../../../src/tape/tools/verify-tape.ts';
import { JournalWriter } from '../../../src/tape/journal/journal-writer.ts';
import { systemScheduler } from '../../../src/transport/scheduler.ts';
import { publicPartFilter } from '../../../src/venues/trade-api/feed/public-frame.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { ROOT } from '../../e2e/presage.ts';
import { PATIENCE_MS } from '../../support/runner/patience.ts';

const TIMEOUT_MS = 2 * PATIENCE_MS;
const SAMPLE_EVERY_US = 100_000;

type Sides = { readonly bids: readonly (readonly [Price, Qty])[]; readonly asks: readonly (readonly [Price, Qty])[] };
type Books = Readonly<Record<string, Sides>>;

/** Returns every live book of a session. */
function booksOf({ engine: { state } }: LiveSession): Books {
  const { books, markets } = state;
  const live = markets.allMarkets().filter(({ index }) => books.isLive(index));
  return Object.fromEntries(
    live.map(({ index, ticker }) => [
      ticker,
      {
        bids: books.levels(index, 'bid').toSorted(([a], [b]) => b - a),
        asks: books.levels(index, 'ask').toSorted(([a], [b]) => a - b),
      },
    ]),
  );
}

const folder = mkdtempSync(join(tmpdir(), 'presage-recording-'));
const samples: { readonly at: Micros; readonly books: Books }[] = [];
beforeAll(async () => {
  const log = logTo({ write: () => undefined }, 'silent');
  const { limits: _none, ...config } = { ...readBotConfig(join(ROOT, 'config/demo.yaml')), strategies: [] };
  const opened = await openVenue({ config, log, seed: 7, publicOnly: true });
  const manifest = await manifestOf({ config, venue: opened.venue, hasKey: false, version: '0.0.0', folder });
  const storage = fileStorage(folder);
  const tape = new JournalWriter({ storage, manifest, of: 'recording', timers: systemScheduler });
  const recorder = new PublicRecorder({ tape, publicPart: publicPartFilter(serviceProfile.feed) });
  let lastAt = 0 as Micros;
  let bookPolls = 0;
  const journal: Journal = {
    writeInput: (input) => {
      const at = input.type === 'event' ? input.event.at : input.at;
      // All inputs of a time have been handled when the first of a later time arrives.
      if (at > lastAt && at - (samples.at(-1)?.at ?? 0) > SAMPLE_EVERY_US)
        samples.push({ at: lastAt, books: booksOf(session) });
      lastAt = at;
      if (input.type === 'answer' && input.command.type === 'read' && input.command.target.what === 'book')
        bookPolls += 1;
      recorder.writeInput(input);
    },
    writeNotices: () => recorder.writeNotices(),
    writeCommands: (commands) => recorder.writeCommands(commands),
  };
  const { venue, clock } = opened;
  const session = new LiveSession({ config, venue, strategies: [], hasKey: false, log, clock, journal });
  await session.start();
  // Waits, however busy the machine is, for a book of every market, and then for enough data to compare. The tape is
  // torn at a third of its length: the books must be whole in the part before that.
  const wait = { timeout: PATIENCE_MS, interval: 50 };
  await vi.waitUntil(() => Object.keys(booksOf(session)).length === 6, wait);
  const bytesMin = 4 * tape.bytesWritten;
  await vi.waitUntil(() => samples.length > 20 && bookPolls > 0 && tape.bytesWritten > bytesMin, wait);
  expect(await session.stop('enough', 5000)).toMatchObject({ type: 'stopped' });
  samples.push({ at: lastAt, books: booksOf(session) });
  await tape.close('stopped');
  await opened.close();
}, TIMEOUT_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a recording', () => {
  it('a recording is complete, and is marked as one', () => {
    const { fault, torn, sessions } = verifyTape(fileStorage(folder));
    expect({ fault, torn }).toEqual({ fault: null, torn: null });
    expect(sessions).toMatchObject([{ of: 'recording', endedBy: 'stopped', isWhole: true, gaps: [] }]);
  });

  it('gives the books that were seen, at every moment', () => {
    const source = openTape(folder, { normalizerOf: tapeNormalizer });
    try {
      const state = new TapeState();
      let next = 0;
      const compare = (before: number): void => {
        for (; (samples[next]?.at ?? Infinity) < before; next++) {
          const known = state
            .marketsWithBooks()
            .map((market) => [source.tickers.tickerOf(market), state.bookOf(market)]);
          expect(Object.fromEntries(known)).toEqual(samples[next]?.books);
        }
      };
      for (const fact of rowFacts(source)) {
        compare(fact.row.at);
        state.applyFact(fact);
      }
      compare(Infinity);
      expect(next).toBeGreaterThan(10);
      expect(Object.keys(samples.at(-1)?.books ?? {})).toHaveLength(6);
    } finally {
      source.close();
    }
  });

  it('holds market definitions, book polls and the venue’s state, and no gap', () => {
    const source = openTape(folder, { normalizerOf: tapeNormalizer });
    const { counts, gaps } = source.facts;
    source.close();
    for (const kind of ['market', 'event-group', 'series', 'exchange-status', 'book-poll', 'print', 'delta'])
      expect(counts[kind], kind).toBeGreaterThan(0);
    expect(gaps).toEqual([]);
  });

  it.each([0.35, 0.6, 0.85, 0.999])('gives the same books up to where it was torn: %d of it', (share) => {
    const bytes = gunzipSync(readFileSync(join(folder, '00000001.tape.gz')));
    const torn = mkdtempSync(join(tmpdir(), 'presage-torn-'));
    try {
      writeFileSync(join(torn, '00000001.tape'), bytes.subarray(0, Math.floor(bytes.length * share)));
      const source = openTape(torn, { normalizerOf: tapeNormalizer });
      const last = samples.findLast(({ at }) => at < source.facts.to);
      const state = new TapeState();
      for (const fact of [...rowFacts(source)].filter(({ row }) => row.at <= (last?.at ?? 0))) state.applyFact(fact);
      source.close();
      const known = state.marketsWithBooks().map((market) => [source.tickers.tickerOf(market), state.bookOf(market)]);
      expect(Object.fromEntries(known)).toEqual(last?.books);
      expect(known).toHaveLength(6);
    } finally {
      rmSync(torn, { recursive: true, force: true });
    }
  });

  it('leaves nothing beside the tape and its baked copy', () => {
    expect(readdirSync(folder).sort()).toEqual(['00000001.tape.gz', 'baked.arrow']);
    expect(readFileSync(join(folder, 'baked.arrow')).length).toBeGreaterThan(0);
  });
});
