// `presage why` over a data folder: the staged causes, the chain of an order, the index, and wrong options.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { version } from '../../src/app/package-version.ts';
import { whyTime } from '../../src/app/why/why-run.ts';
import { sessionsCommand } from '../../src/cli/sessions-command.ts';
import { whyCommand } from '../../src/cli/why-command.ts';
import { fileStorage } from '../../src/tape/journal/file-storage.ts';
import { type WhyAnswer, whyAnswerSchema } from '../../src/why/why-answer.ts';
import { CASES } from '../why/staged-cases.ts';
import { type StageOptions, StagedSession } from '../why/staged-session.ts';

/** Inside the project, as a strategy's file is found from the journal's folder. */
let folder = '';
beforeEach(() => {
  mkdirSync('var', { recursive: true });
  folder = mkdtempSync(join('var', 'why-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function staged(act: (session: StagedSession) => void, options: StageOptions = {}): Promise<StagedSession> {
  const storage = fileStorage(join(process.cwd(), folder, 'journal'));
  const file = join(process.cwd(), folder, 'maker.ts');
  writeFileSync(file, `export { stagedMaker as default } from '${join(process.cwd(), 'test/why/staged-maker.ts')}';\n`);
  const session = await StagedSession.open({ ...options, storage, version, file });
  act(session);
  await session.close();
  return session;
}

/** Runs the command and returns what it printed. */
async function why(...words: string[]): Promise<string> {
  const printed: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  try {
    await whyCommand().exitOverride().parseAsync(words, { from: 'user' });
    expect(process.exitCode).toBe(0);
    return printed.join('');
  } finally {
    vi.restoreAllMocks();
    process.exitCode = undefined;
  }
}

const iso = (atUs: number): string => new Date(atUs / 1000).toISOString();

describe('presage why', () => {
  it.each(CASES)('says first that the cause is $name', async ({ options, act, agoMs = 0, cause, check }) => {
    const session = await staged(act, options);
    const at = iso(session.now - agoMs * 1000);
    const text = await why('--data', folder, '--market', 'M-0', '--at', at);
    const [first = ''] = text.split('\n');
    expect(first).toMatch(/^At 00:16:\d\d\.\d{3}Z maker did not trade M-0 because /);
    expect(first).toMatch(cause);
    expect(text).toMatch(new RegExp(`^  ✗ ${check} `, 'm'));
    expect(text).toMatch(/^  ✓ session +session s ran from/m);
    expect(text).toMatch(/^evidence:\n  entry \d+: /m);
  });

  it('answers from an index as from a replay, by ISO time and by time of day, as text and as JSON', async () => {
    const session = await staged((each) => void each.startTrading().run(3000));
    const asked = ['--data', folder, '--market', 'M-0', '--json', '--at'];
    const replayed = JSON.parse(await why(...asked, '00:16:40')) as WhyAnswer;
    expect(whyAnswerSchema.parse(replayed)).toMatchObject({ isTraded: true, strategy: 'maker' });
    expect(await why('--data', folder, '--build')).toMatch(/^session s: indexed, \d+ inputs\n$/);
    expect(readdirSync(join(folder, 'why'))).toEqual(['s.facts.db']);
    const indexed = JSON.parse(await why(...asked, iso(1_000_000_000))) as WhyAnswer;
    expect({ ...indexed, tookMs: 0 }).toEqual({ ...replayed, tookMs: 0 });
    const chain = await why('--data', folder, '--order', session.places()[0]!.clientOrderId);
    expect(chain).toMatch(/^maker wanted to buy 5 at 40¢ in M-0, and it was working/);
    expect(chain).toMatch(/\+\d+\.\d ms +working +entry \d+/);
  });

  it('refuses a wrong time, a missing option and a folder without a journal', async () => {
    await staged((each) => void each.startTrading());
    await expect(why('--data', folder, '--market', 'M-0', '--at', 'noon')).rejects.toThrow(
      /--at: expected a moment such as/,
    );
    await expect(why('--data', folder, '--market', 'M-0')).rejects.toThrow('found no --at');
    await expect(why('--market', 'M-0', '--at', '-5m')).rejects.toThrow('expected --config, --data or --backtest');
    await expect(why('--data', 'test', '--market', 'M-0', '--at', '-5m')).rejects.toThrow(
      /test: expected a data folder/,
    );
  });

  it.each<[string, readonly string[]]>([
    ['--order: expected no such option with --backtest', ['--backtest', 'x.yaml', '--order', 'b1-0-1']],
    ['--config: expected no such option with --backtest', ['--backtest', 'x.yaml', '--config', 'y.yaml']],
    ['--allow-changed: expected no such option with --backtest', ['--backtest', 'x.yaml', '--allow-changed']],
    ['--config: expected no such option with --data', ['--data', 'x', '--config', 'y.yaml', '--build']],
    ['--build: expected no such option with --follow', ['--data', 'x', '--follow', '--build']],
    ['--market: expected no such option with --build', ['--data', 'x', '--build', '--market', 'M-0']],
    ['--at: expected no such option with --order', ['--data', 'x', '--order', 's-0-1', '--at', '-5m']],
    ['--parent-pid: expected --follow too', ['--data', 'x', '--build', '--parent-pid', '5']],
  ])('refuses an option that would do nothing: %s', async (message, words) => {
    await expect(why(...words)).rejects.toThrow(message);
  });

  it('names the data folder of paper sessions when the bot has no other session', async () => {
    const paper = join(folder, 'bot', 'paper');
    mkdirSync(join(paper, 'journal'), { recursive: true });
    const asked = why('--data', join(folder, 'bot'), '--market', 'M-0', '--at', '-5m');
    await expect(asked).rejects.toThrow(`; its paper sessions: --data ${paper}`);
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    await sessionsCommand().parseAsync(['--data', join(folder, 'bot')], { from: 'user' });
    const printed = write.mock.calls.map(([text]) => String(text)).join('');
    vi.restoreAllMocks();
    process.exitCode = undefined;
    expect(printed).toBe(
      `no sessions in the journals for this question; its paper sessions: --data ${resolve(paper)}\n`,
    );
  });
});

describe('a time of a question', () => {
  const context = { dayUs: Date.UTC(2026, 10, 21, 20) * 1000, nowUs: Date.UTC(2026, 10, 23) * 1000 };
  it.each([
    ['2026-11-21T07:45:00Z', Date.UTC(2026, 10, 21, 7, 45)],
    ['2026-11-21T07:45:00.250006Z', Date.UTC(2026, 10, 21, 7, 45) + 250.006],
    ['14:02:10', Date.UTC(2026, 10, 21, 14, 2, 10)],
    ['14:02', Date.UTC(2026, 10, 21, 14, 2)],
    ['14:02:10.5', Date.UTC(2026, 10, 21, 14, 2, 10, 500)],
    ['-5m', Date.UTC(2026, 10, 22, 23, 55)],
  ])('%s is read', (text, expected) => expect(whyTime(text, context)).toBe(expected * 1000));
  it.each(['', '5m', '24:00:00', '2026-11-21', '2026-02-30T07:45:00Z', '-5', '-m', '14:60'])('%j is refused', (text) =>
    expect(() => whyTime(text, context)).toThrow(/--at: expected/),
  );
});
