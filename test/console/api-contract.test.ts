// The published description of the API: every answer fits it, and a client that is generated from it works.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import openapiTS, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { must } from '../../src/base/assert.ts';
import { version } from '../../src/app/package-version.ts';
import { haltBodySchema, resumeBodySchema } from '../../src/console/api/api-schemas.ts';
import type { LiveEventName } from '../../src/console/api/view-schemas.ts';
import { fileStorage } from '../../src/tape/journal/file-storage.ts';
import { ROOT } from '../e2e/presage.ts';
import { StagedSession } from '../why/staged-session.ts';
import { ConsoleSite } from './support/console-site.ts';
import type { DescribedApi } from './support/described-api.ts';
import { EventReader, named } from './support/event-reader.ts';
import { CLIENT } from './support/generated-client.ts';

/** Data folder with the journal of a session that traded. It is inside the project, where the strategy's imports resolve. */
let folder = '';
let site: ConsoleSite;
let api: DescribedApi;
/** An order of the journal. */
let order = '';
beforeAll(async () => {
  mkdirSync(join(ROOT, 'var'), { recursive: true });
  folder = mkdtempSync(join(ROOT, 'var', 'contract-'));
  const file = join(folder, 'maker.ts');
  writeFileSync(file, `export { stagedMaker as default } from '${join(ROOT, 'test/why/staged-maker.ts')}';\n`);
  const session = await StagedSession.open({ storage: fileStorage(join(folder, 'journal')), version, file });
  session.startTrading().run(3000);
  order = must(session.places()[0], 'an order').clientOrderId;
  await session.close();
  site = await ConsoleSite.open({ isWhole: true, dataFolder: folder });
  api = site.api;
});
// Rates are bounded by the site's own clock.
beforeEach(() => void (site.nowMs += 60_000));
afterAll(async () => {
  await site.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Paths of answers without a problem; `ORDER` stands for an order of the journal. */
const PATHS: readonly string[] = [
  '/api/v1/session',
  '/api/v1/bots',
  '/api/v1/bots/made',
  '/api/v1/bots/made/markets?q=market&sort=bid&from=1&to=3',
  '/api/v1/bots/made/markets?ours=true',
  '/api/v1/bots/made/markets/MARKET-00001',
  '/api/v1/bots/made/markets/MARKET-00001/chart?points=10',
  '/api/v1/bots/made/orders?open=true',
  '/api/v1/bots/made/orders/s-0-1',
  '/api/v1/bots/made/orders/v-s-0-1',
  '/api/v1/bots/made/strategies',
  '/api/v1/bots/made/risk',
  '/api/v1/bots/made/feed',
  '/api/v1/bots/made/timeline?kind=other',
  '/api/v1/bots/made/denials?strategy=quoter',
  '/api/v1/bots/made/actions',
  '/api/v1/bots/made/history/sessions',
  '/api/v1/bots/made/history/trades?limit=1',
  '/api/v1/bots/made/history/orders?state=working',
  '/api/v1/bots/made/history/orders?format=csv',
  '/api/v1/bots/made/history/orders?format=parquet',
  '/api/v1/bots/made/history/orders/ORDER',
  '/api/v1/bots/made/history/orders?state=open',
  '/api/v1/bots/made/history/positions',
  '/api/v1/bots/made/history/positions?format=csv',
  '/api/v1/bots/made/history/pnl?by=strategy',
  '/api/v1/bots/made/history/fees?by=series',
  '/api/v1/bots/made/history/alarms',
  '/api/v1/bots/made/history/markets/M-0/chart?points=50',
  '/api/v1/bots/made/why?market=M-0&at=00:16:41',
  '/api/v1/bots/made/why/order/ORDER',
];
/** Routes whose answers need a bot that runs: the tests of the whole program check them. */
const NEED_BOT: ReadonlySet<string> = new Set(['GET /api/v1/bots/{bot}/actions/{id}']);

describe('the OpenAPI document', () => {
  it.each(PATHS)('describes the answer of %s', async (path) => {
    const answer = await site.read(path.replace('ORDER', order));
    expect(answer.status).toBe(200);
  });

  it('describes the events of the live streams', async () => {
    const headers = { Authorization: `Bearer ${site.tokens.reader}` };
    const streams: [path: string, route: string, event: LiveEventName][] = [
      ['/live', '/api/v1/live', 'overview'],
      ['/bots/made/live?view=session', '/api/v1/bots/{bot}/live', 'session'],
      ['/bots/made/live?view=markets', '/api/v1/bots/{bot}/live', 'marketsPage'],
      ['/bots/made/live?view=market&market=MARKET-00001', '/api/v1/bots/{bot}/live', 'detail'],
      ['/bots/made/live?view=orders', '/api/v1/bots/{bot}/live', 'orders'],
      ['/bots/made/live?view=events', '/api/v1/bots/{bot}/live', 'events'],
    ];
    for (const [path, route, event] of streams) {
      const reader = await EventReader.open(`${site.server.url}/api/v1${path}`, headers, api);
      await reader.event(named(event));
      site.source.beat();
      if (route !== '/api/v1/live') await reader.event(named('beat'));
      reader.close();
      api.checked.add(`GET ${route} 200`);
    }
  });

  it('was compared with an answer of every route that reads', () => {
    const reads = api.routes.filter((route) => route.startsWith('GET ') && !NEED_BOT.has(route));
    expect(reads.filter((route) => !api.checked.has(`${route} 200`))).toEqual([]);
    expect(reads.length).toBeGreaterThan(20);
  });

  it.each([
    ['/api/v1/bots/other', 404],
    ['/api/v1/bots/made/markets?sort=wrong', 422],
    ['/api/v1/bots/made/markets/NONE', 404],
    ['/api/v1/bots/made/orders/none', 404],
    ['/api/v1/bots/made/history/orders/none', 404],
    ['/api/v1/bots/made/history/trades?cursor=x', 422],
    ['/api/v1/bots/made/history/alarms?cursor=12', 422],
    ['/api/v1/bots/made/history/orders?state=resting', 422],
    ['/api/v1/bots/made/history/pnl?by=hour', 422],
    ['/api/v1/bots/made/history/markets/M-0/chart?points=many', 422],
    ['/api/v1/bots/made/why?market=M-O&at=00:16:41', 404],
    ['/api/v1/bots/made/why/order/none', 404],
    ['/api/v1/bots/made/actions/none', 404],
    ['/api/v1/nothing', 404],
  ])('describes the problem of %s', async (path, status) => {
    const answer = await site.read(path);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ status, instance: path.split('?')[0] });
  });

  it('describes the login and its end', async () => {
    const url = `${site.server.url}/api/v1/session`;
    const cookie = await site.logIn('operator');
    const ended = await fetch(url, { method: 'DELETE', headers: site.pageHeaders(cookie) });
    expect(ended.status).toBe(204);
    await api.checkAnswer('DELETE', url, ended);
    expect((await site.send('POST', '/api/v1/session', { token: 'wrong' })).status).toBe(401);
  });

  it('describes the problem of every control that a watched bot refuses', async () => {
    const actionId = '3f0c5a53-6dbb-4d0c-9a0e-2f2d3f0a1b11';
    const controls: [method: string, path: string, body: object, status: number][] = [
      ['POST', 'halt', { scope: 'account', actionId }, 409],
      ['POST', 'resume', { scope: 'account', reason: 'why', typed: 'account', actionId }, 409],
      ['POST', 'cancel-all', { scope: 'account', actionId }, 409],
      ['POST', 'flatten/preview', {}, 409],
      ['POST', 'flatten', { previewId: actionId, typed: 'made', reason: 'why', actionId }, 409],
      ['POST', 'overrides', { limit: 'orderQtyMax', value: '5', forMs: 60_000, reason: 'why', actionId }, 409],
      ['DELETE', 'overrides/orderQtyMax', { reason: 'why', actionId }, 409],
      ['PATCH', 'actions/none', { reason: 'why' }, 404],
      ['POST', 'halt', { scope: 'account' }, 422],
    ];
    for (const [method, path, body, status] of controls) {
      site.nowMs += 1000;
      expect([path, (await site.send(method, `/api/v1/bots/made/${path}`, body)).status]).toEqual([path, status]);
    }
  });

  it('refuses an answer that lacks a member', () => {
    const validate = api.schema('components', 'schemas', 'Bots');
    expect(validate({ bots: [{ bot: 'made' }] })).toBe(false);
  });

  it('names every route that the application serves', () => {
    const described = api.routes.map((route) => route.replaceAll(/\{(\w+)\}/g, ':$1'));
    const served = site.server.app.routes
      .filter(({ method, path }) => method !== 'ALL' && path !== '/api/v1/openapi.json')
      .map(({ method, path }) => `${method} ${path}`);
    expect([...new Set(served)].sort()).toEqual(described.sort());
  });
});

describe('a client generated from the document', () => {
  it('passes the type checker', async () => {
    const clientFolder = mkdtempSync(join(ROOT, 'var', 'client-'));
    try {
      writeFileSync(join(clientFolder, 'api.d.ts'), astToString(await openapiTS(api.document as never)));
      writeFileSync(join(clientFolder, 'client.ts'), CLIENT);
      const options = {
        extends: join(ROOT, 'tsconfig.json'),
        compilerOptions: { lib: ['es2023', 'dom'], types: ['node'], paths: {} },
        include: ['client.ts'],
      };
      writeFileSync(join(clientFolder, 'tsconfig.json'), JSON.stringify(options));
      const compiler = join(ROOT, 'node_modules/typescript-native/bin/tsc');
      const checked = spawnSync(process.execPath, [compiler, '--noEmit', '-p', clientFolder], { encoding: 'utf8' });
      expect([checked.status, checked.stdout]).toEqual([0, '']);
    } finally {
      rmSync(clientFolder, { recursive: true, force: true });
    }
  });
});

describe('the reason of a control', () => {
  it('becomes one line without control characters: it is no cause to refuse a halt', () => {
    const given = {
      scope: 'account',
      actionId: '61d8fb97-205c-437c-bd2f-1e8beb1883f7',
      reason: 'one\ntwo\u001b[31m\u2028',
    };
    expect(haltBodySchema.parse(given).reason).toBe('one two [31m ');
    expect(resumeBodySchema.parse({ ...given, typed: 'account' }).reason).toBe('one two [31m ');
  });
});
