// The bot's connection to its watchdog, with real processes as watchdogs, which listen, answer, die, and are replaced.
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { logTo } from '../../../src/log.ts';
import { WatchdogLink } from '../../../src/runtime/watchdog/watchdog-link.ts';
import { type Scheduler, systemScheduler } from '../../../src/transport/scheduler.ts';
import { FakeScheduler } from '../../support/transport/fake-scheduler.ts';
import { PATIENCE_MS } from '../../support/runner/patience.ts';

/**
 * A watchdog that records its input, answers, and ends when the connection closes; dies at once, or after the first
 * message, or tries on after the connection has closed, by its argument.
 */
const DOG = `import { appendFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
const [file, manner] = process.argv.slice(2);
appendFileSync(file, 'born\\n');
writeFileSync(join(dirname(file), 'pid'), String(process.pid));
if (manner === 'stillborn') process.exit(3);
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  appendFileSync(file, line + '\\n');
  process.stdout.write('heard\\n');
  if (manner === 'brief') process.exit(4);
});
lines.on('close', () => {
  appendFileSync(file, 'cut\\n');
  if (manner === 'tireless') setInterval(() => undefined, 1000);
  else process.exit(0);
});
`;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-dog-'));
  writeFileSync(join(folder, 'dog.mjs'), DOG);
  writeFileSync(join(folder, 'received'), '');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const received = (): string[] => readFileSync(join(folder, 'received'), 'utf8').trim().split('\n');
const count = (what: string): number => received().filter((line) => line.includes(what)).length;
const waitFor = (claim: () => void): Promise<void> => vi.waitFor(claim, { timeout: PATIENCE_MS, interval: 10 });

function link(manner: string, scheduler: Scheduler = systemScheduler) {
  const lost: string[] = [];
  const logged: string[] = [];
  const made = new WatchdogLink({
    command: [process.execPath, join(folder, 'dog.mjs'), join(folder, 'received'), manner],
    errors: openSync(join(folder, 'errors'), 'a'),
    scheduler,
    log: logTo({ write: (line) => logged.push(line) }, 'info'),
    deadlineMs: 200,
    firstLine: '{"type":"config"}',
    heartbeatContent: () => ({ session: 's', resting: 2 }),
    onLost: (why) => lost.push(why),
  });
  const countOf = (text: string): number => logged.filter((line) => line.includes(text)).length;
  return { link: made, lost, countOf };
}

describe('the connection to a watchdog', () => {
  it('carries heartbeats, and a goodbye when the session ends in order', async () => {
    const { link: line, lost } = link('good');
    line.start();
    await waitFor(() => expect(count('"beat"')).toBeGreaterThan(3));
    await line.sayGoodbye();
    expect(received().slice(-2)).toEqual(['{"type":"bye"}', 'cut']);
    expect(received()[1]).toBe('{"type":"config"}');
    expect(JSON.parse(received()[2] ?? '')).toEqual({ type: 'beat', session: 's', resting: 2, beats: 1 });
    expect(lost).toEqual([]);
  });

  it('closes without a goodbye when orders may rest', async () => {
    const { link: line } = link('good');
    line.start();
    await waitFor(() => expect(count('"beat"')).toBeGreaterThan(0));
    line.closeWithoutGoodbye();
    await waitFor(() => expect(received().at(-1)).toBe('cut'));
    expect(count('"bye"')).toBe(0);
  });

  it('leaves nothing that keeps the bot’s process alive while the watchdog goes on canceling', async ({
    onTestFinished,
  }) => {
    const pipes = (): number => process.getActiveResourcesInfo().filter((name) => name === 'PipeWrap').length;
    // The pipes of the tests before close first.
    await waitFor(() => expect(pipes()).toBe(0));
    const { link: line } = link('tireless');
    line.start();
    await waitFor(() => expect(count('"beat"')).toBeGreaterThan(0));
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    onTestFinished(() => void process.kill(pid, 'SIGKILL'));
    expect(pipes()).toBeGreaterThan(0);
    line.closeWithoutGoodbye();
    await waitFor(() => expect(received().at(-1)).toBe('cut'));
    await waitFor(() => expect(pipes()).toBe(0));
  });

  it('starts a new watchdog when one dies, and gives up when that repeats', async () => {
    const { link: line, lost } = link('brief');
    line.start();
    await waitFor(() => expect(lost).toEqual(['no watchdog can be kept running: it ended (4)']));
    expect(count('born')).toBe(4);
  });

  it('waits longer before each replacement, and starts none once the session has ended', async () => {
    const scheduler = new FakeScheduler();
    const { link: line, countOf } = link('stillborn', scheduler);
    line.start();
    for (const [index, pauseMs] of [100, 400].entries()) {
      await waitFor(() => expect(countOf(`"pauseMs":${pauseMs}`)).toBe(1));
      scheduler.advance(pauseMs - 1);
      expect(countOf('the watchdog runs')).toBe(1 + index);
      scheduler.advance(1);
      expect(countOf('the watchdog runs')).toBe(2 + index);
    }
    await waitFor(() => expect(countOf('"pauseMs":1600')).toBe(1));
    await line.sayGoodbye();
    scheduler.advance(5000);
    expect(countOf('the watchdog runs')).toBe(3);
    expect(scheduler.pendingCount).toBe(0);
  });

  it('starts a watchdog again that was given up, once a person lets the bot trade again', async () => {
    const { link: line, lost } = link('brief');
    line.startAgain();
    line.start();
    await waitFor(() => expect(lost).toHaveLength(1));
    line.startAgain();
    await waitFor(() => expect(lost).toHaveLength(2));
    expect(count('born')).toBe(8);
    line.closeWithoutGoodbye();
    line.startAgain();
    expect(count('born')).toBe(8);
  });

  it('gives up when no watchdog starts at all', async () => {
    const { link: line, lost } = link('stillborn');
    line.start();
    await waitFor(() => expect(lost).toEqual(['no watchdog can be kept running: it ended (3)']));
  });
});
