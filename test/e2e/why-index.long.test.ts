// The index of `why` beside a console: a bot on the local exchange, a console, and the process that it starts, each a process
// of its own. A question about a moment that has passed is answered from the index alone, as soon as the index has come to it.
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { must } from '../../src/base/assert.ts';
import { whyAnswerSchema } from '../../src/why/why-answer.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { Person } from './console-person.ts';
import { type Presage, presage } from './presage.ts';
import { Site } from './site.ts';

let site: Site | null = null;
afterEach(async () => {
  await site?.close();
  site = null;
});

const waitFor = (claim: () => void): Promise<void> => vi.waitFor(claim, { timeout: PATIENCE_MS, interval: 100 });

/** Starts a console that serves at any free port. */
async function startConsole(at: Site): Promise<{ readonly console: Presage; readonly person: Person }> {
  const console = at.start(['console', '--config', at.config, '--listen', '127.0.0.1:0', '--json']);
  const { url } = await console.line((line) => line.type === 'listening');
  return { console, person: await Person.logIn(String(url)) };
}

/** Ids and priorities of the processes that a console has started to keep an index. */
const keepersOf = (console: Presage): readonly { readonly pid: number; readonly nice: number }[] =>
  execFileSync('ps', ['-eo', 'ppid=,pid=,nice=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((row) => row.trim().split(/\s+/))
    .filter(([parent, , , ...args]) => Number(parent) === console.pid && args.join(' ').includes(' why --follow '))
    .map(([, pid, nice]) => ({ pid: Number(pid), nice: Number(nice) }));

const keeperOf = async (console: Presage, other = 0): Promise<number> => {
  await waitFor(() => expect(keepersOf(console).map(({ pid, nice }) => [pid !== other, nice])).toEqual([[true, 19]]));
  return must(keepersOf(console)[0], 'a process').pid;
};

/** Files of the running session's index. */
const growingIn = (folder: string): readonly string[] =>
  (existsSync(folder) ? readdirSync(folder) : []).filter((name) => /\.growing-\d+$/.test(name));

describe('the console of a live bot', () => {
  it('answers a question about a moment that has passed from the index that it keeps', async () => {
    const at = (site = await Site.open());
    const [data, strategy] = [join(at.folder, 'local'), join(at.folder, 'nasty.mjs')];
    const indexFolder = join(data, 'why');
    const bot = at.run();
    await at.until((resting) => resting.length >= 3);
    const { console, person } = await startConsole(at);
    const first = await keeperOf(console);
    await waitFor(() => expect(growingIn(indexFolder)).toHaveLength(1));

    // A process that dies is replaced; the new one makes the index again, and then removes the file of the old one.
    const [old = ''] = growingIn(indexFolder);
    process.kill(first, 'SIGKILL');
    const second = await keeperOf(console, first);
    await waitFor(() => expect(growingIn(indexFolder).filter((name) => name !== old)).toHaveLength(1));
    await waitFor(() => expect(growingIn(indexFolder)).not.toContain(old));

    // A second console of the bot keeps no second index.
    const other = await startConsole(at);
    await waitFor(() => expect(readFileSync(join(data, 'console.log'), 'utf8')).toContain('in use by process'));
    expect(
      keepersOf(console).map(({ pid }) => pid),
      readFileSync(join(data, 'console.log'), 'utf8'),
    ).toEqual([second]);
    other.console.kill('SIGTERM');
    expect(await other.console.exited).toBe(0);

    // A changed strategy cannot be replayed: only the index can answer, once it has come to the moment.
    const text = readFileSync(strategy, 'utf8');
    appendFileSync(strategy, '\n// changed\n');
    const moment = new Date().toISOString();
    const { status, body } = await vi.waitFor(
      async () => {
        const answer = await person.call('GET', `/bots/${person.bot}/why?market=RAIN-OSLO-DAY&at=${moment}`);
        expect(answer.status, JSON.stringify(answer.body)).toBe(200);
        return answer;
      },
      { timeout: PATIENCE_MS, interval: 1000 },
    );
    expect([status, body]).toMatchObject([200, { answers: [{ strategy: 'nasty', source: 'replay' }] }]);
    const [answer] = (body['answers'] as unknown[]).map((each) => whyAnswerSchema.parse(each));
    expect(answer?.session).not.toBeNull();
    expect(answer?.steps.find(({ check }) => check === 'session')?.result).toBe('pass');
    expect(answer?.minutes.length).toBeGreaterThan(0);

    // Trading was not disturbed, and the process ends with the console.
    console.kill('SIGTERM');
    expect(await console.exited).toBe(0);
    expect(() => process.kill(second, 0)).toThrow('ESRCH');
    renameSync(indexFolder, `${indexFolder}-away`);
    const args = ['--data', data, '--market', 'RAIN-OSLO-DAY', '--at', moment, '--json'];
    expect(await presage('why', ...args)).toMatchObject({ code: 2, stdout: '' });
    rmSync(indexFolder, { recursive: true, force: true });
    writeFileSync(strategy, text);
    bot.kill('SIGINT');
    expect(await bot.exited).toBe(0);
  });

  it('has no process left when it is killed', async () => {
    const at = (site = await Site.open());
    at.run();
    await at.until((resting) => resting.length >= 3);
    const { console } = await startConsole(at);
    const pid = await keeperOf(console);
    console.kill('SIGKILL');
    await waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
  });
});
