// The report on a terminal, and the format of figures.
import { describe, expect, it } from 'vitest';
import {
  centsEach,
  summedContracts,
  countText,
  roundedDollars,
  durationText,
  exactDollars,
  priceText,
  shareText,
  signedCents,
  signedRounded,
  timeText,
} from '../../../src/report/text/figure-text.ts';
import { reportOfRun } from '../../../src/report/statement/statement.ts';
import { columnWidths } from '../../../src/report/text/text-columns.ts';
import { renderText } from '../../../src/report/text/text-report.ts';
import { sampleRun } from '../../support/reports/sample-run.ts';
import { RUN_START, ManualRun } from '../../support/reports/manual-run.ts';

describe('columns', () => {
  it('have a width for more rows than a function takes arguments', () => {
    expect(
      columnWidths(
        ['name'],
        Array.from({ length: 200_000 }, () => ['a market']),
      ),
    ).toEqual([8]);
  });
});

describe('figures', () => {
  it.each([
    [0, '$0.00'],
    [1_234_500_000, '$1,234.50'],
    [-17_500, '−$0.0175'],
    [1, '$0.000001'],
    [-49, '−$0.000049'],
    [50, '$0.0001'],
    [999_999, '$1.0000'],
    [1_005_000, '$1.01'],
    [-1_004_999, '−$1.00'],
    [183_624_872.017, '$183.62'],
  ])('%d millionths are formatted as %s', (money, text) => {
    expect(roundedDollars(money)).toBe(text);
  });

  it('figures keep their sign, and exact ones the last millionth', () => {
    expect(signedRounded(5_000_000)).toBe('+$5.00');
    expect(signedCents(-1)).toBe('−$0.00');
    expect(signedCents(0)).toBe('$0.00');
    expect(exactDollars(-15_062_275)).toBe('−$15.062275');
    expect(exactDollars(9_007_199_254_740_991)).toBe('$9,007,199,254.740991');
    expect(centsEach(-8_400)).toBe('−0.84¢');
    expect(centsEach(-1)).toBe('−0.00¢');
    expect(centsEach(null)).toBe('–');
  });

  it('contracts, prices, shares, counts and times are formatted', () => {
    expect(summedContracts(123_400)).toBe('1,234');
    expect(summedContracts(-150)).toBe('−1.5');
    expect(priceText(4250)).toBe('42.5¢');
    expect(shareText(0.12345)).toBe('12.3%');
    expect(countText(-1_234_567)).toBe('−1,234,567');
    expect(timeText(RUN_START)).toBe('2027-01-15 08:00:00');
    expect([0, 350_000, 1_000_000, 61_000_000, 90_061_000_000].map(durationText)).toEqual([
      '0 ms',
      '350 ms',
      '1 s',
      '1 min 1 s',
      '1 d 1 h',
    ]);
  });
});

describe('the text report', () => {
  const text = renderText(reportOfRun(sampleRun()));

  it('fits a terminal, in aligned columns', () => {
    for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100);
    expect(text.endsWith('\n')).toBe(true);
    expect(text).not.toMatch(/[ \t]$/m);
  });

  it('has every part of the profit, the sum, the intervals, and the caveats', () => {
    for (const part of ['Spread', 'Adverse selection', 'Settlement', 'Fees', 'Profit', 'to the last millionth'])
      expect(text).toContain(part);
    expect(text).toContain('event groups');
    expect(text).toContain('What this does not show');
    expect(text).not.toMatch(/NaN|Infinity|undefined|\[object/);
  });

  it('says first if the result proves anything', () => {
    expect(text.split('\n').slice(0, 6).join(' ')).toMatch(/not distinguishable from zero|proves nothing|chance alone/);
  });

  it('shows the best and the worst of many markets and the number left out', () => {
    const record = sampleRun();
    const short = renderText(reportOfRun(record), { linesMax: 4 });
    expect(short).toContain('38 between them');
  });

  it.each([80, 100, 200])('the text is no wider than a terminal of %i columns', (width) => {
    const orderEnds = [
      { state: 'rejected', reason: `invalid_order: ${'why, at length, '.repeat(9)}`, count: 3 },
    ] as const;
    const record = { ...sampleRun(), orderEnds, name: 'a name' };
    const markets = record.markets.map((market) => ({
      ...market,
      eventTicker: `A-VERY-LONG-EVENT-GROUP-${market.eventTicker}`,
    }));
    for (const line of renderText(reportOfRun({ ...record, markets }), { width }).split('\n'))
      expect(line.length, line).toBeLessThanOrEqual(width);
  });

  it('names the columns that it leaves out of all tables where there is no room for them', () => {
    expect(text).toMatch(/By market\n +profit .* fees +trades +contracts +filled +each\n/);
    const narrow = renderText(reportOfRun(sampleRun()), { width: 80 });
    expect(narrow).toMatch(/By strategy\n +profit .* fees +trades +each\n/);
    expect(narrow).toMatch(/By market\n +profit .* fees +trades +each\n/);
    expect(narrow.match(/left out to fit the width: contracts, filled\n/g)).toHaveLength(1);
  });

  it('says why orders were never sent, or were rejected', () => {
    const orderEnds = [
      { state: 'not-sent', reason: 'too late to send', count: 1291 },
      { state: 'rejected', reason: 'invalid_price', count: 2 },
    ] as const;
    const text = renderText(reportOfRun({ ...sampleRun(), orderEnds }));
    expect(text).toMatch(/\n {4}not sent +1,291 {2}too late to send\n {4}rejected +2 {2}invalid_price\n/);
  });

  it('reports a run in which nothing happened', () => {
    const run = new ManualRun();
    run.recorder.beginRecord();
    const empty = renderText(reportOfRun(run.finishRecord(1)));
    expect(empty).toContain('Nothing was traded.');
    expect(empty).not.toContain('Markouts');
    expect(empty).not.toMatch(/NaN|Infinity|undefined|null/);
  });

  it('says which phase a session that never traded had reached, and what it could not read', () => {
    const run = new ManualRun();
    run.emitNotice({ type: 'phase', phase: 'discovering', why: 'started' });
    const reason = '404 not_found: TYPO';
    run.emitNotice({ type: 'read-failed', what: 'event TYPO', reason, isRefused: true });
    run.emitNotice({ type: 'phase', phase: 'stopped', why: 'the tape is over' });
    const report = reportOfRun(run.finishRecord(1));
    expect(report.neverReady).toEqual({ phase: 'discovering', failedRead: `event TYPO: ${reason}` });
    expect(report.headline).toBe(
      `The session never became ready to trade: it was still looking up its markets when the tape ended; the last failed read: event TYPO: ${reason}.`,
    );
    expect(renderText(report)).not.toContain('Nothing was traded.');
  });

  it('escapes names from outside that would control the terminal', () => {
    const record = sampleRun({ groups: 1, trades: 20 });
    const hostile = renderText(reportOfRun({ ...record, name: '\u001B[2Jgone', strategies: [] }));
    expect(hostile).not.toContain('\u001B');
    expect(hostile).toContain('�[2Jgone');
  });
});

describe('a run that ended early', () => {
  it('says so first', () => {
    const text = renderText(reportOfRun({ ...sampleRun(), isPartial: true }));
    expect(text).toMatch(/\n {2}The run ended before its tape\. (Gained|Lost) /);
    expect(renderText(reportOfRun(sampleRun()))).not.toContain('ended before');
  });
});

describe('a run that was halted', () => {
  it('says so first: the rest of it was not traded', () => {
    const halt = {
      at: RUN_START + 61_000_000,
      scope: 'the account',
      by: 'risk',
      reason: 'the loss is above drawdownMax',
    } as const;
    const strategy = { ...halt, at: RUN_START, scope: 'strategy quoter', reason: 'it lost too much' };
    const text = renderText(reportOfRun({ ...sampleRun(), halts: [strategy, halt] }), { width: 400 });
    const head = text.slice(0, text.indexOf('Where the profit came from'));
    expect(head).toContain('The account was halted at 2027-01-15 08:01:01: the loss is above drawdownMax.');
    expect(head).not.toContain('it lost too much');
  });

  it('names the strategy that failed before the result', () => {
    const fault = {
      at: RUN_START,
      scope: 'strategy quoter',
      by: 'fault',
      reason: 'TypeError: no (quoter.ts:3)',
    } as const;
    const report = reportOfRun({ ...sampleRun(), halts: [fault] });
    expect(report.faults).toEqual([fault]);
    expect(report.headline).toMatch(
      /^Strategy quoter was halted at 2027-01-15 08:00:00: TypeError: no \(quoter\.ts:3\)\. (Gained|Lost) /,
    );
  });
});
