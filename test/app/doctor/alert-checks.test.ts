// The doctor's checks of alerts: missing, unreachable, unusable secrets, and that a result holds no secret.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkAlerts } from '../../../src/app/doctor/alert-checks.ts';
import { alertsSchema } from '../../../src/config/alerts-config.ts';
import type { BotConfig } from '../../../src/config/bot-config.ts';
import { Receiver } from '../../support/alerts/alert-drafts.ts';

let receiver: Receiver;
let folder: string;
beforeEach(async () => {
  receiver = await Receiver.open();
  folder = mkdtempSync(join(tmpdir(), 'presage-doctor-'));
});
afterEach(async () => {
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

const VENUE: BotConfig['venue'] = {
  profile: 'service',
  url: 'http://127.0.0.1:1',
  allowPlaintext: false,
  signer: 'noble',
};
const check = async (alerts: object | null, venue: BotConfig['venue'] = VENUE) =>
  checkAlerts({ venue, ...(alerts && { alerts: alertsSchema.parse(alerts) }) });
const statesOf = async (alerts: object | null, venue?: BotConfig['venue']): Promise<string[]> =>
  (await check(alerts, venue)).map(({ name, state }) => `${name}: ${state}`);

describe('the checks of alerts', () => {
  it('warn of a config without targets and without a heartbeat, unless its exchange is embedded', async () => {
    expect(await statesOf(null)).toEqual(['alerts: warn', 'heartbeat: warn']);
    expect(await statesOf({})).toEqual(['alerts: warn', 'heartbeat: warn']);
    const embedded: BotConfig['venue'] = {
      profile: 'service',
      embedded: 'exchange.yaml',
      account: 'demo',
      allowPlaintext: false,
      signer: 'noble',
    };
    expect(await statesOf(null, embedded)).toEqual(['alerts: skipped']);
  });

  it('connect to each receiver, and send nothing', async () => {
    const file = join(folder, 'beat');
    writeFileSync(file, `${receiver.url}/hush`, { mode: 0o600 });
    const targets = [
      { name: 'good', type: 'webhook', url: `${receiver.url}/hook` },
      { name: 'down', type: 'webhook', url: 'http://127.0.0.1:1/hook' },
      { name: 'here', type: 'command', command: [process.execPath] },
      { name: 'gone', type: 'command', command: [join(folder, 'none')] },
      { name: 'bare', type: 'command', command: ['mail'] },
    ];
    expect(await statesOf({ targets, heartbeat: { url: { file } } })).toEqual([
      'alerts good: ok',
      'alerts down: warn',
      'alerts here: ok',
      'alerts gone: warn',
      'alerts bare: warn',
      'heartbeat: ok',
    ]);
    expect(receiver.received).toEqual([]);
  });

  it('name a secret that cannot be used by its place, and never quote one', async () => {
    const file = join(folder, 'open');
    writeFileSync(file, 'https://hooks.example/hush', { mode: 0o644 });
    const wrong = join(folder, 'wrong');
    writeFileSync(wrong, 'http://hooks.example/hush', { mode: 0o600 });
    const targets = [
      { name: 'a', type: 'slack', webhook: { file } },
      { name: 'b', type: 'slack', webhook: { file: wrong } },
    ];
    const checks = await check({ targets, heartbeat: { url: { environment: 'PRESAGE_NO_SUCH_VARIABLE' } } });
    expect(checks.map(({ state }) => state)).toEqual(['bad', 'bad', 'bad']);
    expect(checks.map(({ words }) => words).join('\n')).not.toContain('hush');
    expect(checks[0]?.words).toContain(file);
  });
});
