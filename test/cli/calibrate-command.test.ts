// The command of a calibration: a block that cannot be written is not lost, nor is the calibration.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calibrateCommand } from '../../src/cli/calibrate-command.ts';
import { recordDay } from '../bench/day-session.ts';
import { type Printed, capturingOutput } from '../support/runner/printed-output.ts';

const root = mkdtempSync(join(tmpdir(), 'presage-calibrate-'));
const session = join(root, 'bot');
const printedBy = capturingOutput();

beforeAll(async () => {
  const folder = join(session, 'journal');
  await recordDay({ furtherMarkets: 0, changesPerSecond: 12, tradesPerMinute: 40, folder, hours: 0.01, seed: 3 });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const calibrateTo = (file: string, ...options: string[]): Promise<Printed> =>
  printedBy(() => calibrateCommand().parseAsync([session, '--out', file, ...options], { from: 'user' }));

describe('the block of a calibration', () => {
  it('is written to a new folder', async () => {
    const file = join(root, 'new', 'simulation.yaml');
    const { exitCode, stdout, stderr } = await calibrateTo(file);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(readFileSync(file, 'utf8')).toMatch(/^simulation:\n/);
    expect(readdirSync(join(root, 'new'))).toEqual(['simulation.yaml']);
    expect(stdout).toContain(`block: ${file}`);
  });

  it.each([[], ['--json']])(
    'is printed where it cannot be written, and the exit code is 1 (%s)',
    async (...options) => {
      writeFileSync(join(root, 'file'), '');
      const { exitCode, stdout, stderr } = await calibrateTo(join(root, 'file', 'simulation.yaml'), ...options);
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/^presage: --out: the file cannot be written: EEXIST: .*\n$/);
      expect(stdout).toMatch(options.length > 0 ? /^\{"type":"calibration",.*"block":"simulation:/ : /^simulation:$/m);
    },
  );

  it('never replaces a file', async () => {
    const file = join(root, 'taken.yaml');
    writeFileSync(file, 'mine\n');
    await expect(calibrateTo(file)).rejects.toThrow('--out: expected the name of a new file, found one there');
    expect(readFileSync(file, 'utf8')).toBe('mine\n');
  });
});
