// Sides of a comparison by their place: an exported run is the same as the run itself, a session is replayed, and a place
// without a run is refused.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openComparedRun } from '../../../src/research/compare/open-compared-run.ts';
import { compareRuns } from '../../../src/research/compare/group-comparison.ts';
import { backtest } from '../../../src/research/runs/backtest-call.ts';
import { recordDay } from '../../bench/day-session.ts';
import { ROOT, presageIn } from '../../e2e/presage.ts';

const CONFIG = join(ROOT, 'config/backtest.yaml');
const folder = mkdtempSync(join(tmpdir(), 'presage-'));
beforeAll(async () => {
  await backtest({ config: CONFIG, exportTo: join(folder, 'run') });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a side of a comparison', () => {
  it('from the tables of a run is the run itself, to the last unit', async () => {
    const exported = await openComparedRun(join(folder, 'run'));
    const again = await openComparedRun(CONFIG);
    expect({ ...exported, name: '' }).toEqual({ ...again, name: '' });
    expect(exported.steps.length).toBeGreaterThan(300);
    expect(exported.fills.length).toBeGreaterThan(100);
    expect(compareRuns(exported, again, { seed: 1 }).verdict).toBe('same');
  });

  it.each([
    ['missing', 'none', /none: expected the config of a backtest, .*, found nothing/],
    ['an empty folder', 'empty', /empty: expected .* found a folder with neither/],
    ['an export without a table', 'torn', /orders\.parquet: expected a table of an exported run/],
    [
      'a baked tape',
      'tape.arrow',
      /^[^\n]*tape\.arrow: expected the config of a backtest, .*, found an Arrow file, such as a baked tape$/,
    ],
    ['a report', 'page.html', /^[^\n]*page\.html: expected the config of a backtest, .*, found a page of HTML$/],
    ['a table of an export', 'run/orders.parquet', /^[^\n]*, found a file of an exported run: name its folder$/],
    ['an export with other facts', 'other', /run\.json: expected the facts of a run, .*version/],
  ])('is refused when its place is %s', async (_, name, message) => {
    mkdirSync(join(folder, 'empty'), { recursive: true });
    for (const copy of ['torn', 'other']) cpSync(join(folder, 'run'), join(folder, copy), { recursive: true });
    rmSync(join(folder, 'torn', 'orders.parquet'));
    writeFileSync(join(folder, 'other', 'run.json'), '{"version":99}');
    cpSync(join(ROOT, 'backtest/data/sample-30.arrow'), join(folder, 'tape.arrow'));
    writeFileSync(join(folder, 'page.html'), '<!doctype html>\n<html lang="en">\n<p>a: b: c\n');
    await expect(openComparedRun(join(folder, name))).rejects.toThrow(message);
  });

  it('from a session has the event groups that it only watched, too', async () => {
    const journal = join(folder, 'bot', 'journal');
    const day = { hours: 0.01, seed: 3, changesPerSecond: 12, furtherMarkets: 2, onlyWatchesFurther: true };
    await recordDay({ ...day, folder: journal });
    const session = await openComparedRun(join(folder, 'bot'));
    const watched = session.groups.filter(({ fills }) => fills === 0);
    expect(watched.map(({ group }) => group).sort()).toEqual(['RAIN-R0', 'RAIN-R1']);
    expect(watched[0]).toMatchObject({ profit: 0, qty: 0, lockedDollarDays: 0, known: null });
    expect(new Set(session.groups.map(({ group }) => group)).size).toBe(session.groups.length);
    // The market of RAIN-LIMA settles within the session.
    expect(session.groups.find(({ group }) => group === 'RAIN-LIMA')?.known).not.toBeNull();
    const traded = { ...session.groups[0]!, group: 'RAIN-R1', profit: -5_000_000, fills: 3 };
    const other = { ...session, name: 'other', groups: [traded] };
    expect(compareRuns(session, other, { seed: 1 })).toMatchObject({
      groups: [{ group: 'RAIN-R1', first: 0, second: -5_000_000 }],
      secondOnly: [],
    });
  });

  it('is refused when its session is not in the journal, with the place', async () => {
    const journal = join(folder, 'bot', 'journal');
    await expect(openComparedRun(`${journal}#none`)).rejects.toThrow(
      `${journal}: expected one of its sessions, found "none"`,
    );
  });

  it('is compared by the command, which writes one page and one JSON object', async () => {
    const page = join(folder, 'page.html');
    const { code, stdout } = await presageIn(folder, ['compare', 'run', CONFIG, '--json', '--html', page]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'comparison', verdict: 'same', parting: null });
    const refused = await presageIn(folder, ['compare', 'run', 'none']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('none: expected the config')]);
  });
});
