// A study, its workers and their queue as real processes, each worker with a folder and a cache of its own. Any of them can be
// killed at any moment. Must never stop a process that it did not start.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { must } from '../../../src/base/assert.ts';
import { MAIN, ROOT } from '../../e2e/presage.ts';
import { readTrialLines } from '../../../src/research/study/trial-log.ts';
import type { TrialLine } from '../../../src/research/study/trial-lines.ts';
import { RedisServer } from './redis-server.ts';

export const FARM_SECRET = 'a secret of sixteen characters or more';

/** A process of the farm, and what it wrote. */
export class FarmProcess {
  readonly #child: ChildProcess;
  text = '';
  /** When it wrote a record of a trial. Milliseconds. */
  readonly endTimes: number[] = [];
  readonly exited: Promise<number | null>;
  /** The exit code; `undefined` while it runs, `null` when it was killed. */
  code: number | null | undefined;

  constructor(args: readonly string[], folder: string) {
    mkdirSync(folder, { recursive: true });
    const env = { ...process.env, PRESAGE_QUEUE_SECRET: FARM_SECRET };
    this.#child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (part: string) => this.#read(part));
    this.exited = new Promise((resolve) => {
      this.#child.once('close', (code) => {
        this.code = code;
        resolve(code);
      });
    });
  }

  #read(part: string): void {
    this.text += part;
    const ends = part.split('"type":"trial"').length - 1;
    for (let end = 0; end < ends; end++) this.endTimes.push(performance.now());
  }

  get pid(): number {
    return must(this.#child.pid, 'a process');
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Kills the process, and the one that it started, at once. */
  async kill(): Promise<void> {
    const { pid } = this.#child;
    const children = pid === undefined ? [] : childrenOf(pid);
    this.#child.kill('SIGKILL');
    for (const child of children) killProcess(child);
    await this.exited;
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has gone by itself.
  }
}

/** A study, its workers and their queue. */
export class QueueFarm {
  readonly folder = mkdtempSync(join(tmpdir(), 'presage-farm-'));
  readonly redis: RedisServer;
  readonly #processes: FarmProcess[] = [];

  private constructor(redis: RedisServer) {
    this.redis = redis;
  }

  static async start(): Promise<QueueFarm> {
    return new QueueFarm(await RedisServer.start());
  }

  /** Writes the file of a study. */
  writeStudy(name: string, lines: readonly string[]): string {
    const file = join(this.folder, `${name}.yaml`);
    const config = join(ROOT, 'config/backtest.yaml');
    writeFileSync(file, [`study: ${name}`, `config: ${config}`, ...lines, ''].join('\n'));
    return file;
  }

  /** Runs a study on the queue's workers. */
  runStudy(file: string, ...flags: readonly string[]): FarmProcess {
    const store = join(this.folder, 'store');
    const args = ['study', 'run', file, '--queue', this.redis.address, '--store', store, ...flags];
    return this.#start(args, this.folder);
  }

  /** Runs a study in threads of one process, in another folder. */
  runAlone(file: string, workers: number): FarmProcess {
    return this.#start(['study', 'run', file, '--workers', String(workers)], join(this.folder, 'alone'));
  }

  /** Starts a worker, as if on a machine of its own. */
  startWorker(name: string, ...flags: readonly string[]): FarmProcess {
    const store = join(this.folder, 'store');
    const args = ['study', 'worker', '--queue', this.redis.address, '--store', store, '--threads', '1', '--lock', '3s'];
    return this.#start([...args, ...flags], join(this.folder, name));
  }

  /** The ends of a study's trials by number, without the time that they took. */
  tableOf(study: string, { isAlone = false } = {}): readonly object[] {
    const folder = join(this.folder, ...(isAlone ? ['alone'] : []), 'var/studies', study);
    const lines = readTrialLines(folder).filter(({ kind }) => kind !== 'study' && kind !== 'proposed');
    return lines.map(withoutTime).sort((a, b) => a.n - b.n);
  }

  /** Hashes of a study that ran alone, and of its first trial. */
  firstHashesOf(study: string): { readonly study: string; readonly trial: string } {
    const lines = readTrialLines(join(this.folder, 'alone/var/studies', study));
    const head = lines.find(({ kind }) => kind === 'study');
    const first = lines.find((line) => line.kind === 'proposed' && line.n === 0);
    if (head?.kind !== 'study' || first?.kind !== 'proposed') throw new Error(`study ${study} has not run alone`);
    return { study: head.hash, trial: first.hash };
  }

  #start(args: readonly string[], folder: string): FarmProcess {
    const started = new FarmProcess(args, folder);
    this.#processes.push(started);
    return started;
  }

  /** Kills what still runs, so that a failed test neither disturbs the next one nor leaves processes behind. */
  async killAll(): Promise<void> {
    await Promise.all(this.#processes.filter(({ code }) => code === undefined).map((each) => each.kill()));
  }

  async close(): Promise<void> {
    await this.killAll();
    await this.redis.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function withoutTime(line: TrialLine): { readonly n: number } {
  if (!('spentMs' in line)) throw new Error('expected the end of a trial');
  const { spentMs: _spentMs, ...rest } = line;
  return rest;
}
