// A refused control in the audit file of its bot, whatever the name of the bot.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BotFolder } from '../../src/console/bots/bot-folder.ts';
import { ConsoleBot } from '../../src/console/bots/console-bot.ts';
import { ControlHandlers } from '../../src/console/controls/control-handlers.ts';
import { readRequest } from '../../src/console/security/request-checks.ts';
import { logTo } from '../../src/log.ts';
import { MadeBot } from './support/made-bot.ts';

it.each([
  ['my%20bot', true],
  ['my%ZZbot', false],
])('a control of %s has a line: %s', (part, hasLine) => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'presage-refused-'));
  const folder = new BotFolder(dataFolder, { needsWatchdog: false });
  const common = { nowMs: () => 0, dataFolder, config: null };
  const bot = new ConsoleBot({ ...common, name: 'my bot', source: new MadeBot(), folder });
  const handlers = new ControlHandlers({ bots: [bot], log: logTo({ write: () => undefined }), nowMs: () => 0 });
  const request = { method: 'POST', target: `/api/v1/bots/${part}/halt`, rawHeaders: [], peer: '' };
  handlers.onRefused(readRequest(request), 'wrong-role');
  const file = join(dataFolder, 'console.audit.jsonl');
  expect(existsSync(file) && readFileSync(file, 'utf8').includes('wrong-role')).toBe(hasLine);
  rmSync(dataFolder, { recursive: true, force: true });
});
