// The alerts of one session after another of the same data folder.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SessionAlerts } from '../../../src/app/session/session-alerts.ts';
import type { Halt } from '../../../src/domain/operator-order.ts';
import { micros } from '../../../src/domain/units.ts';
import { openLog } from '../../../src/log.ts';
import { LiveSession } from '../../../src/runtime/session/live-session.ts';
import { Receiver } from '../../support/alerts/alert-drafts.ts';
import { LiveVenue } from '../../support/sessions/live-venue.ts';
import { configIn, makeDataFolder, removeDataFolder } from '../../support/sessions/supervised-folder.ts';

let folder = '';
let receiver: Receiver;
beforeEach(async () => {
  folder = makeDataFolder();
  receiver = await Receiver.open();
});
afterEach(async () => {
  await receiver.close();
  removeDataFolder(folder);
});

const haltFor = (reason: string): Halt => ({ scope: { type: 'account' }, by: 'risk', reason, since: micros(0) });

/** Runs a session that takes over halts, and halts once. */
async function runHalting(reason: string, carried: readonly Halt[]): Promise<void> {
  const config = configIn(folder);
  const log = openLog(config.log);
  const target = { name: 'phone', type: 'webhook', severity: 'warning', url: receiver.url } as const;
  const alerts = SessionAlerts.open({
    config: { ...config, alerts: { targets: [target], diskMegabytesMin: 1 } },
    file: 'bot.yaml',
    log,
    isPaper: false,
  });
  const venue = new LiveVenue(1);
  const session = new LiveSession({ config, venue, clock: venue.clock, strategies: [], hasKey: true, log });
  alerts?.start();
  alerts?.attachSession(session, carried);
  alerts?.submitNotice({ type: 'halt', halt: haltFor(reason), isCarried: false });
  await alerts?.close({ type: 'stopped', isReconciled: true, hadAccount: true });
}

const titles = (): string[] => receiver.records.map(({ state, title }) => `${state} ${title}`);

it('reports a halt after one that was lifted while no session ran, and the end of that one', async () => {
  await runHalting('first', []);
  await runHalting('second', []);
  expect(titles()).toEqual([
    'firing bot is halted: first',
    'over bot is halted: first',
    'firing bot is halted: second',
  ]);
  expect(receiver.records[1]?.happened).toBe('The halt was lifted while no session ran.');
});

it('reports a halt that is still in force once', async () => {
  await runHalting('first', []);
  await runHalting('second', [haltFor('first')]);
  expect(titles()).toEqual(['firing bot is halted: first']);
});
