// The bot's end of the line to its watchdog, with real processes for watchdogs: they hear, answer, die, and are replaced.
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { logTo } from '../../src/log.ts';
import { WatchdogLink } from '../../src/runtime/watchdog-link.ts';
import { systemScheduler } from '../../src/transport/scheduler.ts';
import { PATIENCE_MS } from '../support/patience.ts';

/** Writes down what it hears, answers, and ends when the line is cut; dies at once, or after the first word, if told so. */
const DOG = `import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const [file, manner] = process.argv.slice(2);
appendFileSync(file, 'born\\n');
if (manner === 'stillborn') process.exit(3);
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  appendFileSync(file, line + '\\n');
  process.stdout.write('heard\\n');
  if (manner === 'brief') process.exit(4);
});
lines.on('close', () => {
  appendFileSync(file, 'cut\\n');
  process.exit(0);
});
`;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-dog-'));
  writeFileSync(join(folder, 'dog.mjs'), DOG);
  writeFileSync(join(folder, 'heard'), '');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const heard = (): string[] => readFileSync(join(folder, 'heard'), 'utf8').trim().split('\n');
const count = (what: string): number => heard().filter((line) => line.includes(what)).length;
const waitFor = (claim: () => void): Promise<void> => vi.waitFor(claim, { timeout: PATIENCE_MS, interval: 10 });

function link(manner: string): { readonly link: WatchdogLink; readonly lost: string[] } {
  const lost: string[] = [];
  const made = new WatchdogLink({
    command: [process.execPath, join(folder, 'dog.mjs'), join(folder, 'heard'), manner],
    errors: openSync(join(folder, 'errors'), 'a'),
    scheduler: systemScheduler,
    log: logTo({ write: () => undefined }, 'silent'),
    deadlineMs: 200,
    life: () => ({ session: 's', resting: 2 }),
    onLost: (why) => lost.push(why),
  });
  return { link: made, lost };
}

describe('the line to a watchdog', () => {
  it('carries signs of life, and goodbye when the session ends well', async () => {
    const { link: line, lost } = link('good');
    line.start();
    await waitFor(() => expect(count('"beat"')).toBeGreaterThan(3));
    await line.bye();
    expect(heard().slice(-2)).toEqual(['{"type":"bye"}', 'cut']);
    expect(JSON.parse(heard()[1] ?? '')).toEqual({ type: 'beat', session: 's', resting: 2, beats: 1 });
    expect(lost).toEqual([]);
  });

  it('is cut without goodbye when something may rest', async () => {
    const { link: line } = link('good');
    line.start();
    await waitFor(() => expect(count('"beat"')).toBeGreaterThan(0));
    line.leave();
    await waitFor(() => expect(heard().at(-1)).toBe('cut'));
    expect(count('"bye"')).toBe(0);
  });

  it('is laid to another one when the watchdog dies, and given up when that happens again and again', async () => {
    const { link: line, lost } = link('brief');
    line.start();
    await waitFor(() => expect(lost).toEqual(['no watchdog can be kept running: it ended (4)']));
    expect(count('born')).toBe(4);
  });

  it('is given up when no watchdog begins at all', async () => {
    const { link: line, lost } = link('stillborn');
    line.start();
    await waitFor(() => expect(lost).toEqual(['no watchdog can be kept running: it ended (3)']));
  });
});
