// The lock of a folder between real processes: when many start at the same moment, one gets it.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { builtModule } from '../../e2e/presage.ts';

const top = mkdtempSync(join(tmpdir(), 'presage-lock-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));

const PROCESSES = 6;
const ROUNDS = 10;
const ROUND_MS = 20;

/**
 * Says that it is ready, reads the time to begin at, and claims one folder after another, each at a time of its own. Lives
 * until its standard input is closed: the lock of a dead process may be taken.
 */
const script = (): string => `
import { once } from 'node:events';
import { fileStorage } from ${JSON.stringify(builtModule('tape/journal/file-storage'))};
const claimed = [];
process.stdout.write('ready\\n');
const [begin] = await once(process.stdin.setEncoding('utf8'), 'data');
for (const [round, folder] of process.argv.slice(1).entries()) {
  const at = Number(begin) + ${ROUND_MS} * round;
  while (Date.now() < at);
  try {
    fileStorage(folder).lockFolder();
    claimed.push(folder);
  } catch (fault) {
    if (!String(fault).includes('is in use by process')) throw fault;
  }
}
process.stdout.write(JSON.stringify(claimed) + '\\n');
process.stdin.resume();
`;

/** A process that claims folders, and the lines that it prints. */
class Claimer {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  constructor(folders: readonly string[]) {
    this.#child = spawn(process.execPath, ['--input-type=module', '--eval', script(), ...folders]);
    this.#child.stderr.pipe(process.stderr);
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  async readLine(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error('the process ended before that line');
    return value;
  }

  begin(atMs: number): void {
    this.#child.stdin.write(String(atMs));
  }

  end(): void {
    this.#child.stdin.end();
  }
}

describe('the lock of a folder', () => {
  it('goes to one of many processes that start at the same moment, whatever a dead process left there', async () => {
    const folders = Array.from({ length: ROUNDS }, (_, round) => join(top, `${round}`));
    folders.forEach((folder, round) => {
      mkdirSync(folder);
      if (round % 2 === 1) writeFileSync(join(folder, 'lock'), '4194304 1\n');
    });
    const claimers = Array.from({ length: PROCESSES }, () => new Claimer(folders));
    try {
      for (const claimer of claimers) expect(await claimer.readLine()).toBe('ready');
      const beginMs = Date.now() + 100;
      for (const claimer of claimers) claimer.begin(beginMs);
      const claims = await Promise.all(
        claimers.map(async (claimer): Promise<string[]> => JSON.parse(await claimer.readLine())),
      );
      expect(claims.flat().sort()).toEqual([...folders].sort());
    } finally {
      for (const claimer of claimers) claimer.end();
    }
  });
});
