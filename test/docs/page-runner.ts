// Follows a page word for word in a copy of the project: runs its commands, compares its files and makes its changes.
// Must never do more than the page says.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Block, ROOT } from './pages.ts';

/** Files and folders that are copied from the project. `node_modules` and `dist` are linked. */
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

/** Commands that run before the tests begin, and in the test of a clean clone; they are not repeated for each page. */
const DONE_BEFORE: ReadonlySet<string> = new Set(['npm ci', 'npm run build']);

/** A copy of the project in which a page is followed. */
export class PageRunner {
  readonly folder = mkdtempSync(join(tmpdir(), 'presage-walk-'));
  /** Output of the last block's commands. */
  #output = '';
  /** Output of all commands so far. */
  printed = '';

  readonly #varying: readonly VaryingLine[];

  /** @param varying Lines of the page's output whose figures differ from run to run. */
  constructor(varying: readonly VaryingLine[] = []) {
    this.#varying = varying;
    for (const path of COPIED) cpSync(join(ROOT, path), join(this.folder, path), { recursive: true });
    for (const path of LINKED) symlinkSync(join(ROOT, path), join(this.folder, path));
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /**
   * Does what a block says. After its language, a block of a file names the file.
   * @throws {Error} when a command fails, or output or a file differs from the page.
   */
  async runBlock({ lang, info, text }: Block): Promise<void> {
    if (lang === 'sh') return this.#run(text);
    if (lang === 'text') return expectShown(text, this.#output, this.#varying);
    if (lang === 'diff') return this.#change(info, text);
    if (!hasLines(this.#read(info), text)) throw new Error(`${info} does not have these lines:\n${text}`);
  }

  #read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  async #run(text: string): Promise<void> {
    this.#output = '';
    for (const line of text.split('\n').filter((each) => each.trim() !== '' && !DONE_BEFORE.has(commandOf(each))))
      this.#output += await runLine(line, this.folder);
    this.printed += this.#output;
  }

  /** Makes a change: replaces the lines without a plus by the lines without a minus. */
  #change(path: string, text: string): void {
    const lines = text.split('\n').slice(0, -1);
    const side = (without: string): string =>
      lines.flatMap((line) => (line.startsWith(without) ? [] : [`${line.slice(1)}\n`])).join('');
    const before = this.#read(path);
    const [old, now] = [side('+'), side('-')];
    if (before.split(old).length !== 2) throw new Error(`${path} does not contain these lines exactly once:\n${old}`);
    writeFileSync(
      join(this.folder, path),
      before.replace(old, () => now),
    );
  }
}

const INDENTS = [0, 2, 4, 6, 8].map((width) => ' '.repeat(width));

/** True when a file contains some lines at any indentation. A page shows them without indentation. */
const hasLines = (file: string, lines: string): boolean =>
  INDENTS.some((indent) => file.includes(lines.replaceAll(/^(?=.)/gm, indent)));

/** Removes the comment of a line. */
const commandOf = (line: string): string => line.replace(/\s+#.*$/, '').trim();

const LINE_MS_MAX = 90_000;

/** Runs a line of shell and returns its output, with errors in between. */
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
    execFile('bash', ['-c', `${line} 2>&1`], { cwd, env, timeout: LINE_MS_MAX, maxBuffer: 1 << 26 }, (fault, output) =>
      fault ? reject(new Error(`${line}\nended with ${fault.code ?? fault.signal}:\n${output}`)) : resolve(output),
    );
  });

/** A line of output whose figures differ from run to run. */
export interface VaryingLine {
  /** Names the figures and says why they vary. */
  readonly name: string;
  readonly line: RegExp;
}

/**
 * Compares the output on a page with the real output. Its lines must follow each other there, with the same figures. `…`
 * matches any text in a line, and `…` as a line of its own matches any lines.
 * @param varying Lines of the page in which any number matches any number with any sign.
 * @throws {Error} when they differ.
 */
export function expectShown(shown: string, output: string, varying: readonly VaryingLine[] = []): void {
  const groups = shown.split(/^…\n/m).filter((group) => group !== '');
  const printed = output.replaceAll(/[^\S\n]+$/gm, '');
  let rest = printed;
  for (const group of groups) {
    const found = new RegExp(`(?:^|\\n)${patternOf(group, varying)}(?=\\n|$)`).exec(rest);
    if (!found) throw new Error(`the output differs from the page:\n${group}\nbut:\n${printed}`);
    rest = rest.slice(found.index + found[0].length);
  }
}

/** Matches a number in an escaped pattern: a sign, a dollar, digits. */
const NUMBER = /(?:\\\+|−)?(\\\$)?\d+(?:(?:,|\\\.)\d+)*/g;

const patternOf = (group: string, varying: readonly VaryingLine[]): string =>
  group
    .trimEnd()
    .split('\n')
    .map((text) => {
      const pattern = linePattern(text);
      if (!varying.some(({ line }) => line.test(text))) return pattern;
      return pattern.replaceAll(NUMBER, (_, dollar = '') => `[+−]?${dollar}[\\d.,]+`);
    })
    .join('\n');

const linePattern = (line: string): string =>
  line
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/ {2,}/g, ' +'))
    .join('[^\\n]*?');
