// The verdict on an import: the share of it that is known, and when that is too little.
import { describe, expect, it } from 'vitest';
import { percentText } from '../../../src/tape/import/import-verdict.ts';
import { MS, changeOf, linesOf, snapshotOf, tradeOf } from '../../support/tapes/captured-messages.ts';
import { type TestImportOptions, importTexts } from '../../support/tapes/imported-tape.ts';

const importing = async (lines: readonly (object | string)[], options: TestImportOptions = {}) =>
  (await importTexts('feed-jsonl', [linesOf(...lines)], { ending: '.jsonl', ...options })).report;

const book = (seq: number, market = 'M-1') => snapshotOf(seq, { market, yes: [['0.4200', '3.00']] });

describe('the coverage of an import', () => {
  it("the coverage of an import is the share of time in which each market's book is known, from its first row to its last", async () => {
    const report = await importing([
      book(1),
      changeOf(2, { ms: MS }),
      book(3, 'M-2'),
      changeOf(4, { ms: MS + 1000, market: 'M-2' }),
      // Number 5 is lost: books are unknown from the row before. The next snapshot of M-1 comes a second later.
      changeOf(6, { ms: MS + 2000 }),
      book(7),
      changeOf(8, { ms: MS + 4000 }),
    ]);
    expect(report.coverage.markets).toMatchObject([
      { ticker: 'M-1', from: MS * 1000, to: (MS + 4000) * 1000, share: 0.75 },
      { ticker: 'M-2', share: 1 },
    ]);
    expect(report).toMatchObject({ warnings: [], isMostlyUnknown: false });
  });

  it('the coverage of an import does not count time before the first snapshot of a market', async () => {
    const report = await importing([
      tradeOf(1, { ts_ms: MS }),
      changeOf(1, { ms: MS }),
      changeOf(2, { ms: MS + 3000 }),
      book(3),
      changeOf(4, { ms: MS + 4000 }),
    ]);
    expect(report.coverage).toMatchObject({ share: 0.25, markets: [{ share: 0.25 }] });
    expect(report.isMostlyUnknown).toBe(true);
    expect(report.warnings).toEqual([expect.stringMatching(/^Books are known for 25 % of the time/)]);
  });

  it('the coverage of trades alone is none', async () => {
    const { report } = await importTexts('trades-csv', [
      'ticker,ts,yes_price,count,taker_side\nM-1,1795000000,40,1,yes\n',
    ]);
    expect(report).toMatchObject({ coverage: { share: null, markets: [] }, warnings: [], isMostlyUnknown: false });
  });
});

describe('an import of trades that are there twice', () => {
  const file = [
    'ticker,ts,yes_price,count,taker_side',
    ...Array.from({ length: 9 }, (_, n) => `M-1,179500000${n},40,1,yes`),
  ];
  const texts = [`${file.join('\n')}\n`, `${file.join('\n')}\n`];

  it('warns of the trades that were kept, and names the option', async () => {
    const { report } = await importTexts('trades-csv', texts);
    expect(report.warnings).toEqual([
      '9 of 18 trades equal an earlier one in everything, and were kept. Files that overlap hold such trades twice: import ' +
        'them with --duplicates drop.',
    ]);
    expect(report.isMostlyUnknown).toBe(false);
  });

  it('does not warn of trades that were left out', async () => {
    expect((await importTexts('trades-csv', texts, { duplicates: 'drop' })).report.warnings).toEqual([]);
  });
});

describe('an import of which most is unknown', () => {
  const jumping = [book(1), ...Array.from({ length: 40 }, (_, each) => changeOf(4 + 3 * each))];

  it('a warning of missing numbers names the dialect that ignores them', async () => {
    const report = await importing(jumping, { dialect: 'dollars' });
    expect(report.isMostlyUnknown).toBe(true);
    expect(report.warnings[0]).toBe(
      'Sequence numbers are missing 40 times in 41 messages; each gap makes books unknown. Where the capture was split by market or ' +
        'filtered, nothing is missing: import it with --dialect dollars-unnumbered.',
    );
    expect(report.warnings[1]).toContain('Books are known for 0 % of the time');
  });

  it('an import is mostly unknown when its rows were mostly left out', async () => {
    const csv = (rows: readonly string[]) =>
      importTexts('trades-csv', [['ticker,ts,yes_price,count,taker_side', ...rows].join('\n')]);
    const good = 'M-1,1795000000,40,1,yes';
    const some = (await csv([good, 'M-1,x,40,1,yes', 'M-1,x,41,1,yes'])).report;
    expect(some).toMatchObject({
      isMostlyUnknown: true,
      warnings: ['2 of 3 rows or messages were left out: the findings name the first ones, and why.'],
    });
    expect((await csv([good])).report.isMostlyUnknown).toBe(false);
  });

  it('an import with rows out of order is not mostly unknown, but has a warning', async () => {
    const rows = ['M-1,1795000000,40,1,yes', 'M-1,1794999000,40,1,yes', 'M-1,1795000001,40,1,yes'];
    const { report } = await importTexts('trades-csv', [['ticker,ts,yes_price,count,taker_side', ...rows].join('\n')]);
    expect(report.isMostlyUnknown).toBe(false);
    expect(report.warnings).toEqual([expect.stringMatching(/^1 of 3 rows are earlier .*`presage tape merge`/)]);
  });
});

it.each([
  [1, '100 %'],
  [0.999_99, '99.99 %'],
  [0.5, '50 %'],
  [0.0006, '0.06 %'],
  [0, '0 %'],
])('a share of %d is shown as %s', (share, text) => {
  expect(percentText(share)).toBe(text);
});
