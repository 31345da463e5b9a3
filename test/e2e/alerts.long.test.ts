// Alerts of a bot in a process of its own: receivers of every kind of trouble beside a session that trades, the watchdog's
// alerts of a dead and of a hanging bot, and the command that tests targets.
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AlertRecord } from '../../src/alerts/record/alert-record.ts';
import { Receiver } from '../support/alerts/alert-drafts.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { type Line, Presage, endOf, isFillOf, presage, shippedConfig } from './presage.ts';
import { Site, pause } from './site.ts';

const TIMEOUT_MS = 2 * PATIENCE_MS;
/** Parts of addresses and tokens that nothing may show. */
const SECRETS = ['hush-slack', 'hush-telegram', 'hush-topic', 'hush-key', 'hush-beat'];

const receivers: Receiver[] = [];
let folder = '';
let site: Site | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-e2e-alerts-'));
});
afterEach(async () => {
  await site?.close();
  site = null;
  for (const receiver of receivers.splice(0)) await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(): Promise<Receiver> {
  const receiver = await Receiver.open();
  receivers.push(receiver);
  return receiver;
}

const secret = (name: string, value: string): string => {
  const file = join(folder, name);
  writeFileSync(file, value, { mode: 0o600 });
  return `{ file: ${file} }`;
};

/** Every file below a folder. */
const filesBelow = (top: string): string[] =>
  readdirSync(top, { recursive: true, encoding: 'utf8' })
    .map((name) => join(top, name))
    .filter((file) => statSync(file).isFile());

const isPhase = (phase: string) => (line: Line) =>
  line.type === 'phase' && String(line['text']).startsWith(`session ${phase}`);

async function until(isTrue: () => boolean): Promise<void> {
  for (const endAt = Date.now() + PATIENCE_MS; !isTrue(); await pause(50))
    if (Date.now() > endAt) throw new Error('it did not happen');
}

const codesOf = (records: readonly AlertRecord[]): string[] =>
  records.map(({ code, state }) => (state === 'over' ? `over ${code}` : code));

/** Paths of the heartbeats that a receiver got. */
const beatsOf = ({ received }: Receiver): string[] =>
  received.map(({ path }) => path).filter((path) => path.startsWith('/hush-beat'));

describe('a session with alerts', () => {
  it(
    'trades on while receivers are down, silent, redirecting, limiting or broken, and delivers once they are back',
    async () => {
      const [good, silent, redirecting, limiting, broken, flaky, services] = await Promise.all(
        Array.from({ length: 7 }, open),
      );
      silent!.answer = () => undefined;
      redirecting!.answer = (response) => void response.writeHead(307, { location: good!.url }).end();
      limiting!.answer = (response) => void response.writeHead(429, { 'retry-after': '3600' }).end();
      broken!.answer = (response) => void response.socket?.end('garbage\r\n\r\n');
      flaky!.answer = (response) => {
        response.writeHead(flaky!.received.length < 2 ? 503 : 200).end('ok');
      };
      const webhook = (name: string, url: string): string =>
        `    - { name: ${name}, type: webhook, severity: info, url: '${url}', secret: ${secret(`${name}.key`, 'hush-key')} }\n`;
      const text = `${shippedConfig('demo.yaml', folder)}
alerts:
  heartbeat: { url: ${secret('beat', `${services!.url}/hush-beat`)}, every: 2s }
  targets:
${webhook('good', good!.url)}${webhook('down', 'http://127.0.0.1:1')}${webhook('silent', silent!.url)}${webhook('redirecting', redirecting!.url)}
${webhook('limiting', limiting!.url)}${webhook('broken', broken!.url)}${webhook('flaky', flaky!.url)}
    - { name: team, type: slack, severity: info, webhook: ${secret('slack', `${services!.url}/hush-slack`)} }
    - { name: chat, type: telegram, severity: info, token: ${secret('telegram', 'hush-telegram')}, chat: 1, url: '${services!.url}' }
    - { name: phone, type: ntfy, severity: info, topic: ${secret('topic', 'hush-topic')}, url: '${redirecting!.url}' }
`;
      const file = join(folder, 'demo.yaml');
      writeFileSync(file, text);
      const bot = new Presage(['run', '--config', file, '--json', '--seed', '7']);
      await Promise.all(['quoter', 'arbitrage'].map((name) => bot.line(isFillOf(name))));
      await until(() => codesOf(good!.records).includes('trading') && limiting!.received.length > 0);
      // The first request was refused, and was sent again.
      await until(() => codesOf(flaky!.records.slice(1)).includes('trading'));
      await until(() => beatsOf(services!).length >= 3);
      expect(await bot.stop()).toBe(0);

      const end = endOf(bot);
      expect(end.end).toMatchObject({ type: 'stopped', isReconciled: true });
      expect(end.ledgerDifferences).toEqual([]);
      for (const { fills, name } of end.strategies) expect(fills, `fills of ${name}`).toBeGreaterThan(0);

      expect(codesOf(good!.records).filter((code) => !code.includes('disk'))).toEqual(
        expect.arrayContaining(['trading', 'session-end']),
      );
      expect(new Set(good!.records.map(({ id }) => id)).size).toBe(good!.records.length);
      expect(codesOf(flaky!.records)).toContain('trading');
      expect(limiting!.received).toHaveLength(1);
      const beats = beatsOf(services!);
      expect(beats).toEqual(['/hush-beat/start', ...beats.slice(1, -1).map(() => '/hush-beat'), '/hush-beat/0']);
      expect(beats.length).toBeGreaterThan(3);

      // A record that could not be delivered waits for the next start.
      const waiting = readFileSync(join(folder, 'demo', 'alerts.jsonl'), 'utf8');
      expect(waiting).toContain('"down"');
      const own = new Set(['beat', 'slack', 'telegram', 'topic']);
      const files = filesBelow(folder).filter(
        (each) => !each.endsWith('.key') && !own.has(each.slice(folder.length + 1)),
      );
      expect(files.some((each) => each.endsWith('demo.log'))).toBe(true);
      const { stdout } = await presage('journal', 'inspect', join(folder, 'demo', 'journal'), '--tail', '200');
      for (const shown of [
        ...files.map((each) => readFileSync(each, 'latin1')),
        JSON.stringify(bot.lines),
        bot.stderr,
        stdout,
      ])
        for (const hidden of SECRETS) expect(shown).not.toContain(hidden);
    },
    TIMEOUT_MS,
  );

  it(
    'does not start without one of its secrets, and says which',
    async () => {
      const file = join(folder, 'demo.yaml');
      writeFileSync(
        file,
        `${shippedConfig('demo.yaml', folder)}\nalerts: { targets: [{ name: team, type: slack, webhook: { file: ${folder}/none } }] }\n`,
      );
      const { code, stderr } = await presage('run', '--config', file, '--for', '1s');
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/alerts target team: .*none: expected a readable file/),
      ]);
    },
    TIMEOUT_MS,
  );
});

describe('the watchdog', () => {
  async function watched(): Promise<{ readonly bot: Presage; readonly receiver: Receiver; readonly at: Site }> {
    const receiver = await open();
    const alerts = `\nalerts: { targets: [{ name: phone, type: webhook, severity: critical, url: '${receiver.url}' }] }\n`;
    const at = await Site.open({ bot: (text) => `${text}${alerts}` });
    site = at;
    const bot = at.run();
    await bot.line(isPhase('trading'));
    await at.until((resting) => resting.length >= 3);
    return { bot, receiver, at };
  }

  it(
    'reports a bot that was killed, with the orders that it canceled',
    async () => {
      const { bot, receiver, at } = await watched();
      bot.kill('SIGKILL');
      await receiver.gotRequests(1);
      await bot.exited;
      // Where canceling takes long, a first message says that it goes on, and a second one how it ended.
      if (receiver.records[0]?.did.startsWith('The watchdog is canceling') === true) await receiver.gotRequests(2);
      const record = receiver.records.at(-1);
      expect(record).toMatchObject({ code: 'bot-dead', severity: 'critical', title: 'bot is dead', state: 'firing' });
      expect(record?.did).toMatch(
        /^The watchdog canceled \d+ orders, and the exchange’s list of its orders is empty\.$/,
      );
      expect(await at.resting()).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'reports a bot that was stopped by a signal, and its return',
    async () => {
      const { bot, receiver } = await watched();
      bot.kill('SIGSTOP');
      try {
        await receiver.gotRequests(1);
        expect(receiver.records[0]).toMatchObject({ code: 'bot-hangs', severity: 'critical', title: 'bot hangs' });
        expect(receiver.records[0]?.figures['silentMs']).toBeGreaterThanOrEqual(5000);
      } finally {
        bot.kill('SIGCONT');
      }
      await until(() => codesOf(receiver.records).includes('over bot-hangs'));
      // The bot itself reports the halt that the watchdog wrote.
      await until(() => receiver.records.some(({ code, key }) => code === 'halt' && key.endsWith('/account')));
    },
    TIMEOUT_MS,
  );
});

describe('presage alerts test', () => {
  it(
    'sends a test to each target and shows each answer, without secrets',
    async () => {
      const [good, bad] = await Promise.all([open(), open()]);
      bad.answer = (response, { path }) => void response.writeHead(404).end(`no webhook ${path}`);
      const file = join(folder, 'demo.yaml');
      writeFileSync(
        file,
        `${shippedConfig('demo.yaml', folder)}
alerts:
  heartbeat: { url: ${secret('beat', `${good.url}/hush-beat`)} }
  targets:
    - { name: phone, type: webhook, url: '${good.url}/hook', quiet: { from: 00:00, to: 23:59, zone: UTC } }
    - { name: team, type: slack, webhook: ${secret('slack', `${bad.url}/hush-slack`)} }
`,
      );
      const all = await presage('alerts', 'test', '--config', file, '--severity', 'critical', '--json');
      expect(all.code).toBe(1);
      expect(JSON.parse(all.stdout)).toMatchObject({
        isAccepted: false,
        targets: [
          { target: 'phone', isAccepted: true, answer: '200: ok' },
          { target: 'team', isAccepted: false, answer: '404: no webhook [secret]' },
          { target: 'heartbeat', isAccepted: true, answer: '200' },
        ],
      });
      expect(good.records[0]).toMatchObject({ code: 'test', severity: 'critical' });
      const one = await presage('alerts', 'test', '--config', file, '--target', 'phone');
      expect([one.code, one.stdout]).toEqual([0, expect.stringMatching(/^accepted\s+phone\s+webhook/)]);
      const none = await presage('alerts', 'test', '--config', file, '--target', 'phne');
      expect([none.code, none.stderr]).toEqual([
        2,
        expect.stringContaining('expected one of phone, team, heartbeat, found "phne"'),
      ]);
      for (const { stdout, stderr } of [all, one, none])
        for (const hidden of SECRETS) expect(`${stdout}${stderr}`).not.toContain(hidden);
    },
    TIMEOUT_MS,
  );

  it(
    'says that a config has no alerts',
    async () => {
      const file = join(folder, 'demo.yaml');
      writeFileSync(file, shippedConfig('demo.yaml', folder));
      const { code, stderr } = await presage('alerts', 'test', '--config', file);
      expect([code, stderr]).toEqual([2, expect.stringContaining('expected a section alerts, found none')]);
    },
    TIMEOUT_MS,
  );
});
