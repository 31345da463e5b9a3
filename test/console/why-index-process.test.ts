// The process that keeps a bot's index beside a console: it waits for a journal, is started again when it dies, and ends with
// the console. One process at a time writes a folder.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readBotConfig } from '../../src/config/bot-config.ts';
import { startConsole } from '../../src/console/server/console-run.ts';
import { WhyIndexProcess } from '../../src/console/server/why-index-process.ts';
import { logTo } from '../../src/log.ts';
import { shippedConfig } from '../e2e/presage.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';

let folder = '';
let started: WhyIndexProcess[] = [];
let logged = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-why-process-'));
  logged = '';
});
afterEach(async () => {
  await Promise.all(started.map((each) => each.close()));
  started = [];
  rmSync(folder, { recursive: true, force: true });
});

const STAY = 'setInterval(() => undefined, 1000);';
const waitFor = (claim: () => void): Promise<void> => vi.waitFor(claim, { timeout: PATIENCE_MS, interval: 20 });

/**
 * Keeps the index by a script in place of the program. Each start leaves a file with its arguments, named by its process.
 * @param prepare Runs before that file is written, as a handler that a test relies on must.
 */
function keep(script: string, prepare = ''): WhyIndexProcess {
  const file = writeProgram(script, prepare);
  const log = logTo({ write: (text: string) => void (logged += text) }, 'info');
  const index = new WhyIndexProcess({ program: [process.execPath, file], bot: 'demo', dataFolder: folder, log });
  started.push(index);
  return index;
}

function writeProgram(script: string, prepare = ''): string {
  const file = join(folder, 'program.mjs');
  const note = `import { mkdirSync, writeFileSync } from 'node:fs';
${prepare}
mkdirSync(${JSON.stringify(join(folder, 'starts'))}, { recursive: true });
writeFileSync(${JSON.stringify(join(folder, 'starts'))} + '/' + process.pid, JSON.stringify(process.argv.slice(2)));`;
  writeFileSync(file, `${note}\n${script}`);
  return file;
}

function writeJournal(data = folder): void {
  mkdirSync(join(data, 'journal'), { recursive: true });
  writeFileSync(join(data, 'journal', '00000001.tape'), '');
}

function starts(): number[] {
  try {
    return readdirSync(join(folder, 'starts')).map(Number);
  } catch {
    return [];
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

async function firstStart(): Promise<number> {
  await waitFor(() => expect(starts()).toHaveLength(1));
  const [pid = 0] = starts();
  await waitFor(() => expect(readFileSync(join(folder, 'starts', String(pid)), 'utf8')).toContain(']'));
  return pid;
}

describe('the process that keeps an index', () => {
  it('is started with the folder and the console’s process, once there is a journal', async () => {
    const index = keep(STAY);
    expect(starts()).toEqual([]);
    writeJournal();
    const pid = await firstStart();
    const args: unknown = JSON.parse(readFileSync(join(folder, 'starts', String(pid)), 'utf8'));
    expect(args).toEqual(['why', '--follow', '--data', folder, '--parent-pid', String(process.pid), '--json']);
    await index.close();
    expect(isAlive(pid)).toBe(false);
    expect(logged).not.toContain('has ended');
  });

  it('is never started without a journal', async () => {
    await keep(STAY).close();
    expect(starts()).toEqual([]);
  });

  it('is started again when it dies, one at a time, and its last words are logged', async () => {
    writeJournal();
    keep(STAY, "process.on('SIGUSR2', () => { console.error('out of memory'); process.exit(3); });");
    const first = await firstStart();
    await waitFor(() => {
      if (isAlive(first)) process.kill(first, 'SIGUSR2');
      expect(starts()).toHaveLength(2);
    });
    expect(isAlive(first)).toBe(false);
    expect(logged).toMatch(/"code":3,"words":"out of memory\\n","waitMs":\d+/);
  });

  it('waits longer after each early end', async () => {
    writeJournal();
    keep('process.exit(2);');
    const waits = (): number[] => [...logged.matchAll(/"waitMs":(\d+)/g)].map(([, ms]) => Number(ms));
    await waitFor(() => expect(waits().length).toBeGreaterThanOrEqual(3));
    const [first = 0, second = 0, third = 0] = waits();
    expect([first >= 500, second >= 1000, third >= 2000]).toEqual([true, true, true]);
  });

  it('is killed when it does not heed the request to end', async () => {
    writeJournal();
    const index = keep(STAY, "process.on('SIGTERM', () => undefined);");
    const pid = await firstStart();
    await index.close();
    expect(isAlive(pid)).toBe(false);
  });

  it('that cannot index a session leaves the reason in the log', async () => {
    writeJournal();
    const line = {
      type: 'why-indexed',
      session: 's1',
      inputs: null,
      leftOut: 'session s1 was written by version 0.0.1',
    };
    keep(`console.log('no JSON'); console.log(${JSON.stringify(JSON.stringify(line))}); ${STAY}`);
    await waitFor(() => expect(logged).toContain('written by version 0.0.1'));
  });

  it('that is no program does not end the console', async () => {
    writeJournal();
    const log = logTo({ write: (text: string) => void (logged += text) }, 'info');
    started.push(new WhyIndexProcess({ program: [join(folder, 'absent')], bot: 'demo', dataFolder: folder, log }));
    await waitFor(() => expect(logged).toContain('ENOENT'));
  });
});

describe('a console', () => {
  const startWith = async (options: { readonly indexesFolders?: boolean }): Promise<string> => {
    const config = join(folder, 'bot.yaml');
    writeFileSync(config, shippedConfig('demo.yaml', folder));
    const { dataFolder = '' } = readBotConfig(config);
    for (const data of [dataFolder, folder]) writeJournal(data);
    const program = [process.execPath, writeProgram(STAY)] as const;
    const bots = { configs: [config], folders: [folder], listen: '127.0.0.1:0' };
    const running = await startConsole({ ...bots, program, ...options });
    await waitFor(() => expect(starts().length).toBeGreaterThan(0));
    await running.close();
    return readFileSync(join(dataFolder, 'console.log'), 'utf8');
  };
  const indexed = (log: string): string[] =>
    [...log.matchAll(/"bot":"([^"]+)".*a process keeps the index of why/g)].map(([, bot = '']) => bot);

  it('keeps the index of a bot whose config it has, and runs nothing for a folder of unknown origin', async () => {
    expect(indexed(await startWith({}))).toEqual(['demo']);
  });

  it('keeps the index of a folder, too, when that is asked', async () => {
    expect(indexed(await startWith({ indexesFolders: true }))).toEqual(['demo', basename(folder)]);
  });
});
