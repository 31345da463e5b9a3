// The commands with --paper: they act on the paper session, and leave the live bot and the exchange alone.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ACCOUNT_SCOPE, openOperatorContext } from '../../../src/app/operate/operator-context.ts';
import { cancelLines } from '../../../src/cli/show/cancel-text.ts';
import { cancelScope } from '../../../src/app/operate/cancel-escalation.ts';
import { DirectCancel } from '../../../src/app/operate/direct-cancel.ts';
import { haltBot } from '../../../src/app/operate/halt-order.ts';
import { resumeBot } from '../../../src/app/operate/resume-order.ts';
import { cancelAllCommand } from '../../../src/cli/cancel-all-command.ts';
import { flattenCommand } from '../../../src/cli/flatten-command.ts';
import { haltCommand } from '../../../src/cli/halt-command.ts';
import { logCommand } from '../../../src/cli/log-command.ts';
import { overrideCommand } from '../../../src/cli/override-command.ts';
import { resumeCommand } from '../../../src/cli/resume-command.ts';
import { statusCommand } from '../../../src/cli/status-command.ts';
import { controlPath } from '../../../src/runtime/operator/control-path.ts';
import { ControlServer } from '../../../src/runtime/operator/control-server.ts';
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

/** A paper config with a key and an address: a cancel without --paper would use them. */
function configWithKey(): string {
  const file = join(folder, 'bot.yaml');
  const venue = `venue:\n  url: http://127.0.0.1:9\n  key: { id: demo, file: ${join(folder, 'key.pem')} }\n`;
  writeFileSync(file, shippedConfig('paper.yaml', folder).replace(/^venue:\n(?: .*\n|\n)*/m, `${venue}\n`));
  return file;
}

it('halt --paper without a session saves the halt for the next one, and leaves the exchange and the live bot alone', async () => {
  const file = configWithKey();
  const [live, paper] = [openOperatorContext(file), openOperatorContext(file, true)];
  expect(await DirectCancel.connect(paper)).toBeNull();
  const { latchFault, report } = await haltBot(paper, { scope: ACCOUNT_SCOPE, reason: 'odd', withinMs: 1000 });
  expect(latchFault).toBeNull();
  expect(report).toMatchObject({ isDone: true, isPaperOver: true, left: [], venueFault: null, remarks: [] });
  expect(cancelLines(report)[0]).toMatch(/^no paper session runs: its orders ended with it \(/);
  expect(paper.latch.readHalts()).toMatchObject([{ reason: 'odd' }]);
  expect(live.latch.readHalts()).toEqual([]);
});

it('halt --paper of a session that does not report says that no other process can cancel', async () => {
  const context = openOperatorContext(configWithKey(), true);
  mkdirSync(context.dataFolder, { recursive: true });
  const answerRequest = () => Promise.resolve({ type: 'refused', why: 'busy' } as const);
  const path = controlPath(context.dataFolder, 'control');
  const server = await ControlServer.openSocket({ path, role: 'bot', answerRequest });
  try {
    const order = { type: 'cancel-all', scope: ACCOUNT_SCOPE, reason: 'odd' } as const;
    const report = await cancelScope(context, order, 1000);
    expect(report).toMatchObject({ isDone: false, isPaperOver: false, by: [], left: null });
    expect(report.remarks).toEqual([
      'the bot refused: busy',
      'only the paper session can cancel and list its orders: no other process, nor the exchange, has them',
    ]);
  } finally {
    await server.close();
  }
});

it('every command of an operator has --paper', () => {
  const commands = [haltCommand, cancelAllCommand, flattenCommand, overrideCommand, resumeCommand, statusCommand];
  for (const create of commands) expect(create().helpInformation()).toContain('--paper');
  expect(logCommand().commands[0]?.helpInformation()).toContain('--paper');
});
