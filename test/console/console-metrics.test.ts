// The metrics of a running console: they hold the figures of a bot that answers on its control socket, and only a token
// reads them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConsoleBot } from '../../src/console/bots/console-bot.ts';
import type { LiveClients } from '../../src/console/live/live-response.ts';
import { consoleMetricsText } from '../../src/console/server/console-metrics.ts';
import { type RunningConsole, startConsole } from '../../src/console/server/console-run.ts';
import { makeSecret } from '../../src/console/security/token-file.ts';
import { botFigures } from '../../src/metrics/bot-figures.ts';
import { TradeCounts } from '../../src/metrics/trade-counts.ts';
import { ControlServer } from '../../src/runtime/operator/control-server.ts';
import { controlPath } from '../../src/runtime/operator/control-path.ts';
import { SessionMeter } from '../../src/runtime/session/session-meter.ts';
import { fileStorage } from '../../src/tape/journal/file-storage.ts';
import { MANIFEST, journalOn, start as inputOfStart } from '../support/tapes/journal-entries.ts';
import { liveSession } from '../support/metrics/live-session-figures.ts';

const tokens = { operator: makeSecret(), reader: makeSecret(), scrape: makeSecret() };
let folder = '';
let running: RunningConsole | null = null;
let socket: ControlServer | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-scrape-'));
  for (const name of ['alive', 'dead']) mkdirSync(join(folder, name));
  const lines = Object.entries(tokens).map(([role, token]) => `${role}-name ${role} ${token}\n`);
  writeFileSync(join(folder, 'alive', 'console.token'), lines.join(''), { mode: 0o600 });
});
afterEach(async () => {
  await running?.close();
  await socket?.close();
  running = null;
  socket = null;
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a console of two bots: one answers `metrics` on its control socket, the other is not there. */
async function start(): Promise<string> {
  socket = await ControlServer.openSocket({
    path: controlPath(join(folder, 'alive'), 'control'),
    role: 'presage run',
    answerRequest: (request) =>
      Promise.resolve(
        request.type === 'metrics'
          ? { type: 'metrics', figures: { ...FIGURES } }
          : { type: 'refused', why: 'this bot answers metrics alone' },
      ),
  });
  const folders = [join(folder, 'alive'), join(folder, 'dead')];
  running = await startConsole({ configs: [], folders, listen: '127.0.0.1:0' });
  return running.server.url;
}

const EQUITY = 1_234_567_000;
const session = liveSession();
const ALERTS = { sent: [{ target: 'phone', result: 'sent', count: 3 }], waiting: 2 };
const OF_SESSION = botFigures({
  session: { ...session, account: { ...session.account, isOpen: true, equityMicros: EQUITY } },
  trades: new TradeCounts(),
  meter: new SessionMeter().read(),
  machine: { loopLag: null, loopUse: null, residentBytes: 1, heapBytes: 1, diskFreeBytes: null, gc: null },
});

const FIGURES = { ...OF_SESSION, alerts: ALERTS };

const scrape = (url: string, token: string | null): Promise<Response> =>
  fetch(`${url}/metrics`, token === null ? {} : { headers: { Authorization: `Bearer ${token}` } });

describe('the metrics of a console', () => {
  it('hold the figures of each bot that answers, and the console’s own', async () => {
    const answer = await scrape(await start(), tokens.scrape);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    const text = await answer.text();
    expect(text).toContain('presage_up{bot="alive"} 1');
    expect(text).toContain('presage_up{bot="dead"} 0');
    expect(text).toMatch(/^presage_equity\w*\{bot="alive"\} 1234\.567$/m);
    expect(text).not.toMatch(/^presage_equity\w*\{bot="dead"\}/m);
    expect(text).toContain('presage_alerts_sent_total{bot="alive",target="phone",result="sent"} 3');
    expect(text).toContain('presage_alerts_waiting{bot="alive"} 2');
    expect(text).toMatch(/^presage_console_\w+ 0$/m);
  });

  it('name a paper session as its own port does, with the mark that the alert rules know', async () => {
    const bot = { name: 'paper', dataFolder: join(folder, 'demo', 'paper'), isPaper: true, config: null };
    // tidy: as (the text needs a name, a folder and the kind alone)
    const text = await consoleMetricsText([bot as unknown as ConsoleBot], { size: 0, dropped: 0 } as LiveClients);
    expect(text).toContain('presage_up{bot="demo (paper)"} 0');
  });

  it('have that mark, too, when the paper session has not answered since the console began', async () => {
    const paper = join(folder, 'demo', 'paper');
    const manifest = { ...MANIFEST, isPaper: true as const };
    const journal = journalOn(fileStorage(join(paper, 'journal')), { manifest });
    journal.writeInput(inputOfStart('s1'));
    await journal.close('stopped');
    running = await startConsole({
      configs: [],
      folders: [join(folder, 'alive'), join(folder, 'dead'), paper],
      listen: '127.0.0.1:0',
    });
    const text = await (await scrape(running.server.url, tokens.scrape)).text();
    expect(text.match(/^presage_up.*/gm)).toEqual([
      'presage_up{bot="alive"} 0',
      'presage_up{bot="dead"} 0',
      'presage_up{bot="demo (paper)"} 0',
    ]);
  });

  it('are refused without a token and with a wrong one', async () => {
    const url = await start();
    expect((await scrape(url, null)).status).toBe(401);
    expect((await scrape(url, makeSecret())).status).toBe(401);
    expect((await scrape(url, tokens.reader)).status).toBe(200);
  });

  it('are all that the token of a scrape may read', async () => {
    const url = await start();
    const answer = await fetch(`${url}/api/v1/bots`, { headers: { Authorization: `Bearer ${tokens.scrape}` } });
    expect(answer.status).toBe(403);
  });
});
