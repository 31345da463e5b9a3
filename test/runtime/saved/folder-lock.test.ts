// The lock of a folder between real processes: when many start at the same moment, one gets it.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { builtModule } from '../../e2e/presage.ts';

const top = mkdtempSync(join(tmpdir(), 'presage-lock-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));

const PROCESSES = 6;
const ROUNDS = 10;

/** Claims one folder after another, each at the time in its name. */
const script = (): string => `
import { fileStorage } from ${JSON.stringify(builtModule('tape/journal/file-storage'))};
const claimed = [];
for (const folder of process.argv.slice(1)) {
  const at = Number(folder.split('-').at(-1));
  while (Date.now() < at);
  try {
    fileStorage(folder).lockFolder();
    claimed.push(folder);
  } catch (fault) {
    if (!String(fault).includes('is in use by process')) throw fault;
  }
}
process.stdout.write(JSON.stringify(claimed));
setTimeout(() => undefined, 3000);
`;

function claimEach(folders: readonly string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const args = ['--input-type=module', '--eval', script(), ...folders];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (output += part));
    child.on('close', (code) => (code === 0 ? resolve(JSON.parse(output) as string[]) : reject(new Error(`${code}`))));
  });
}

describe('the lock of a folder', () => {
  it('goes to one of many processes that start at the same moment, whatever a dead process left there', async () => {
    const begin = Date.now() + 2000;
    const folders = Array.from({ length: ROUNDS }, (_, round) => join(top, `${round}-${begin + 20 * round}`));
    folders.forEach((folder, round) => {
      mkdirSync(folder);
      if (round % 2 === 1) writeFileSync(join(folder, 'lock'), '4194304 1\n');
    });
    const claims = await Promise.all(Array.from({ length: PROCESSES }, () => claimEach(folders)));
    expect(claims.flat().sort()).toEqual([...folders].sort());
  });
});
