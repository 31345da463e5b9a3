// The page of a comparison: one that cannot be written takes no figure with it, and no file is replaced but a page.
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareCommand } from '../../src/cli/compare-command.ts';
import { backtest } from '../../src/research/runs/backtest-call.ts';
import { ROOT } from '../e2e/presage.ts';
import { type Printed, capturingOutput } from '../support/runner/printed-output.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-compare-'));
const run = join(folder, 'run');
const printedBy = capturingOutput();

beforeAll(async () => {
  await backtest({ config: join(ROOT, 'config/backtest.yaml'), exportTo: run });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const compareTo = (html: string, ...options: string[]): Promise<Printed> =>
  printedBy(() => compareCommand().parseAsync([run, run, '--html', html, ...options], { from: 'user' }));

describe('the page of a comparison', () => {
  it('on a full disk costs the exit code, not the comparison', async () => {
    const full = join(folder, 'full.html');
    symlinkSync('/dev/full', full);
    const { stdout, stderr, exitCode } = await compareTo(full);
    expect(stdout).toMatch(/^The same: /);
    expect(stdout).not.toContain('page:');
    expect(stderr).toContain(`presage: ${full}: the report cannot be written: ENOSPC`);
    expect(exitCode).toBe(1);
    const [json] = (await compareTo(full, '--json')).stdout.split('\n');
    expect(JSON.parse(json ?? '')).toMatchObject({ type: 'comparison', verdict: 'same' });
    expect(statSync(full).isCharacterDevice()).toBe(true);
  });

  it('goes to the file behind a link', async () => {
    const [page, link] = [join(folder, 'page.html'), join(folder, 'link.html')];
    writeFileSync(page, 'earlier\n');
    symlinkSync(page, link);
    expect(await compareTo(link)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(readFileSync(page, 'utf8')).toMatch(/^<!doctype html>/);
  });
});
