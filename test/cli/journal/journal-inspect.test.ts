// `presage journal inspect`: the selected entries, and their text.
import { describe, expect, it, vi } from 'vitest';
import { isoMicros } from '../../../src/tape/format/iso-time.ts';
import { TickerTable } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/units.ts';
import { inspect, linesOf } from '../../../src/cli/journal/journal-inspect.ts';
import { JournalRequests } from '../../../src/cli/journal/journal-trail.ts';
import { TapeReader } from '../../../src/tape/journal/tape-reader.ts';
import type { Storage } from '../../../src/tape/journal/storage.ts';
import { profileByName } from '../../../src/venues/trade-api/profiles/profile-registry.ts';
import { tradeApiReplayParts } from '../../../src/venues/trade-api/replay-parts.ts';
import { memoryStorage } from '../../support/tapes/memory-storage.ts';
import { AT, answer, frame, journalOn, place, read, start } from '../../support/tapes/journal-entries.ts';

/** The answer to a place command, in the profile’s spelling. */
const CREATED = JSON.stringify({
  order: { order_id: 'v-7', client_order_id: 's1-maker-1', status: 'resting', remaining_count: 10, fill_count: 0 },
});

function someJournal(): Storage {
  const storage = memoryStorage();
  const journal = journalOn(storage);
  journal.writeInput(start('s1'));
  journal.writeCommands([read(9)]);
  journal.writeInput(frame('{"type":"ticker","msg":{"market_ticker":"RAIN-26-A"}}', AT + 1_000_000));
  journal.writeCommands([place(1), place(2)]);
  journal.writeInput(
    answer(place(1), { type: 'answered', status: 201, body: CREATED, retryAfter: null, venueAt: null }, AT + 2_000_000),
  );
  journal.writeInput(answer(place(2), { type: 'unknown', reason: 'no answer in time' }, AT + 3_000_000));
  journal.writeInput({ type: 'event', event: { kind: 'timer', at: micros(AT + 4_000_000) } });
  journal.flush();
  return storage;
}

const seqs = (lines: Iterable<string>): number[] => [...lines].map((line) => (JSON.parse(line) as { seq: number }).seq);

describe('presage journal inspect', () => {
  it('describes each entry in one line', () => {
    const lines = [...linesOf(someJournal(), {})];
    expect(lines[0]).toMatch(
      /^2025-11-21T04:40:00\.000000Z {2}1 {2}segment {4}file 1 of the journal of session s1; presage 0\.0\.0, service, made of a0$/,
    );
    expect(lines[2]).toMatch(/ {2}3 {2}commands {3}read balance$/);
    expect(lines[4]).toMatch(
      / {2}5 {2}commands {3}place s1-maker-1: buy 10 RAIN-26-A at 42¢, gtc, post-only; place s1-maker-2: buy 10 RAIN-26-A at 42¢, gtc, post-only$/,
    );
    expect(lines[6]).toMatch(/answer .* to “place s1-maker-2: .*” after 1\.0 ms: unknown: no answer in time$/);
    expect(lines[7]).toMatch(/event {6}timer$/);
  });

  it('says when no entry matches: a name may be misspelled', async () => {
    const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      expect(await inspect(someJournal(), { session: 's2' })).toBe(0);
      expect(told.mock.calls).toEqual([['presage: no entry of the journal matches\n']]);
    } finally {
      told.mockRestore();
    }
  });

  it('selects by kind, market, session and time', () => {
    const storage = someJournal();
    const chosen = (options: Parameters<typeof linesOf>[1]): number[] =>
      seqs(linesOf(storage, { ...options, json: true }));
    expect(chosen({})).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(chosen({ kind: ['commands', 'frame'] })).toEqual([3, 4, 5]);
    expect(chosen({ market: 'RAIN-26-A' })).toEqual([1, 4, 5]);
    expect(chosen({ market: 'RAIN-26' })).toEqual([]);
    expect(chosen({ session: 's2' })).toEqual([]);
    expect(chosen({ from: micros(AT + 1_000_000), to: micros(AT + 2_000_000) })).toEqual([4, 5, 6]);
  });

  it('reads a frame of several lines as its text', () => {
    const storage = memoryStorage();
    const journal = journalOn(storage);
    journal.writeInput(frame('{"type":"ticker",\n"msg":{"market_ticker":"RAIN-26-A"}}'));
    journal.flush();
    const [line, ...others] = [...linesOf(storage, { market: 'RAIN-26-A', kind: ['frame64'] })];
    expect(line).toMatch(/frame64 {4}\{"type":"ticker", "msg":\{"market_ticker":"RAIN-26-A"\}\}$/);
    expect(others).toEqual([]);
  });

  it('refuses a last moment before the first: the journal would look empty', async () => {
    const reversed = inspect(someJournal(), { from: micros(AT + 1_000_000), to: micros(AT) });
    await expect(reversed).rejects.toThrow(
      '--to: expected a moment from --from 2025-11-21T04:40:01.000000Z on, found 2025-11-21T04:40:00.000000Z',
    );
  });

  it('forgets a request once its answer has passed', () => {
    const requests = new JournalRequests();
    const known = [...new TapeReader(someJournal()).entries()].map((entry) => {
      requests.addEntry(entry);
      return [1, 2, 9].filter((id) => requests.requestOf(id) !== undefined);
    });
    // The requests: 9 is a read without an answer, 1 and 2 are orders that the sixth and the seventh entry answer.
    expect(known.slice(4)).toEqual([[1, 2, 9], [1, 2, 9], [2, 9], [9]]);
  });

  it('follows one order from its cause to its answer', () => {
    const lines = [...linesOf(someJournal(), { order: 's1-maker-2', json: true })].map(
      (line) => JSON.parse(line) as { seq: number; role: string },
    );
    expect(lines.map(({ seq, role }) => [seq, role])).toEqual([
      [4, 'cause'],
      [5, 'command'],
      [7, 'answer'],
    ]);
  });

  it('names the request of an answer that is the cause of an order', () => {
    const storage = memoryStorage();
    const journal = journalOn(storage);
    journal.writeInput(start('s1'));
    journal.writeCommands([place(1)]);
    journal.writeInput(answer(place(1), { type: 'unknown', reason: 'no answer in time' }, AT + 1000));
    journal.writeCommands([place(2)]);
    journal.flush();
    const [cause] = [...linesOf(storage, { order: 's1-maker-2' })];
    expect(cause).toMatch(/cause {4}answer {5}to “place s1-maker-1: /);
  });

  it('prints whole payloads as JSON', () => {
    const [, event] = [...linesOf(someJournal(), { json: true })];
    expect(JSON.parse(event ?? '')).toMatchObject({
      seq: 2,
      at: AT,
      kind: 'event',
      session: 's1',
      payload: { kind: 'start', session: 's1' },
    });
  });

  it('replaces control characters of frames', () => {
    const storage = memoryStorage();
    const journal = journalOn(storage);
    journal.writeInput(frame('\u001b[2J\u0007x'));
    journal.flush();
    const [, line = ''] = [...linesOf(storage, {})];
    expect(line).toMatch(/frame {6} \[2J x$/);
  });
});

describe('isoMicros', () => {
  it('shows microseconds', () => {
    expect(isoMicros(micros(1_763_700_000_123_456))).toBe('2025-11-21T04:40:00.123456Z');
    expect(isoMicros(micros(0))).toBe('1970-01-01T00:00:00.000000Z');
  });
});

describe('the normalizer of a venue', () => {
  it('works without a connection', () => {
    const profile = profileByName('service');
    expect(profile).toBeDefined();
    if (profile)
      expect(Object.keys(tradeApiReplayParts({ profile, tickers: new TickerTable() }))).not.toContain('gateway');
  });
});
