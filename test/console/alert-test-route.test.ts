// The test alert of the console: it reaches the targets of a bot's config, for an operator alone, and shows no secret.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningConsole, startConsole } from '../../src/console/server/console-run.ts';
import { makeSecret } from '../../src/console/security/token-file.ts';
import { shippedConfig } from '../e2e/presage.ts';
import { DescribedApi } from './support/described-api.ts';
import { Receiver } from '../support/alerts/alert-drafts.ts';

const tokens = { operator: makeSecret(), reader: makeSecret() };
const SECRET = 'hush-path';
let folder = '';
let receiver: Receiver;
let running: RunningConsole | null = null;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'presage-alert-route-'));
  receiver = await Receiver.open();
});
afterEach(async () => {
  await running?.close();
  running = null;
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a console of the demo's config with some more text. Returns a function that sends a test as a role. */
async function start(
  more: string,
  { isPaper = false } = {},
): Promise<(role: keyof typeof tokens, body?: object) => Promise<Response>> {
  const config = join(folder, 'bot.yaml');
  writeFileSync(config, `${shippedConfig(isPaper ? 'paper.yaml' : 'demo.yaml', folder)}\n${more}\n`);
  const settings = join(folder, 'console.yaml');
  const lines = Object.entries(tokens).map(([role, token]) => `${role}-name ${role} ${token}\n`);
  writeFileSync(join(folder, 'tokens'), lines.join(''), { mode: 0o600 });
  writeFileSync(settings, `tokenFile: ${join(folder, 'tokens')}\n`);
  running = await startConsole({ configs: [config], isPaper, folders: [], settings, listen: '127.0.0.1:0' });
  const { url } = running.server;
  const api = await DescribedApi.read(url, { Authorization: `Bearer ${tokens.reader}` });
  return async (role, body = {}) => {
    const answer = await fetch(`${url}/api/v1/alerts/test`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${tokens[role]}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    await api.checkAnswer('POST', answer.url, answer);
    return answer;
  };
}

function alerts(): string {
  const file = join(folder, 'address');
  writeFileSync(file, `${receiver.url}/${SECRET}`, { mode: 0o600 });
  return `alerts: { targets: [{ name: phone, type: webhook, url: { file: ${file} } }] }`;
}

describe('POST /alerts/test', () => {
  it('sends one message to each target, and answers with what each said', async () => {
    const send = await start(alerts());
    const answer = await send('operator', { severity: 'critical' });
    const text = await answer.text();
    expect([answer.status, JSON.parse(text)]).toMatchObject([
      200,
      { isAccepted: true, targets: [{ bot: 'demo', target: 'phone', type: 'webhook', isAccepted: true }] },
    ]);
    expect(receiver.records).toMatchObject([{ code: 'test', severity: 'critical' }]);
    expect(text).not.toContain(SECRET);
  });

  it('names a paper session, and sends no beat for it: a beat hides a dead live session', async () => {
    const file = join(folder, 'address');
    const send = await start(alerts().replace(/ }$/, `, heartbeat: { url: { file: ${file} } } }`), { isPaper: true });
    const answer = await send('operator');
    expect([answer.status, await answer.json()]).toMatchObject([200, { targets: [{ target: 'phone' }] }]);
    expect(receiver.received).toHaveLength(1);
    expect(receiver.records).toMatchObject([{ bot: 'bot (paper)', title: 'bot (paper): this is a test' }]);
  });

  it('is refused for a paper session whose alerts have a heartbeat alone', async () => {
    alerts();
    const more = `alerts: { heartbeat: { url: { file: ${join(folder, 'address')} } } }`;
    const send = await start(more, { isPaper: true });
    expect((await send('operator')).status).toBe(409);
    expect(receiver.received).toEqual([]);
  });

  it('says which target refused it', async () => {
    const send = await start(alerts());
    receiver.answer = (response) => void response.writeHead(404).end();
    expect(await (await send('operator')).json()).toMatchObject({
      isAccepted: false,
      targets: [{ target: 'phone', isAccepted: false }],
    });
  });

  it('is refused for a reader: nothing is sent', async () => {
    const send = await start(alerts());
    expect((await send('reader')).status).toBe(403);
    expect(receiver.received).toEqual([]);
  });

  it('is refused for a bot without alerts, and for one that is not there', async () => {
    const send = await start('');
    expect((await send('operator')).status).toBe(409);
    expect((await send('operator', { bot: 'other' })).status).toBe(404);
  });

  it('names no file when a secret cannot be read', async () => {
    const send = await start(alerts());
    rmSync(join(folder, 'address'));
    const answer = await send('operator');
    const text = await answer.text();
    expect(answer.status).toBe(409);
    expect(text).not.toContain(folder);
    await running?.close();
    running = null;
    expect(readFileSync(join(folder, 'demo', 'console.log'), 'utf8')).not.toContain(SECRET);
  });
});
