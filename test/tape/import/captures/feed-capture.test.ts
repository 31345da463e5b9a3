// Captures of a feed: in any wrapper, and with anything missing or wrong in them.
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MS, changeOf, linesOf, snapshotOf, subscribedTo, tradeOf } from '../../../support/tapes/captured-messages.ts';
import {
  type TestImportOptions,
  countsOf,
  importTexts,
  kindsOf,
  marketRows,
} from '../../../support/tapes/imported-tape.ts';
import { runCount } from '../../../support/runner/property-runs.ts';

const importing = (text: string, options: TestImportOptions = {}) =>
  importTexts('feed-jsonl', [text], { ending: '.jsonl', ...options });

const BOOK = { yes: [['0.4000', '3.00']], no: [['0.5000', '2.00']] } as const;
const OPENING = [subscribedTo(1), snapshotOf(1, BOOK)];

describe('a capture', () => {
  it('a capture becomes a book and its deltas, on the YES scale, dated by the venue', async () => {
    const imported = await importing(
      linesOf(
        ...OPENING,
        '',
        changeOf(2, { change: '-0.50', price: '0.4000' }),
        '   ',
        changeOf(3, { side: 'no', price: '0.4900' }),
      ),
    );
    expect(marketRows(imported)).toMatchObject([
      { kind: 'snapshot', row: { at: (MS + 2) * 1000, exchangeAt: null, bids: [[4000, 300]], asks: [[5000, 200]] } },
      { kind: 'delta', row: { at: (MS + 2) * 1000, exchangeAt: (MS + 2) * 1000, side: 'bid', change: -50 } },
      { kind: 'delta', row: { at: (MS + 3) * 1000, side: 'ask', price: 5100, change: 100 } },
    ]);
    expect(imported.report.findings).toEqual([]);
    expect(imported.report.read).toBe(4);
    expect(imported.report.facts.assumptions.join(' ')).toContain('Times of receipt were not recorded');
  });

  const wrapped: readonly (readonly [string, (message: object, ms: number) => string])[] = [
    [
      'a record with the message and a time in text',
      (message, ms) => JSON.stringify({ ts: new Date(ms).toISOString(), msg: message }),
    ],
    [
      'a record with the message as text and a time in seconds',
      (message, ms) => JSON.stringify({ received_at: ms / 1000, raw: JSON.stringify(message) }),
    ],
    ['the message with a time next to it', (message, ms) => JSON.stringify({ ...message, recv_ts: ms * 1000 })],
    ['a time before the message', (message, ms) => `${new Date(ms).toISOString()} ${JSON.stringify(message)}`],
    ['a count of milliseconds and a tab before the message', (message, ms) => `${ms}\t${JSON.stringify(message)}`],
  ];
  it.each(wrapped)('a capture is dated by its receipt where a line is %s', async (_name, wrap) => {
    const messages = [...OPENING, changeOf(2), changeOf(3)];
    const imported = await importing(linesOf(...messages.map((message, at) => wrap(message, MS + 100 * at))));
    expect(imported.report.findings).toEqual([]);
    expect(marketRows(imported).map(({ row }) => [row.at, row.exchangeAt])).toEqual([
      [(MS + 100) * 1000, null],
      [(MS + 200) * 1000, (MS + 2) * 1000],
      [(MS + 300) * 1000, (MS + 3) * 1000],
    ]);
    expect(imported.report.facts.assumptions.join(' ')).not.toContain('received');
  });

  it('a capture in whole cents is recognized, with its numbers and without', async () => {
    const book = { market_ticker: 'M-1', yes: [[40, 3]], no: [[50, 2]] };
    const change = { market_ticker: 'M-1', price: 49, delta: 2, side: 'no', ts_ms: MS };
    const numbered = linesOf(
      { type: 'orderbook_snapshot', sid: 1, seq: 1, msg: book },
      { type: 'orderbook_delta', sid: 1, seq: 2, msg: change },
    );
    const bare = linesOf(
      { type: 'orderbook_snapshot', ts: '2023-08-31T13:30:11.100Z', src: 'wire', msg: book },
      { type: 'orderbook_delta', ts: '2023-08-31T13:30:11.200Z', msg: { ...change, ts_ms: undefined } },
    );
    for (const text of [numbered, bare])
      expect(marketRows(await importing(text))).toMatchObject([
        { kind: 'snapshot', row: { bids: [[4000, 300]], asks: [[5000, 200]] } },
        { kind: 'delta', row: { side: 'ask', price: 5100, change: 200 } },
      ]);
    const { report } = await importing(bare);
    expect(report.facts.from).toBe(1_693_488_611_100_000);
    expect(report.facts.assumptions).toContain('Messages carry no numbers: a lost one cannot be detected.');
  });

  it('a capture with times of no zone needs the zone as an option', async () => {
    const text = linesOf(
      ...[...OPENING, changeOf(2)].map((message) => ({ received_at: '2026-07-01T02:31:45.5', frame: message })),
    );
    await expect(importing(text)).rejects.toThrow('line 1: expected a time zone to be given');
    const imported = await importing(text, { timeZone: 'America/Los_Angeles' });
    expect(imported.report.facts.from).toBe(Date.parse('2026-07-01T09:31:45.5Z') * 1000);
  });

  it('a capture is recognized by its books and prints, whatever comes before them', async () => {
    const ticker = {
      type: 'ticker',
      sid: 5,
      msg: { market_ticker: 'M-1', yes_bid_dollars: '0.4000', volume_fp: '1.00', open_interest_fp: '2.00', ts_ms: MS },
    };
    const fill = { type: 'fill', sid: 6, msg: { market_ticker: 'M-1', count_fp: '1.00' } };
    const { report } = await importing(linesOf(ticker, fill, ...OPENING, changeOf(2), changeOf(4)));
    expect(countsOf(report)).toEqual({ 'private-message': 1, 'sequence-gap': 1 });
    expect(report.facts.counts).toMatchObject({ ticker: 1, delta: 2, snapshot: 1 });
    const alone = await importing(linesOf(fill, ticker, ticker));
    expect(alone.report.facts.counts).toMatchObject({ ticker: 2 });
  });

  it('a capture may begin with a byte order mark', async () => {
    const { report } = await importing(`\uFEFF${linesOf(...OPENING, changeOf(2))}\r\n`);
    expect(report.findings).toEqual([]);
    expect(report.facts.counts).toMatchObject({ snapshot: 1, delta: 1 });
  });

  it('a capture on the YES scale is read as such by request', async () => {
    const text = linesOf(...OPENING, changeOf(2, { side: 'no', price: '0.5100' }));
    const imported = await importing(text, { dialect: 'dollars-yes-scale' });
    expect(marketRows(imported)).toMatchObject([
      { row: { asks: [[5000, 200]] } },
      { kind: 'delta', row: { side: 'ask', price: 5100 } },
    ]);
  });

  it('a capture has prints, also of a market without a book, but none of trades off the book', async () => {
    const imported = await importing(
      linesOf(
        ...OPENING,
        changeOf(2),
        subscribedTo(2, 'trade'),
        tradeOf(1, { market_ticker: 'M-2' }),
        tradeOf(2, { is_block_trade: true }),
        tradeOf(3, { taker_outcome_side: 'yes' }),
      ),
    );
    expect(marketRows(imported).slice(2)).toMatchObject([
      { kind: 'print', row: { side: 'sell', price: 5200, qty: 150, tradeId: 't-1' } },
      { kind: 'print', row: { side: 'buy', tradeId: 't-3' } },
    ]);
    expect(countsOf(imported.report)).toEqual({ 'off-book-trade': 1 });
    expect(imported.report.markets).toBe(2);
  });
});

describe('findings of a capture', () => {
  it('a message of the account is counted and left out', async () => {
    const fill = { type: 'fill', sid: 2, msg: { trade_id: 'x', order_id: 'y', market_ticker: 'M-1' } };
    const imported = await importing(linesOf(...OPENING, changeOf(2), fill, changeOf(3)));
    const { report } = imported;
    expect(countsOf(report)).toEqual({ 'private-message': 1 });
    expect(kindsOf(imported)).toEqual(['event-group', 'market', 'snapshot', 'delta', 'delta']);
    expect(report.facts.assumptions).toContain(
      'The recorder traded: its own orders are part of the books that it recorded.',
    );
  });

  it('a missing number makes a gap, from the row before to the next snapshot', async () => {
    const imported = await importing(linesOf(...OPENING, changeOf(2), changeOf(4), snapshotOf(5, BOOK)));
    const { report } = imported;
    expect(report.findings).toMatchObject([
      {
        kind: 'sequence-gap',
        count: 1,
        examples: [{ line: 4, what: 'sequence of subscription 1: expected 3, found 4' }],
      },
    ]);
    expect(report.facts.gaps).toEqual([
      {
        from: (MS + 2) * 1000,
        to: (MS + 4) * 1000,
        reason: 'sequence of subscription 1: expected 3, found 4',
        tickers: ['M-1'],
      },
    ]);
    expect(kindsOf(imported)).toEqual(['event-group', 'market', 'snapshot', 'delta', 'feed-gap', 'delta', 'snapshot']);
  });

  it('a capture with the newest line first is refused, with its times and without those of receipt', async () => {
    const lines = Array.from({ length: 1200 }, (_, at) => changeOf(at + 2));
    const messages = [...OPENING, ...lines].reverse();
    const received = messages.map((message, at) => JSON.stringify({ recv_ms: MS + 5000 - at, event: message }));
    for (const text of [linesOf(...messages), linesOf(...received)])
      await expect(importing(text)).rejects.toThrow(/line \d+: expected the oldest row first, found the newest first/);
  });

  it('a number used by the answer to a subscription change is not missing', async () => {
    const ok = { type: 'ok', id: 3, sid: 1, seq: 3, msg: { market_tickers: ['M-1'] } };
    const { report } = await importing(linesOf(...OPENING, changeOf(2), ok, changeOf(4)));
    expect(report.findings).toEqual([]);
    expect(report.facts.gaps).toEqual([]);
  });

  it('a new connection makes every book unknown', async () => {
    const { report } = await importing(
      linesOf(...OPENING, changeOf(2), changeOf(3), subscribedTo(1), snapshotOf(1, BOOK), changeOf(2, { ms: MS + 9 })),
    );
    expect(countsOf(report)).toEqual({ reconnect: 1 });
    expect(report.facts.gaps).toMatchObject([{ reason: 'the recorder connected again', tickers: [] }]);
    expect(report.facts.counts).toMatchObject({ snapshot: 2, delta: 3 });
  });

  it('a row back in time is kept in its place, dated no earlier than the row before', async () => {
    const imported = await importing(
      linesOf(...OPENING, changeOf(2, { ms: MS + 50 }), changeOf(3), changeOf(4, { ms: MS + 60 })),
    );
    expect(
      marketRows(imported)
        .slice(1)
        .map(({ row }) => [row.at, row.exchangeAt]),
    ).toEqual([
      [(MS + 50) * 1000, (MS + 50) * 1000],
      [(MS + 50) * 1000, (MS + 3) * 1000],
      [(MS + 60) * 1000, (MS + 60) * 1000],
    ]);
    expect(imported.report.findings).toMatchObject([
      {
        kind: 'back-in-time',
        count: 1,
        examples: [{ line: 4 }],
        resolution: 'kept in its place, dated like the row before it',
      },
    ]);
  });

  it('levels below zero and sides that meet are counted once each', async () => {
    const { report } = await importing(
      linesOf(
        ...OPENING,
        changeOf(2, { price: '0.5000' }),
        changeOf(3, { price: '0.5000' }),
        changeOf(4, { price: '0.5000', change: '-2.00' }),
        changeOf(5, { price: '0.5200' }),
        changeOf(6, { price: '0.3000', change: '-1.00' }),
      ),
    );
    expect(countsOf(report)).toEqual({ 'negative-level': 1, 'locked-book': 1, 'crossed-book': 1 });
    expect(report.facts.counts['delta']).toBe(5);
    expect(report.facts.gaps).toMatchObject([{ from: (MS + 6) * 1000, tickers: ['M-1'] }]);
  });

  it('unknown members, messages and markets are named', async () => {
    const { report } = await importing(
      linesOf(
        ...OPENING,
        { ...changeOf(2), extra: 1 },
        { type: 'weather', sid: 7, seq: 1, msg: {} },
        changeOf(3, { market: 'M-9' }),
        changeOf(4),
      ),
    );
    expect(report.findings.map(({ kind, examples }) => [kind, examples[0]?.line, examples[0]?.what])).toEqual([
      ['unknown-member', 3, 'field frame.extra: extra'],
      ['unknown-message', 4, 'type weather: a record'],
      ['unknown-market', 5, 'market of orderbook_delta: "M-9"'],
    ]);
    expect(report.facts.gaps).toEqual([]);
    expect(report.facts.counts['delta']).toBe(2);
  });

  it('an unreadable delta makes the books of its subscription unknown', async () => {
    const { report } = await importing(
      linesOf(...OPENING, changeOf(2), changeOf(3, { price: '0.42001' }), changeOf(4)),
    );
    expect(report.findings).toMatchObject([{ kind: 'unreadable-frame', count: 1, examples: [{ line: 4 }] }]);
    expect(report.facts.gaps).toMatchObject([{ tickers: ['M-1'] }]);
  });

  it('a line that is no message is a finding, and makes books unknown only where messages have no numbers', async () => {
    const numbered = await importing(linesOf(...OPENING, changeOf(2), '{"type":"order', 'hello', changeOf(3)));
    expect(countsOf(numbered.report)).toEqual({ 'bad-row': 2 });
    expect(numbered.report.facts.gaps).toEqual([]);
    const bare = {
      type: 'orderbook_snapshot',
      ts: '2023-08-31T13:30:11Z',
      msg: { market_ticker: 'M-1', yes: [[40, 3]] },
    };
    const { report } = await importing(linesOf(bare, 'hello', bare));
    expect(countsOf(report)).toEqual({ 'bad-row': 1 });
    expect(report.facts.gaps).toHaveLength(1);
  });

  it.each([
    ['nothing of a feed', 'hello', 'expected messages of books or trades of a feed, found none'],
    ['no time', linesOf(...OPENING), 'expected a time in some line, found none in 1 messages'],
  ])('a capture with %s cannot be imported', async (_name, text, message) => {
    await expect(importing(text)).rejects.toThrow(message);
  });

  it('an unknown dialect cannot be imported', async () => {
    await expect(importing(linesOf(...OPENING), { dialect: 'morse' })).rejects.toThrow(
      'dialect: expected one of dollars, dollars-unnumbered, dollars-yes-scale, dollars-yes-scale-unnumbered, cents, cents-unnumbered, found morse',
    );
  });
});

describe('bad lines of a capture', () => {
  const good = [
    ...OPENING,
    changeOf(2),
    changeOf(3, { side: 'no' }),
    subscribedTo(2, 'trade'),
    tradeOf(1),
    changeOf(4),
  ];
  const bad = fc.oneof(
    fc.constantFrom('{', '{}', '[1,2]', 'null', '"text"', '{"type":1}', '{"ts":1795000000123,"frame":"{"}', '\u0000'),
    fc.string().filter((text) => text.trim() !== '' && !/[\n\r]/.test(text)),
  );

  it('bad lines, wherever they are, change nothing of the good ones', async () => {
    const expected = marketRows(await importing(linesOf(...good)));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(good.length), bad), { maxLength: 8 }), async (inserted) => {
        const lines: (object | string)[] = [...good];
        for (const [at, text] of inserted) lines.splice(at, 0, text);
        const imported = await importing(linesOf(...lines));
        expect(marketRows(imported)).toEqual(expected);
        expect(imported.report.facts.gaps).toEqual([]);
        expect(countsOf(imported.report)['bad-row'] ?? 0).toBe(inserted.length);
      }),
      { numRuns: runCount(40) },
    );
  });

  it('bad lines have correct line numbers, however lines lie in the chunks read', async () => {
    // More than one chunk, so that a line lies across every border; one is longer than a chunk, one has no end.
    const changes = Array.from({ length: 6000 }, (_, more) => changeOf(more + 2, { side: more % 2 ? 'no' : 'yes' }));
    const long = { type: 'note', msg: { text: 'x'.repeat(1_200_000) } };
    const lines = [...OPENING, ...changes.slice(0, 3000), '{', long, ...changes.slice(3000), '', 'the last one'];
    const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    const slow = lines.map((line) =>
      typeof line === 'string' ? line : JSON.stringify(Object.fromEntries(Object.entries(line).toReversed())),
    );
    const ways = [
      await importing(text),
      await importing(text.replaceAll('\n', ' \r\n')),
      await importing(slow.join('\n')),
      await importTexts('feed-jsonl', [gzipSync(text)], { ending: '.jsonl.gz' }),
    ];
    const [first] = ways;
    expect(first?.report.facts.counts['delta']).toBe(6000);
    expect(first?.report.read).toBe(lines.length - 1);
    expect(first?.report.findings.map(({ kind, examples }) => [kind, examples.map(({ line }) => line)])).toEqual([
      ['bad-row', [3003, 6006]],
      ['unknown-message', [3004]],
    ]);
    for (const way of ways) {
      expect(way.facts).toEqual(first?.facts);
      expect(way.report.findings.map(({ kind, examples }) => [kind, examples.map(({ line }) => line)])).toEqual(
        first?.report.findings.map(({ kind, examples }) => [kind, examples.map(({ line }) => line)]),
      );
    }
  });

  it('the fast reader and the slow one give the same result for lines with bad ones between', async () => {
    const changes = fc.record({
      price: fc.constantFrom('0.0001', '0.4200', '0.4205', '0.9900', '1.0000', '0.42001', '.5', '1e-1'),
      change: fc.constantFrom('1.00', '-1.00', '0.25', '2', '1.005', 'x'),
      side: fc.constantFrom('yes' as const, 'no' as const),
    });
    const dialects = fc.constantFrom('dollars', 'dollars-unnumbered');
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { minLength: 1, maxLength: 20 }), dialects, async (drawn, dialect) => {
        const messages = [
          ...OPENING,
          ...drawn.map((change, at) => changeOf(at + 2, change)),
          changeOf(drawn.length + 2),
        ];
        const quick = await importing(linesOf(...messages), { dialect });
        // Another order of the members keeps every line from the fast reader.
        const slow = await importing(
          linesOf(...messages.map((message) => Object.fromEntries(Object.entries(message).toReversed()))),
          { dialect },
        );
        expect(slow.facts).toEqual(quick.facts);
        expect(slow.report.findings.map(({ kind, count }) => [kind, count])).toEqual(
          quick.report.findings.map(({ kind, count }) => [kind, count]),
        );
      }),
      { numRuns: runCount(40) },
    );
  });
});
