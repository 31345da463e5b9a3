// The commands with --paper: they read and lift halts of the paper sessions, and leave those of the live bot alone.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ACCOUNT_SCOPE, openOperatorContext } from '../../../src/app/operate/operator-context.ts';
import { resumeBot } from '../../../src/app/operate/resume-order.ts';
import { micros } from '../../../src/domain/units.ts';
import { shippedConfig } from '../../e2e/presage.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-paper-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function configOf(name: string): string {
  const file = join(folder, name);
  writeFileSync(file, shippedConfig(name, folder));
  return file;
}

it('resume --paper lifts the halt of the paper session, and not the halt of the live bot', async () => {
  const file = configOf('paper.yaml');
  const [live, paper] = [openOperatorContext(file), openOperatorContext(file, true)];
  expect(paper.dataFolder).toBe(join(live.dataFolder, 'paper'));
  for (const { latch, dataFolder } of [live, paper]) {
    mkdirSync(dataFolder, { recursive: true });
    latch.writeHalt({ scope: ACCOUNT_SCOPE, by: 'risk', reason: 'a loss', since: micros(0) });
  }
  const outcome = await resumeBot(paper, { scope: ACCOUNT_SCOPE, reason: 'tried it' });
  expect(outcome).toMatchObject({ isLifted: true, wasHalted: true, halts: [] });
  expect(live.latch.readHalts()).toHaveLength(1);
});

it('--paper is refused for a config without paper sessions', () => {
  const file = configOf('demo.yaml');
  expect(() => openOperatorContext(file, true)).toThrow(`--paper: expected a section paper in ${file}, found none`);
});
