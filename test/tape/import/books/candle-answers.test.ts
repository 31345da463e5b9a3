// Candles: written after their end, in both spellings, from every form of answer; and nothing from within.
import { describe, expect, it } from 'vitest';
import { contracts } from '../../../../src/domain/units.ts';
import { ticker } from '../../../../src/domain/ids.ts';
import { type TestImportOptions, countsOf, importTexts, kindsOf } from '../../../support/tapes/imported-tape.ts';

const importing = (json: unknown, options: TestImportOptions = {}) =>
  importTexts('candles-json', [typeof json === 'string' ? json : JSON.stringify(json)], {
    ending: '.json',
    ...options,
  });

const END = 1_795_000_020;
const span = (close: number): object => ({ open: 1, low: 1, high: 99, close });
const inCents = (end: number, close: number | null = 43): object => ({
  end_period_ts: end,
  yes_bid: span(42),
  yes_ask: span(45),
  price: close === null ? { close: null, previous: 40 } : { ...span(close), mean: 43, previous: 40 },
  volume: 7,
  open_interest: 12,
});
const dollars = (close: string): object => ({
  open_dollars: '0.0100',
  low_dollars: '0.0100',
  high_dollars: '0.9900',
  close_dollars: close,
});
const inDollars = (end: number): object => ({
  end_period_ts: end,
  yes_bid: dollars('0.4205'),
  yes_ask: dollars('1.0000'),
  price: {},
  volume_fp: '7.50',
  open_interest_fp: '12.25',
});
const answer = (...candlesticks: readonly object[]): object => ({ ticker: 'S-1-A', candlesticks });

describe('candles', () => {
  it('candles may be more than a call takes arguments', async () => {
    const lines = Array.from({ length: 30 }, (_, day) =>
      JSON.stringify({
        ticker: `S-1-${day}`,
        candlesticks: Array.from({ length: 5000 }, (_candle, at) => inCents(END + 60 * at)),
      }),
    );
    const { report } = await importTexts('candles-json', [lines.join('\n')], { ending: '.jsonl' });
    expect(report.read).toBe(150_000);
    expect(report.facts.counts).toMatchObject({ ticker: 150_000 });
  });

  it('candles are known one second after their end, with the state at their end and nothing from within', async () => {
    const { facts, report } = await importing(answer(inCents(END), inCents(END + 60, null)));
    const at = (END + 1) * 1_000_000;
    expect(facts.slice(2)).toMatchObject([
      {
        kind: 'other',
        row: {
          kind: 'ticker',
          at,
          exchangeAt: END * 1_000_000,
          lastPrice: 4300,
          bestBid: 4200,
          bestAsk: 4500,
          volume: 700,
          openInterest: 1200,
        },
      },
      { kind: 'snapshot', row: { at, bids: [[4200, 100]], asks: [[4500, 100]] } },
      { kind: 'other', row: { kind: 'ticker', lastPrice: 4000, volume: 1400 } },
      { kind: 'snapshot', row: { at: at + 60_000_000 } },
    ]);
    expect(report.findings).toEqual([]);
    expect(report.facts.assumptions).toEqual(
      expect.arrayContaining([
        'A candle is known one second after its end, with the prices at its end only.',
        'A quote without a size is taken to be for 1 contract, alone on its side.',
      ]),
    );
  });

  it('candles are read in dollars, an empty side as none', async () => {
    const { facts } = await importing(answer(inDollars(END)), { quoteQty: contracts(3) });
    expect(facts.slice(2)).toMatchObject([
      { row: { bestBid: 4205, bestAsk: null, lastPrice: null, volume: 750, openInterest: 1225 } },
      { row: { bids: [[4205, 300]], asks: [] } },
    ]);
  });

  it.each([
    [
      'of several markets',
      {
        markets: [
          { market_ticker: 'S-1-A', candlesticks: [inCents(END)] },
          { market_ticker: 'S-1-B', candlesticks: [inCents(END)] },
        ],
      },
    ],
    [
      'of an event group',
      { market_tickers: ['S-1-A', 'S-1-B'], market_candlesticks: [[inCents(END)], [inCents(END)]] },
    ],
    ['in a list', [answer(inCents(END)), { ...answer(inCents(END)), ticker: 'S-1-B' }]],
    [
      'one a line',
      `${JSON.stringify(answer(inCents(END)))}\n\n${JSON.stringify({ ...answer(inCents(END)), ticker: 'S-1-B' })}\n`,
    ],
  ])('candles are found in answers %s', async (_name, json) => {
    const { report } = await importing(json);
    expect(report).toMatchObject({ read: 2, markets: 2, findings: [] });
  });

  it('candles of several files are written in the order of their ends', async () => {
    const imported = await importTexts(
      'candles-json',
      [
        JSON.stringify(answer(inCents(END + 120), inCents(END))),
        JSON.stringify({ ...answer(inCents(END + 60)), ticker: 'S-1-B' }),
      ],
      { ending: '.json' },
    );
    const ends = imported.facts.flatMap(({ kind, row }) => (kind === 'snapshot' ? [row.at / 1_000_000 - END] : []));
    expect(ends).toEqual([1, 61, 121]);
    expect(imported.report.findings).toEqual([]);
  });

  it('candles that name no market need the option', async () => {
    const nameless = { candlesticks: [inCents(END)] };
    await expect(importing(nameless)).rejects.toThrow('expected the market to be named in the answer or by an option');
    const { report } = await importing(nameless, { ticker: ticker('S-1-A') });
    expect(report.markets).toBe(1);
  });
});

describe('findings of candles', () => {
  it('an unreadable candle, a repeated one, and unknown members are counted', async () => {
    const imported = await importing(
      answer(inCents(END), { ...inCents(END + 60), volume: 'many' }, inCents(END), { ...inCents(END + 120), moon: 1 }),
    );
    expect(countsOf(imported.report)).toEqual({ 'bad-row': 1, duplicate: 1, 'unknown-member': 1 });
    expect(imported.report.findings[0]?.examples[0]?.what).toContain('candle.volume: expected a number, found "many"');
    expect(kindsOf(imported).slice(2)).toEqual(['ticker', 'snapshot', 'ticker', 'snapshot']);
  });

  it('a candle whose sides meet makes the book unknown', async () => {
    const { report } = await importing(
      answer(inCents(END), { ...inCents(END + 60), yes_bid: span(45) }, inCents(END + 120)),
    );
    expect(countsOf(report)).toEqual({ 'locked-quote': 1 });
    expect(report.facts.gaps).toHaveLength(1);
  });

  it('a file without candles is refused with its finding', async () => {
    await expect(importing({ trades: [] })).rejects.toThrow(
      /1 bad-row: left out; first in .*: candles: expected an answer with candlesticks/,
    );
  });
});
