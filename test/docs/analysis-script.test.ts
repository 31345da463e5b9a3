// The script of the page on analysis runs as it stands: backtests in a loop, tables in Parquet, and a query of DuckDB, whose answer
// equals what the backtests returned.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { must } from '../../src/base/assert.ts';
import { ROOT } from '../e2e/presage.ts';
import { readPage } from './pages.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rowSchema = z.strictObject({
  half_spread: z.string(),
  group: z.string(),
  profit: z.string(),
  fills: z.coerce.number(),
});

describe('the script of the page on analysis', () => {
  it('runs backtests in a loop, and asks DuckDB about their tables', async () => {
    const [script] = readPage('docs/how-to/analyze-a-run.md').blocks.filter(({ lang }) => lang === 'ts');
    const { code } = await transform(must(script, 'a block of TypeScript').text, { loader: 'ts', format: 'esm' });
    for (const name of ['config', 'strategies', 'backtest']) symlinkSync(join(ROOT, name), join(folder, name));
    mkdirSync(join(folder, 'node_modules/@duckdb'), { recursive: true });
    symlinkSync(ROOT, join(folder, 'node_modules/presage-trading'));
    symlinkSync(join(ROOT, 'node_modules/@duckdb/node-api'), join(folder, 'node_modules/@duckdb/node-api'));
    const file = join(folder, 'script.mjs');
    writeFileSync(file, code);

    const lines = execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' }).trim().split('\n');
    const told = lines.slice(0, 3).map((line) => must(/^(\d): (-?\d+) millionths over (\d+) groups$/.exec(line), line));
    expect(told.map(([, halfSpread]) => halfSpread)).toEqual(['1', '2', '3']);
    const rows = lines.slice(3).map((line) => rowSchema.parse(JSON.parse(line)));
    for (const [, halfSpread, profit, groups] of told) {
      const own = rows.filter((row) => row.half_spread === halfSpread);
      expect(own).toHaveLength(Number(groups));
      expect(own.reduce((sum, row) => sum + millionths(row.profit), 0)).toBe(Number(profit));
    }
    expect(rows.length).toBeGreaterThan(3);
  });
});

/** Reads an exact decimal of dollars. */
function millionths(text: string): number {
  const [, sign = '', whole = '', part = ''] = /^(-?)(\d+)\.(\d{6})$/.exec(text) ?? [];
  return Number(`${sign}${whole}${part}`);
}
