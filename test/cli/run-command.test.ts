// The end of a session whose parts cannot be closed: the account is still printed, and the exit code reports failure.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SessionMode } from '../../src/app/session/session-run.ts';
import { type RunOptions, showSession } from '../../src/cli/run-command.ts';
import { botConfigSchema } from '../../src/config/bot-config.ts';
import { parseYaml } from '../../src/config/yaml.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { LiveVenue } from '../support/sessions/live-venue.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-run-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a session without strategies on an account of $1000 until it trades; returns what it printed. */
async function ran(venue: LiveVenue, options: Partial<RunOptions> = {}, consoleScript?: string) {
  const text = `
venue: { url: https://h }
markets: { events: [EVENT] }
dataFolder: ${join(folder, 'data')}
log: { file: ${join(folder, 'bot.log')} }
orders: { grace: 60ms, stopWithin: 20s }
`;
  const mode: SessionMode = {
    readConfig: () => parseYaml(text, { file: 'bot.yaml', schema: botConfigSchema }),
    stagePosition: () => null,
    openVenue: () =>
      Promise.resolve({
        venue,
        clock: venue.clock,
        hasKey: true,
        ledger: null,
        openSecond: null,
        close: () => Promise.resolve(),
      }),
  };
  const told = { out: '', err: '' };
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((part) => (told.out += String(part)) !== '');
  const err = vi.spyOn(process.stderr, 'write').mockImplementation((part) => (told.err += String(part)) !== '');
  try {
    const isOpen = (): boolean => told.out.includes('session trading');
    const script = join(folder, 'console.mjs');
    if (consoleScript !== undefined) writeFileSync(script, consoleScript);
    const ended = showSession({ config: 'bot.yaml', lines: true, ...options }, mode, [process.execPath, script]);
    if (consoleScript !== undefined)
      await vi.waitUntil(() => /^(?:console: |the console is gone)/m.test(told.out), {
        timeout: PATIENCE_MS,
        interval: 5,
      });
    await Promise.race([ended, vi.waitUntil(isOpen, { timeout: PATIENCE_MS, interval: 5 })]);
    process.emit('SIGTERM');
    return { exitCode: await ended, told };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

describe('the account at the end', () => {
  it('is printed after a session that ended well', async () => {
    const { exitCode, told } = await ran(new LiveVenue());
    expect(told.out).toMatch(/^equity +\$1,000\.00$/m);
    expect([exitCode, told.err]).toEqual([0, '']);
  });

  it.each(['feed', 'gateway'] as const)('is printed when the %s cannot be closed', async (part) => {
    const venue = new LiveVenue();
    venue[part].stop = () => Promise.reject(new Error('the socket is stuck'));
    const { exitCode, told } = await ran(venue);
    expect(told.out).toMatch(/^equity +\$1,000\.00$/m);
    expect(told.out).toContain('ended by a FAULT');
    expect(told.out).toContain('Error: the socket is stuck');
    expect(exitCode).toBe(1);
  });

  it('is printed when the report cannot be written', async () => {
    const report = join(folder, 'report.html');
    const venue = new LiveVenue();
    // The place is checked at the start; a folder takes it later.
    venue.gateway.stop = async () => mkdirSync(report);
    const { exitCode, told } = await ran(venue, { report });
    expect(told.out).toMatch(/^equity +\$1,000\.00$/m);
    expect(told.err).toMatch(/^presage: closing the report failed: .*EISDIR/);
    expect(exitCode).toBe(1);
  });
});

describe('a run with a console', () => {
  it('prints its link, and ends it', async () => {
    const gone = join(folder, 'gone');
    const script = `import { writeFileSync } from 'node:fs';
process.on('SIGTERM', () => { writeFileSync(${JSON.stringify(gone)}, ''); process.exit(0); });
console.log('{"type":"listening","url":"http://127.0.0.1:1/#login=x"}');
setInterval(() => undefined, 1000);`;
    const { exitCode, told } = await ran(new LiveVenue(), { console: true }, script);
    expect(told.out).toMatch(/^console: http:\/\/127\.0\.0\.1:1\/#login=x$/m);
    expect([exitCode, told.err, existsSync(gone)]).toEqual([0, '', true]);
  });

  it('ends well though its console has died', async () => {
    const { exitCode, told } = await ran(new LiveVenue(), { console: true }, 'process.exit(7);');
    expect(told.out).toMatch(/^the console is gone, trading goes on: it ended with 7$/m);
    expect(told.out).toMatch(/^equity +\$1,000\.00$/m);
    expect([exitCode, told.err]).toEqual([0, '']);
  });
});
