// The console as a process beside a bot and an exchange, each a process of its own: its controls are proved by the
// exchange's own list.
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { transformSync } from 'esbuild';
import { must } from '../../src/base/assert.ts';
import { named } from '../console/support/event-reader.ts';
import { CLIENT } from '../console/support/generated-client.ts';
import { type Json, Person } from './console-person.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { type Presage, presage, shippedConfig } from './presage.ts';
import { Site } from './site.ts';

const TIMEOUT_MS = 2 * PATIENCE_MS;

let site: Site | null = null;
afterEach(async () => {
  await site?.close();
  site = null;
});

const start = (at: Site, ...more: readonly string[]): Presage =>
  at.start(['console', '--config', at.config, '--listen', '127.0.0.1:0', '--json', ...more]);

/** For tests in which no watchdog has work: each costs the start of a process. */
const withoutWatchdog = (text: string): string => text.replace('enabled: true', 'enabled: false');

/** Everybody who was at a console: their answers were compared with the published description. */
const persons: Person[] = [];

async function personAt(console: Presage): Promise<Person> {
  const { url } = await console.line((line) => line.type === 'listening');
  const person = await Person.logIn(String(url));
  persons.push(person);
  return person;
}

/** The bot's data folder. */
const dataOf = (at: Site): string => join(at.folder, 'local');

/** The lines of the audit file. */
const auditOf = (folder: string): Json[] =>
  readFileSync(join(folder, 'console.audit.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);

describe('presage console', () => {
  it(
    'halts a bot, proves it by the exchange’s list, writes who did it, and resumes it',
    async () => {
      site = await Site.open();
      const bot = site.run();
      await site.until((resting) => resting.length >= 3);
      const console = start(site);
      const person = await personAt(console);

      const halted = await person.control('halt', { scope: 'account' });
      expect(halted).toMatchObject({ kind: 'halt', state: 'confirmed', left: [], reason: null });
      expect(halted['text']).toContain('own list');
      expect(await site.resting()).toEqual([]);
      const at = halted['at'] as Record<string, number>;
      const times = ['latched', 'heard', 'canceling', 'confirmed'].map((state) => at[state] ?? 0);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(times).not.toContain(0);

      const id = String(halted['actionId']);
      const reason = 'the quotes <b>look</b> odd';
      expect((await person.call('PATCH', `/bots/${person.bot}/actions/${id}`, { reason })).body['reason']).toBe(reason);
      expect(readFileSync(join(dataOf(site), 'HALT'), 'utf8')).toBe(`${reason}\n`);

      const wrong = { scope: 'account', reason: 'mended', typed: 'acount', actionId: randomUUID() };
      expect((await person.call('POST', `/bots/${person.bot}/resume`, wrong)).status).toBe(409);
      expect(await site.resting()).toEqual([]);
      const resumed = await person.control('resume', { scope: 'account', reason: 'mended', typed: 'account' });
      expect(resumed).toMatchObject({ state: 'confirmed' });
      await site.until((resting) => resting.length >= 3);

      const audit = auditOf(dataOf(site));
      expect(audit.map(({ result }) => result)).toEqual(expect.arrayContaining(['latched', 'confirmed', 'refused']));
      expect(
        audit.every(({ who }) => (who as Json)['role'] === 'operator' && (who as Json)['address'] === '127.0.0.1'),
      ).toBe(true);
      expect(statSync(join(dataOf(site), 'console.audit.jsonl')).mode & 0o777).toBe(0o600);
      expect(statSync(join(dataOf(site), 'console.token')).mode & 0o777).toBe(0o600);
      const token = /\S+ operator (\S+)/.exec(readFileSync(join(dataOf(site), 'console.token'), 'utf8'))?.[1] ?? '?';
      bot.kill('SIGINT');
      expect(await bot.exited).toBe(0);
      const entries = await presage('journal', 'inspect', join(dataOf(site), 'journal'), '--kind', 'event', '--json');
      const orders = entries.stdout.split('\n').filter((line) => line.includes('"operator"'));
      const name = String((must(audit[0], 'a line')['who'] as Json)['name']);
      expect(orders.some((line) => line.includes('mended') && line.includes(name))).toBe(true);
      expect(orders.some((line) => line.includes('look') && line.includes(name))).toBe(true);
      for (const file of ['console.log', 'console.audit.jsonl', 'operator.log'])
        expect(readFileSync(join(dataOf(site), file), 'utf8')).not.toContain(token);
      console.kill('SIGTERM');
      expect(await console.exited).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'halts for a bot that is dead, and shows it as dead',
    async () => {
      site = await Site.open({ bot: withoutWatchdog });
      const bot = site.run();
      await site.until((resting) => resting.length >= 3);
      bot.kill('SIGKILL');
      await bot.exited;
      expect((await site.resting()).length).toBeGreaterThanOrEqual(3);
      const person = await personAt(start(site));
      // Until its files are five seconds old, the bot may also be one that starts.
      const dead = { body: { bots: [{ process: { state: 'dead' }, phase: null, equityMicros: null }] } };
      await expect.poll(() => person.call('GET', '/bots'), { timeout: 10_000 }).toMatchObject(dead);
      const halted = await person.control('halt', { scope: 'account', reason: 'it died' });
      expect(halted).toMatchObject({ state: 'confirmed', left: [] });
      expect(halted['at']).not.toHaveProperty('heard');
      expect(await site.resting()).toEqual([]);
      const { body: after } = await person.call('GET', `/bots/${person.bot}`);
      expect(after).toMatchObject({ halts: [{ scope: 'account', by: 'operator', reason: 'it died' }] });
    },
    TIMEOUT_MS,
  );

  it(
    'previews a flatten, refuses it when it is not confirmed, and flattens',
    async () => {
      site = await Site.open({ bot: withoutWatchdog });
      site.run();
      await site.until((resting) => resting.length >= 3);
      const person = await personAt(start(site));
      const { status, body } = await person.call('POST', `/bots/${person.bot}/flatten/preview`, {});
      expect(status).toBe(200);
      const orders = body['orders'] as { costMicros: number }[];
      expect(body['worstCostMicros']).toBe(orders.reduce((sum, { costMicros }) => sum + costMicros, 0));
      const request = { previewId: body['previewId'], reason: 'enough', actionId: randomUUID() };
      const refused = await person.call('POST', `/bots/${person.bot}/flatten`, { ...request, typed: 'other' });
      expect([refused.status, refused.body['code']]).toEqual([409, 'not-typed']);
      // A fill between the two changes the positions: then another preview is needed.
      for (let tries = 0; tries < 50; tries++) {
        const preview = await person.call('POST', `/bots/${person.bot}/flatten/preview`, {});
        const actionId = randomUUID();
        const begun = await person.call('POST', `/bots/${person.bot}/flatten`, {
          previewId: preview.body['previewId'],
          typed: person.bot,
          reason: 'enough',
          actionId,
        });
        if (begun.status === 409) continue;
        expect(await person.ended(actionId)).toMatchObject({ kind: 'flatten', state: 'confirmed', left: [] });
        break;
      }
      expect(await site.resting()).toEqual([]);
      expect((await site.ledger()).positions).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'halts a demo whose exchange lives in the bot, and proves it by that exchange’s own list',
    async () => {
      site = await Site.open();
      const config = site.write('demo.yaml', shippedConfig('demo.yaml', site.folder));
      const bot = site.start(['run', '--config', config, '--json']);
      await bot.line((line) => line.type === 'fill');
      const console = site.start(['console', '--config', config, '--listen', '127.0.0.1:0', '--json']);
      const person = await personAt(console);
      const halted = await person.control('halt', { scope: 'account' });
      expect(halted).toMatchObject({ state: 'confirmed', left: [] });
      expect(halted['text']).toContain('the exchange’s own list shows nothing left');
      const resumed = await person.control('resume', { scope: 'account', reason: 'on', typed: 'account' });
      expect(resumed).toMatchObject({ state: 'confirmed' });
      const canceled = await person.control('cancel-all', { scope: 'account' });
      expect(canceled).toMatchObject({ state: 'confirmed', left: [] });
    },
    TIMEOUT_MS,
  );

  it(
    'shows the live prices, orders and details of a bot, and says when it is gone',
    async () => {
      site = await Site.open();
      const config = site.write('demo.yaml', shippedConfig('demo.yaml', site.folder));
      const bot = site.start(['run', '--config', config, '--json']);
      const person = await personAt(site.start(['console', '--config', config, '--listen', '127.0.0.1:0', '--json']));
      const markets = await person.follow(`/bots/${person.bot}/live?view=markets`);
      type Row = { ticker: string; bid: number | null; ownBid: number | null };
      const rowsOf = (data: Json): Row[] => data['rows'] as Row[];
      const quoted = await markets.event(
        ({ event, data }) => event === 'marketsPage' && rowsOf(data).some(({ ownBid }) => ownBid !== null),
      );
      const own = must(
        rowsOf(quoted.data).find(({ ownBid }) => ownBid !== null),
        'a market of ours',
      );
      await markets.event(
        ({ event, data }) =>
          event === 'marketsPage' && rowsOf(data).some(({ ticker, bid }) => ticker === own.ticker && bid !== own.bid),
      );
      await markets.event(named('beat'));
      markets.close();
      const market = await person.follow(`/bots/${person.bot}/live?view=market&market=${own.ticker}`);
      const { data: detail } = await market.event(named('detail'));
      expect(detail).toMatchObject({ market: { ticker: own.ticker } });
      const orders = await person.follow(`/bots/${person.bot}/live?view=orders`);
      await orders.event(({ event, data }) => event === 'orders' && (data['orders'] as unknown[]).length > 0);
      const chart = await person.call('GET', `/bots/${person.bot}/markets/${own.ticker}/chart`);
      expect((chart.body['atUs'] as number[]).length).toBeGreaterThan(0);
      for (const path of ['strategies', 'risk', 'feed', 'timeline', 'denials', 'orders', `markets/${own.ticker}`])
        expect([path, (await person.call('GET', `/bots/${person.bot}/${path}`)).status]).toEqual([path, 200]);
      bot.kill('SIGKILL');
      const { data: gone } = await market.event(
        ({ event, data }) => event === 'gone' && JSON.stringify(data).includes('dead'),
      );
      expect(gone).toMatchObject({ process: { state: 'dead', pid: null } });
      const { body } = await person.call('GET', `/bots/${person.bot}`);
      expect(body).toMatchObject({ process: { state: 'dead' }, phase: null });
      expect(body['equityMicros']).toBeGreaterThan(0);
      expect(body['asOfUs']).toBeLessThan(Date.now() * 1000);
      for (const reader of [market, orders]) reader.close();
    },
    TIMEOUT_MS,
  );

  it(
    'answers from the history of all journals, as JSON and as files that no spreadsheet runs',
    async () => {
      site = await Site.open();
      const config = site.write('demo.yaml', shippedConfig('demo.yaml', site.folder));
      const bot = site.start(['run', '--config', config, '--json']);
      await bot.line((line) => line.type === 'fill');
      bot.kill('SIGINT');
      expect(await bot.exited).toBe(0);
      const person = await personAt(site.start(['console', '--config', config, '--listen', '127.0.0.1:0', '--json']));
      const read = (path: string) => person.call('GET', `/bots/${person.bot}/history/${path}`);
      const rowsOf = ({ body }: { body: Json }): Json[] => body['rows'] as Json[];
      const trades = rowsOf(await read('trades?limit=1000'));
      expect(trades.length).toBeGreaterThan(0);
      const page = await read('orders?limit=1');
      const next = rowsOf(await read(`orders?limit=1&cursor=${String(page.body['next'])}`));
      expect(next[0]?.['clientOrderId']).not.toBe(rowsOf(page)[0]?.['clientOrderId']);
      const id = String(trades[0]?.['clientOrderId']);
      const life = await read(`orders/${id}`);
      expect(JSON.stringify(life.body['fills'])).toContain(String(trades[0]?.['tradeId']));
      expect((await read('orders/none')).status).toBe(404);
      expect((await read('trades?cursor=x')).status).toBe(422);
      for (const path of ['sessions', 'pnl?by=strategy', 'fees', 'alarms'])
        expect([path, rowsOf(await read(path)).length > 0]).toEqual([path, true]);
      const fees = rowsOf(await read('fees')).reduce(
        (sum, row) => sum + Number(row['makerFeeMicros']) + Number(row['takerFeeMicros']),
        0,
      );
      expect(fees).toBe(trades.reduce((sum, row) => sum + Number(row['feeMicros']), 0));
      const csv = await person.read(`/bots/${person.bot}/history/trades?format=csv`);
      expect(csv.headers.get('content-disposition')).toBe('attachment; filename="trades.csv"');
      expect((await csv.text()).split('\r\n')[0]).toContain('strategy,market,side');
      const parquet = new Uint8Array(
        await (await person.read(`/bots/${person.bot}/history/orders?format=parquet`)).arrayBuffer(),
      );
      expect(String.fromCharCode(...parquet.slice(0, 4))).toBe('PAR1');
    },
    TIMEOUT_MS,
  );

  it(
    'ends when its parent process has gone, and refuses what it cannot use',
    async () => {
      site = await Site.open();
      const bot = site.run();
      await bot.line((line) => line.type === 'phase');
      const parent = site.start([
        'exchange',
        '--config',
        site.write('other.yaml', shippedConfig('exchange.yaml', site.folder)),
        '--port',
        '0',
        '--json',
      ]);
      await parent.line((line) => line.type === 'listening');
      const console = start(site, '--parent-pid', String(parent.pid));
      await console.line((line) => line.type === 'listening');
      parent.kill('SIGKILL');
      expect(await console.exited).toBe(0);
      const refusals = await Promise.all([
        presage('console'),
        presage('console', '--config', site.config, '--listen', '0.0.0.0:0'),
        presage('console', '--config', site.config, '--listen', 'example.com:80'),
        presage('console', '--config', site.config, '--config', site.config),
      ]);
      expect(refusals.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
      expect(refusals[1]?.stderr).toContain('unless the settings have tls or behindProxy');
      expect(refusals.map(({ stderr }) => stderr.split('\n').length)).toEqual([2, 2, 2, 2]);
    },
    TIMEOUT_MS,
  );
});

describe('presage console, beside one bot', () => {
  let at: Site;
  let person: Person;
  beforeAll(async () => {
    at = await Site.open({
      // Three tests take more than the messages that are usual in a minute.
      bot: (text) => withoutWatchdog(text).replace(/messagesPerMinuteMax: \d+/, 'messagesPerMinuteMax: 60000'),
    });
    at.run();
    await at.until((resting) => resting.length >= 3);
    person = await personAt(start(at));
  });
  afterAll(() => at.close());

  /** Resumes the halted account, and waits until the bot quotes again. */
  async function resume(by: Person): Promise<void> {
    const order = { scope: 'account', reason: 'on', typed: 'account' };
    expect(await by.control('resume', order)).toMatchObject({ state: 'confirmed' });
    await at.until((resting) => resting.length >= 3);
  }

  it(
    'sets a limit for a while, and wants a looser one confirmed',
    async () => {
      const override = { limit: 'orderQtyMax', forMs: 60_000, reason: 'thin books' };
      expect(await person.control('overrides', { ...override, value: '5' })).toMatchObject({ state: 'confirmed' });
      const post = (body: object) =>
        person.call('POST', `/bots/${person.bot}/overrides`, { actionId: randomUUID(), ...body });
      expect((await post({ ...override, value: '500' })).body['code']).toBe('not-typed');
      expect((await post({ ...override, value: 'five' })).status).toBe(422);
      expect((await post({ ...override, limit: 'orderQty', value: '5' })).status).toBe(422);
      const confirmed = { ...override, value: '500', typed: 'orderQtyMax' };
      expect(await person.control('overrides', confirmed)).toMatchObject({ state: 'confirmed' });
      const ended = await person.call('DELETE', `/bots/${person.bot}/overrides/orderQtyMax`, {
        reason: 'back',
        actionId: randomUUID(),
      });
      expect(ended.status).toBe(202);
      expect(await person.ended(String(ended.body['actionId']))).toMatchObject({
        state: 'confirmed',
        text: 'orderQtyMax is as in the config again',
      });
      expect(JSON.parse(readFileSync(join(dataOf(at), 'overrides.json'), 'utf8'))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'is halted by a client that was generated from its description',
    async () => {
      const client = at.write('client.mjs', transformSync(CLIENT, { loader: 'ts', format: 'esm' }).code);
      const { haltBot } = (await import(client)) as {
        haltBot: (url: string, token: string, bot: string) => Promise<string>;
      };
      const token = /\S+ operator (\S+)/.exec(readFileSync(join(dataOf(at), 'console.token'), 'utf8'))?.[1] ?? '';
      expect(await haltBot(person.origin, token, person.bot)).toBe('latched');
      await at.until((resting) => resting.length === 0);
      await resume(person);
    },
    TIMEOUT_MS,
  );

  it(
    'carries out a repeated request once, also after a restart of the console',
    async () => {
      const first = start(at);
      const person = await personAt(first);
      const body = { scope: 'account', actionId: randomUUID() };
      const path = `/bots/${person.bot}/halt`;
      const answers = await Promise.all([1, 2, 3].map(() => person.call('POST', path, body)));
      expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
      const ended = await person.ended(body.actionId);
      expect(ended['state']).toBe('confirmed');
      const halts = auditOf(dataOf(at)).filter(
        ({ action, result }) => (action as Json | undefined)?.['actionId'] === body.actionId && result === 'confirmed',
      );
      expect(halts).toHaveLength(1);
      expect((await person.call('POST', path, { ...body, scope: 'market X' })).status).toBe(409);
      first.kill('SIGKILL');
      await first.exited;

      const again = await personAt(start(at));
      const repeated = await again.call('POST', path, body);
      expect(repeated.body).toEqual(ended);
      await resume(again);
    },
    TIMEOUT_MS,
  );
});

describe('the answers to controls', () => {
  // The tests before this one have called every control.
  it('were compared with the description, each at least once where it was accepted', () => {
    const checked = new Set(persons.flatMap(({ api }) => [...api.checked]));
    const controls = must(persons[0], 'a person').api.routes.filter((route) => !route.startsWith('GET '));
    const missing = controls.filter((route) => ![200, 202, 204].some((status) => checked.has(`${route} ${status}`)));
    // The test of its own sends test alerts.
    expect(missing.toSorted()).toEqual(['DELETE /api/v1/session', 'POST /api/v1/alerts/test']);
    expect([...checked]).toContain('GET /api/v1/bots/{bot}/actions/{id} 200');
  });
});
