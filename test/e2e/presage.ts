// Runs the program in a process of its own: to its end, or beside the test, which reads its JSON lines.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { must } from '../../src/base/assert.ts';

/** The project's folder, found from the sources and from a build alike. */
export const ROOT = dirname(createRequire(import.meta.url).resolve('presage-trading/package.json'));
export const MAIN = join(ROOT, 'dist/src/cli/main.js');

/**
 * A module of the newest build, by its path below `src` and without its ending: for a script that a test runs apart.
 * @throws {AssertionFault} when the program is not built.
 */
export function builtModule(path: string): string {
  const entry = join(ROOT, 'dist/src/index.js');
  const folder = /from '(.+)\/index\.js'/.exec(readFileSync(entry, 'utf8'))?.[1];
  return join(dirname(entry), must(folder, `a build behind ${entry}`), `${path}.js`);
}

/** Sessions of tests are short: compiling hot functions takes more processor time than the compiled code saves. */
const SESSION_FLAGS = ['--no-opt'];
/** A console passes its flags on to the process that replays journals, which gains much by compiled code. */
const flagsFor = (args: readonly string[]): readonly string[] =>
  args.some((arg) => arg.endsWith('console')) ? [] : SESSION_FLAGS;

/** The text of a shipped config. Its inputs stay in the project; its outputs go to a folder. */
export const shippedConfig = (name: string, folder: string): string =>
  readFileSync(join(ROOT, 'config', name), 'utf8')
    .replaceAll('../strategies', join(ROOT, 'strategies'))
    .replaceAll('../var', folder)
    .replace('embedded: exchange.yaml', `embedded: ${join(ROOT, 'config/exchange.yaml')}`);

/** The result of a command that has ended. */
export interface Told {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in a folder to its end. */
export async function presageIn(folder: string, args: readonly string[]): Promise<Told> {
  const ran = promisify(execFile)(process.execPath, [MAIN, ...args], { cwd: folder, maxBuffer: 1 << 28 });
  return ran.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (fault: Told) => ({ code: fault.code, stdout: fault.stdout, stderr: fault.stderr }),
  );
}

/** Runs a command in the project's folder to its end. */
export const presage = (...args: string[]): Promise<Told> => presageIn(ROOT, args);

/** One JSON line. */
export type Line = Readonly<Record<string, unknown>> & { readonly type: string };

/** Where a program runs, and its main file. */
interface Place {
  readonly main?: string;
  readonly folder?: string;
}

/** A running program. */
export class Presage {
  readonly #child: ChildProcess;
  readonly lines: Line[] = [];
  stderr = '';
  readonly exited: Promise<number | null>;
  readonly #waiting: { readonly is: (line: Line) => boolean; readonly resolve: (line: Line) => void }[] = [];

  constructor(args: readonly string[], { main = MAIN, folder = ROOT }: Place = {}) {
    this.#child = spawn(process.execPath, [...flagsFor(args), main, ...args], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let rest = '';
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) this.#take(JSON.parse(part) as Line);
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.exited = new Promise((resolve) => {
      this.#child.on('close', resolve);
    });
  }

  #take(line: Line): void {
    this.lines.push(line);
    for (const waiting of this.#waiting.filter(({ is }) => is(line))) {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      waiting.resolve(line);
    }
  }

  /** Returns the first matching line, received or still to come; fails when the program ends before it. */
  async line(is: (line: Line) => boolean): Promise<Line> {
    const known = this.lines.find(is);
    if (known) return known;
    const come = new Promise<Line>((resolve) => this.#waiting.push({ is, resolve }));
    const ended = this.exited.then((code) => {
      throw new Error(`the program ended with ${code} before that line\n${this.stderr}`);
    });
    return Promise.race([come, ended]);
  }

  /** Resolves once this number of matching lines has come; fails when the program ends before that. */
  async gotLines(count: number, is: (line: Line) => boolean): Promise<void> {
    await this.line(() => this.lines.filter(is).length >= count);
  }

  /** Stops the program as Ctrl-C does; resolves with its exit code. */
  stop(): Promise<number | null> {
    this.kill('SIGINT');
    return this.exited;
  }

  /** Id of its process. */
  get pid(): number {
    return must(this.#child.pid, 'a process');
  }

  /** Closes the reading end of its output. */
  closeOutput(): void {
    this.#child.stdout?.destroy();
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}

/** The last record of `presage run --json`. */
export interface End {
  readonly type: 'end';
  readonly end: { readonly type: string; readonly isReconciled?: boolean };
  readonly account: {
    readonly cash: number;
    readonly pledged: number;
    readonly fees: number;
    readonly positions: readonly { readonly ticker: string; readonly qty: number; readonly fees: number }[];
  };
  readonly strategies: readonly {
    readonly name: string;
    readonly orders: number;
    readonly fills: number;
    readonly rejected: number;
    readonly denials: Readonly<Record<string, number>>;
  }[];
  readonly rateLimited: { readonly read: number; readonly trade: number };
  readonly surprises: Readonly<Record<string, number>>;
  readonly ledgerDifferences?: readonly unknown[];
}

export const isEnd = (line: Line): boolean => line.type === 'end';
/** True for a line of `presage run --json` with the figures of a session that trades. */
export const isTrading = (line: Line): boolean => line.type === 'snapshot' && line['phase'] === 'trading';
/** True for a line about an order that the exchange has accepted. */
export const isAccepted = (line: Line): boolean => line.type === 'order' && line['to'] === 'working';
export const isFillOf = (strategy: string) => (line: Line) => line.type === 'fill' && line['strategy'] === strategy;

/** Returns the last record of a run. */
export function endOf(program: Presage): End {
  const line = program.lines.find(isEnd);
  if (!line) throw new Error(`no record of the end\n${program.stderr}`);
  return line as unknown as End;
}
