// The page of a session on a real terminal: keys reach it, `q` stops the session, and the terminal is given back.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { MAIN, ROOT, shippedConfig } from './presage.ts';

/** `script` of util-linux runs a command on a terminal of its own. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;
/** The phase on a page with colors. */
const TRADING = '\u001B[32mtrading';
const CLOSED = '\u001B[?25h\u001B[?1049l';

let folder = '';
let terminal: ChildProcess | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-terminal-'));
});
afterEach(() => {
  terminal?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the demo on a terminal of 24 × 80, which says its mode at the end. */
function startDemo(colors: string) {
  const config = join(folder, 'demo.yaml');
  writeFileSync(config, shippedConfig('demo.yaml', folder));
  const run = `${colors} '${process.execPath}' '${MAIN}' run --config '${config}'`;
  const line = `stty rows 24 cols 80; stty -g; env -u FORCE_COLOR -u NO_COLOR TERM=xterm ${run}; echo "code $?"; stty -g; echo over`;
  const child = spawn('script', ['-qec', line, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
  terminal = child;
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  const until = (wanted: string | RegExp): Promise<string> =>
    vi.waitFor(
      () => {
        expect(typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text), text.slice(-2000)).toBe(true);
        return text;
      },
      { timeout: PATIENCE_MS, interval: 20 },
    );
  return { until, press: (keys: string) => child.stdin.write(keys), forget: () => (text = '') };
}

/** The parts of the output after the page was closed. */
const ending = (text: string): string => text.slice(text.lastIndexOf(CLOSED) + CLOSED.length);
const modesIn = (text: string): string[] => text.match(/^[\da-f]+(?::[\da-f]+){5,}/gm) ?? [];

describe.skipIf(!hasScript)(
  'the page on a terminal (needs `script` of util-linux)',
  { timeout: PATIENCE_MS * 2 },
  () => {
    it('takes keys, stops at q with the account printed, and gives the terminal back', async () => {
      const { until, press } = startDemo('');
      await until(TRADING);
      press('?');
      await until('one row up or down');
      press('?/RAIN\r');
      await until('with “RAIN” only');
      press('q');
      const text = await until(/over\r?\n/);
      expect(ending(text)).toContain('the exchange’s own ledger agrees');
      expect(ending(text)).toContain('code 0');
      const modes = modesIn(text);
      expect(modes).toHaveLength(2);
      expect(modes[1]).toBe(modes[0]);
    });

    it('stops at Ctrl-C, and shows no color with NO_COLOR', async () => {
      const { until, press } = startDemo('NO_COLOR=1');
      await until(/ {2}trading/);
      press('\u0003');
      const text = await until(/over\r?\n/);
      expect(ending(text)).toContain('code 0');
      expect(text).not.toContain('\u001B[1m');
      expect(text).not.toContain('\u001B[32m');
    });

    it('exits at the second Ctrl-C with 130, and gives the terminal back', async () => {
      const { until, press } = startDemo('');
      await until(TRADING);
      press('\u0003\u0003');
      const text = await until(/over\r?\n/);
      expect(ending(text)).toContain('code 130');
      expect(modesIn(text)[1]).toBe(modesIn(text)[0]);
    });
  },
);

/** Runs a command on a terminal of some width; returns its text. */
function writtenAt(columns: number): string {
  const line = `stty rows 0 cols ${columns}; '${process.execPath}' '${MAIN}' strategy list --help`;
  return spawnSync('script', ['-qec', line, '/dev/null'], { cwd: ROOT, encoding: 'utf8' }).stdout;
}

describe.skipIf(!hasScript)('a terminal that reports no width (needs `script` of util-linux)', () => {
  it('gets text for 80 columns', () => {
    const text = writtenAt(80);
    expect(text).toMatch(/Usage: .*strategy list/);
    expect(writtenAt(0)).toBe(text);
  });
});
