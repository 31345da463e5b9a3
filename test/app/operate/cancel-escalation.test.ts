// The result of canceling by the bot and its watchdog, when no process can read the exchange's list.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cancelScope } from '../../../src/app/operate/cancel-escalation.ts';
import { haltBot } from '../../../src/app/operate/halt-order.ts';
import { ACCOUNT_SCOPE, openOperatorContext } from '../../../src/app/operate/operator-context.ts';
import { must } from '../../../src/base/assert.ts';
import { readBotConfig } from '../../../src/config/bot-config.ts';
import type { OrderReply, RestingOrder } from '../../../src/runtime/operator/control-messages.ts';
import { controlPath } from '../../../src/runtime/operator/control-path.ts';
import { ControlServer } from '../../../src/runtime/operator/control-server.ts';
import { shippedConfig } from '../../e2e/presage.ts';

const HALT = { type: 'halt', scope: ACCOUNT_SCOPE, by: 'operator', reason: 'odd' } as const;
const RESTING: RestingOrder = { clientOrderId: 's-0-1', venueOrderId: 'v-1', ticker: 'M-0', state: 'working' };
const UNDONE: OrderReply = { isDone: false, withdrawn: 0, left: [], halts: [], remarks: [] };

let folder = '';
let servers: ControlServer[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-escalation-'));
  writeFileSync(join(folder, 'bot.yaml'), shippedConfig('demo.yaml', folder));
});
afterEach(async () => {
  for (const server of servers) await server.close();
  servers = [];
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a process that reports this for every instruction. */
async function open(role: 'control' | 'watchdog', report: OrderReply): Promise<void> {
  const dataFolder = must(readBotConfig(join(folder, 'bot.yaml')).dataFolder, 'a data folder');
  mkdirSync(dataFolder, { recursive: true });
  const answerRequest = () => Promise.resolve({ type: 'done', report } as const);
  servers.push(await ControlServer.openSocket({ path: controlPath(dataFolder, role), role, answerRequest }));
}

describe('a cancel that no process could check at the exchange', () => {
  it('lists the orders that the bot knows, although the watchdog could read no list', async () => {
    await open('control', { ...UNDONE, left: [RESTING] });
    await open('watchdog', UNDONE);
    const report = await cancelScope(openOperatorContext(join(folder, 'bot.yaml')), HALT, 1000);
    expect(report).toMatchObject({ isDone: false, isSeenAtVenue: false, left: [RESTING] });
  });

  it('does not know what rests when the bot knows no order', async () => {
    await open('control', UNDONE);
    await open('watchdog', UNDONE);
    const report = await cancelScope(openOperatorContext(join(folder, 'bot.yaml')), HALT, 1000);
    expect(report).toMatchObject({ isDone: false, isSeenAtVenue: false, left: null });
  });
});

describe('a halt with a key file that does not exist', () => {
  it('is saved and carried out by the bot, and the record names the key', async () => {
    const config = join(folder, 'bot.yaml');
    const missing = join(folder, 'missing.pem');
    const venue = `venue:\n  url: http://127.0.0.1:9\n  key: { id: demo, file: ${missing} }\n`;
    writeFileSync(config, shippedConfig('local.yaml', folder).replace(/^venue:\n(?: .*\n|\n)*/m, `${venue}\n`));
    await open('control', { ...UNDONE, isDone: true, withdrawn: 3 });
    const context = openOperatorContext(config);
    const { latchFault, report } = await haltBot(context, { scope: ACCOUNT_SCOPE, reason: 'odd', withinMs: 1000 });
    expect(latchFault).toBeNull();
    expect(context.latch.readHalts()).toMatchObject([{ reason: 'odd' }]);
    expect(report).toMatchObject({ isDone: true, by: ['bot'], canceledCount: 3, isSeenAtVenue: false });
    expect(report.venueFault).toContain(missing);
    expect(report.remarks.join()).toContain('this command could not cancel, nor read');
  });
});

describe('a halt with a profile that does not exist', () => {
  it('is saved and carried out by the bot, and the record names the line of the profile', async () => {
    const config = join(folder, 'bot.yaml');
    const venue = 'venue:\n  url: http://127.0.0.1:9\n  profile: kalhsi\n  key: { id: demo, file: key.pem }\n';
    writeFileSync(config, shippedConfig('local.yaml', folder).replace(/^venue:\n(?: .*\n|\n)*/m, `${venue}\n`));
    await open('control', { ...UNDONE, isDone: true, withdrawn: 3 });
    const context = openOperatorContext(config);
    const { report } = await haltBot(context, { scope: ACCOUNT_SCOPE, reason: 'odd', withinMs: 1000 });
    expect(context.latch.readHalts()).toMatchObject([{ reason: 'odd' }]);
    expect(report).toMatchObject({ isDone: true, by: ['bot'], canceledCount: 3, isSeenAtVenue: false });
    expect(report.venueFault).toMatch(/bot\.yaml:\d+:\d+: venue\.profile: expected .*, found "kalhsi"/);
  });
});
