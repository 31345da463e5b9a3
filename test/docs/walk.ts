// A page that is followed word for word: its commands run, its files are compared, its changes made, in a copy of the project.
// Whoever follows it does no more than the page says; nor does this.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Block, ROOT } from './pages.ts';

/** What the copy has of the project; what is installed and built is the project's own. */
const COPIED = [
  'backtest/data',
  'config',
  'src',
  'strategies',
  'test/support',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
];
const LINKED = ['node_modules', 'dist'];

/** Done before the tests begin, and by the check of a clean checkout: not once more for each page. */
const DONE_BEFORE: ReadonlySet<string> = new Set(['npm ci', 'npm run build']);

/** A copy of the project in which a page can be followed. */
export class Walk {
  readonly folder = mkdtempSync(join(tmpdir(), 'presage-walk-'));
  /** What the commands of the last block printed. */
  #told = '';

  constructor() {
    for (const path of COPIED) cpSync(join(ROOT, path), join(this.folder, path), { recursive: true });
    for (const path of LINKED) symlinkSync(join(ROOT, path), join(this.folder, path));
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /**
   * Does what a block says. A block of a file names it after its language.
   * @throws {Error} when a command fails, what it prints is not as shown, or a file is not.
   */
  async follow({ lang, info, text }: Block): Promise<void> {
    if (lang === 'sh') return this.#run(text);
    if (lang === 'text') return expectShown(text, this.#told);
    if (lang === 'diff') return this.#change(info, text);
    if (!hasLines(this.#read(info), text)) throw new Error(`${info} does not have these lines:\n${text}`);
  }

  #read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  async #run(text: string): Promise<void> {
    this.#told = '';
    for (const line of text.split('\n').filter((each) => each.trim() !== '' && !DONE_BEFORE.has(commandOf(each))))
      this.#told += await runLine(line, this.folder);
  }

  /** Makes a change: what stands there now, the lines without a plus, becomes the lines without a minus. */
  #change(path: string, text: string): void {
    const lines = text.split('\n').slice(0, -1);
    const side = (without: string): string =>
      lines.flatMap((line) => (line.startsWith(without) ? [] : [`${line.slice(1)}\n`])).join('');
    const before = this.#read(path);
    const [old, now] = [side('+'), side('-')];
    if (before.split(old).length !== 2)
      throw new Error(`${path} does not have these lines, or more than once:\n${old}`);
    writeFileSync(
      join(this.folder, path),
      before.replace(old, () => now),
    );
  }
}

const INDENTS = [0, 2, 4, 6, 8].map((width) => ' '.repeat(width));

/** Whether a file has some lines, at whatever depth: a page shows them from the margin. */
const hasLines = (file: string, lines: string): boolean =>
  INDENTS.some((indent) => file.includes(lines.replaceAll(/^(?=.)/gm, indent)));

/** A line without the words on it. */
const commandOf = (line: string): string => line.replace(/\s+#.*$/, '').trim();

const LINE_MS_MAX = 90_000;

/** Runs a line of shell; what it printed, errors in between. */
const runLine = (line: string, cwd: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      NO_COLOR: '1',
      FORCE_COLOR: '0',
      NO_UPDATE_NOTIFIER: '1',
      COLUMNS: '100',
    };
    delete env['VITEST'];
    execFile('bash', ['-c', `${line} 2>&1`], { cwd, env, timeout: LINE_MS_MAX, maxBuffer: 1 << 26 }, (fault, told) =>
      fault ? reject(new Error(`${line}\nended with ${fault.code ?? fault.signal}:\n${told}`)) : resolve(told),
    );
  });

/**
 * Compares what a page shows with what was printed: its lines follow each other there, every number is any number, with any
 * sign, `…` stands for anything in a line, and a line of it alone for any lines.
 * @throws {Error} when they do not.
 */
export function expectShown(shown: string, told: string): void {
  const groups = shown.split(/^…\n/m).filter((group) => group !== '');
  const printed = told.replaceAll(/[^\S\n]+$/gm, '');
  let rest = printed;
  for (const group of groups) {
    const found = new RegExp(`(?:^|\\n)${patternOf(group)}`).exec(rest);
    if (!found) throw new Error(`it is not printed as shown:\n${group}\nbut:\n${printed}`);
    rest = rest.slice(found.index + found[0].length);
  }
}

/** A number, escaped as the rest of a pattern is: a sign, a dollar, digits. */
const NUMBER = /(?:\\\+|−)?(\\\$)?\d+(?:(?:,|\\\.)\d+)*/g;

const patternOf = (group: string): string =>
  group
    .trimEnd()
    .split('…')
    .map((part) =>
      part
        .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
        .replaceAll(NUMBER, (_, dollar = '') => `[+−]?${dollar}[\\d.,]+`)
        .replaceAll(/ {2,}/g, ' +'),
    )
    .join('[^\\n]*?');
