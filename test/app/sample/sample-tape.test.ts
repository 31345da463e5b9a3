// The tapes for studies: what the shipped one holds, and that the command makes it again, byte for byte.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeSampleTape } from '../../../src/app/sample/sample-tape.ts';
import { CENT_GRID, DECI_CENT_GRID, TAPERED_DECI_CENT_GRID } from '../../../src/domain/price-grid.ts';
import { groupSpans } from '../../../src/research/runs/group-spans.ts';
import { openBakedFile } from '../../../src/tape/baked/baked-reader.ts';
import { parseEventText } from '../../../src/tape/baked/event-text.ts';
import { type OtherEvent, RowKind } from '../../../src/tape/baked/tape-rows.ts';
import { verifyBakedFile } from '../../../src/tape/baked/verify-baked.ts';
import { ROOT } from '../../docs/pages.ts';

const SHIPPED = join(ROOT, 'backtest/data/sample-30.arrow');
const SERIES = ['HEAT', 'CUP', 'RAIN', 'RATE', 'VOTE'];

const folder = mkdtempSync(join(tmpdir(), 'presage-sample-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function made(name: string, options: { groups: number; seed: number }): Promise<Buffer> {
  const out = join(folder, name);
  await makeSampleTape({ out, ...options });
  return readFileSync(out);
}

/** Every event of the shipped tape that is not a row of numbers. */
function shippedEvents(): OtherEvent[] {
  const source = openBakedFile(SHIPPED);
  const events: OtherEvent[] = [];
  for (const block of source.readBlocks())
    for (let row = 0; row < block.count; row += 1)
      if (block.kind[row] === RowKind.other) events.push(parseEventText(block.text(row)));
  source.close();
  return events;
}

const ofKind = <Kind extends 'market' | 'event-group' | 'market-changed'>(
  kind: Kind,
): Extract<OtherEvent, { kind: Kind }>[] =>
  shippedEvents().filter((event): event is Extract<OtherEvent, { kind: Kind }> => event.kind === kind);

describe('the shipped tape for studies', () => {
  it('has 30 event groups, each settled apart from the others', () => {
    const source = openBakedFile(SHIPPED);
    const spans = groupSpans(source, { tickers: [], events: [], series: SERIES });
    source.close();
    expect(spans).toHaveLength(30);
    expect(spans.every(({ known }) => known !== null)).toBe(true);
    expect(new Set(spans.map(({ cluster }) => cluster)).size).toBe(30);
    expect(spans.every(({ from, known }) => (known ?? 0) - from < 20 * 60e6)).toBe(true);
  });

  it('has at least 60 markets, all of them paid out, some YES and some NO', () => {
    const markets = ofKind('market');
    const changes = ofKind('market-changed');
    const paid = new Set(changes.filter(({ status }) => status === 'finalized').map(({ market }) => market));
    expect(markets.length).toBeGreaterThanOrEqual(60);
    expect(paid.size).toBe(markets.length);
    expect(markets.every(({ market }) => market.result === null)).toBe(true);
    const results = changes.flatMap(({ result }) => result ?? []);
    expect(results).toHaveLength(markets.length);
    for (const result of ['yes', 'no']) expect(results.filter((each) => each === result).length).toBeGreaterThan(15);
  });

  it('has cent, deci-cent and tapered grids, exclusive groups, and strikes', () => {
    const markets = ofKind('market').map(({ market }) => market);
    for (const grid of [CENT_GRID, DECI_CENT_GRID, TAPERED_DECI_CENT_GRID])
      expect(markets.filter((market) => market.grid.cellCount === grid.cellCount).length).toBeGreaterThan(10);
    expect(new Set(markets.map(({ strike }) => strike?.type))).toEqual(
      new Set([undefined, 'greater', 'less', 'between']),
    );
    const groups = ofKind('event-group').map(({ group }) => group);
    expect(groups.filter(({ isExclusive }) => isExclusive)).toHaveLength(6);
    expect(groups.flatMap(({ tickers }) => tickers).sort()).toEqual(markets.map(({ ticker }) => ticker).sort());
  });

  it('gives the results of one group no contradiction', () => {
    const results = new Map(
      ofKind('market-changed').flatMap(({ market, result }) => (result ? [[market, result] as const] : [])),
    );
    const markets = ofKind('market').map(({ market }) => market);
    const wins = (group: string): string[] =>
      markets
        .filter(({ eventTicker, index }) => eventTicker === group && results.get(index) === 'yes')
        .map(({ ticker }) => ticker.slice(group.length + 1));
    for (const { group } of ofKind('event-group')) {
      const won = wins(group.eventTicker);
      if (group.isExclusive || group.seriesTicker === 'RATE') expect(won).toHaveLength(1);
      if (group.seriesTicker === 'HEAT') expect(['T18', 'T20', 'T22'].slice(0, won.length)).toEqual(won);
    }
  });

  it('is small, and every byte fits its checksum', () => {
    expect(readFileSync(SHIPPED).length).toBeLessThan(4_000_000);
    expect(verifyBakedFile(SHIPPED).rows).toBeGreaterThan(50_000);
  });

  it('is made again by the same seed, byte for byte', async () => {
    expect((await made('again.arrow', { groups: 30, seed: 1 })).equals(readFileSync(SHIPPED))).toBe(true);
  });
});

describe('makeSampleTape', () => {
  it('makes another tape of another seed', async () => {
    const [first, again, other] = [
      await made('first.arrow', { groups: 2, seed: 5 }),
      await made('again-2.arrow', { groups: 2, seed: 5 }),
      await made('other.arrow', { groups: 2, seed: 6 }),
    ];
    expect(first.equals(again)).toBe(true);
    expect(first.equals(other)).toBe(false);
  });

  it('leaves no file behind when it is stopped', async () => {
    const out = join(folder, 'stopped.arrow');
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(makeSampleTape({ out, groups: 30, seed: 1, signal })).rejects.toThrow('stopped');
    expect(existsSync(out)).toBe(false);
  });
});
