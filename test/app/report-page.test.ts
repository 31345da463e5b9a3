// The check before long work that the page of a report can be written, and what it leaves behind.
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { checkPage } from '../../src/app/report-page.ts';
import { UsageError } from '../../src/app/usage-error.ts';
import { compareCommand } from '../../src/cli/compare-command.ts';

const CONFIG = 'config/backtest.yaml';
const root = mkdtempSync(join(tmpdir(), 'presage-report-page-'));
afterAll(() => rmSync(root, { recursive: true }));
afterEach(() => {
  process.exitCode = undefined;
  vi.restoreAllMocks();
});

describe('the check that a page can be written', () => {
  it('leaves no file, and no folder that it made', () => {
    checkPage(join(root, 'page.html'));
    checkPage(join(root, 'a', 'b', 'page.html'));
    expect(readdirSync(root)).toEqual([]);
  });

  it('leaves a page that is there as it is', () => {
    const file = join(root, 'old.html');
    writeFileSync(file, 'old');
    checkPage(file);
    expect(readFileSync(file, 'utf8')).toBe('old');
    rmSync(file);
  });

  it('leaves a link to a page that is still to be written', () => {
    const [link, page] = [join(root, 'link.html'), join(root, 'linked.html')];
    symlinkSync(page, link);
    checkPage(link);
    expect(readlinkSync(link)).toBe(page);
    expect(readdirSync(root)).toEqual(['link.html']);
    rmSync(link);
  });

  it('refuses a place that cannot be written, and leaves it as it is', () => {
    writeFileSync(join(root, 'file'), '');
    expect(() => checkPage(join(root, 'file', 'page.html'))).toThrow(UsageError);
    expect(() => checkPage(root)).toThrow(`${root}: the report cannot be written`);
    expect(() => checkPage(join(root, 'a'.repeat(300), 'page.html'))).toThrow('name too long');
    expect(readdirSync(root)).toEqual(['file']);
  });

  it('leaves no page of a comparison that is refused', async () => {
    const page = join(root, 'compare.html');
    const none = join(root, 'none.yaml');
    await expect(compareCommand().parseAsync([none, none, '--html', page], { from: 'user' })).rejects.toThrow(
      'none.yaml',
    );
    expect(existsSync(page)).toBe(false);
  });

  it('leaves no page of a comparison that a signal stops, which ends with 1', async () => {
    const page = join(root, 'stopped.html');
    const complaints = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const comparing = compareCommand().parseAsync([CONFIG, CONFIG, '--html', page], { from: 'user' });
    process.emit('SIGINT', 'SIGINT');
    await comparing;
    expect(process.exitCode).toBe(1);
    expect(complaints.mock.lastCall).toEqual(['presage: stopped by SIGINT: nothing was written\n']);
    expect(existsSync(page)).toBe(false);
  });
});
