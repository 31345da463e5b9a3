// The published description of the API: every answer fits it, and a client that is generated from it works.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { Ajv2020 } from 'ajv/dist/2020.js';
import openapiTS, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../src/base/assert.ts';
import { ROOT } from '../e2e/presage.ts';
import { ConsoleSite } from './support/console-site.ts';

type Json = Record<string, unknown>;

let site: ConsoleSite;
let document: Json;
let ajv: Ajv2020;
beforeAll(async () => {
  site = await ConsoleSite.open();
  document = (await (await site.read('/api/v1/openapi.json')).json()) as Json;
  ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(document, 'api');
});
afterAll(() => site.close());

const PATHS: readonly (readonly [path: string, route: string])[] = [
  ['/api/v1/session', '/api/v1/session'],
  ['/api/v1/bots', '/api/v1/bots'],
  ['/api/v1/bots/made', '/api/v1/bots/{bot}'],
  ['/api/v1/bots/made/markets?q=market&sort=bid&from=1&to=3', '/api/v1/bots/{bot}/markets'],
  ['/api/v1/bots/made/markets?ours=true', '/api/v1/bots/{bot}/markets'],
  ['/api/v1/bots/made/markets/MARKET-00001', '/api/v1/bots/{bot}/markets/{ticker}'],
  ['/api/v1/bots/made/markets/MARKET-00001/chart?points=10', '/api/v1/bots/{bot}/markets/{ticker}/chart'],
  ['/api/v1/bots/made/orders?open=true', '/api/v1/bots/{bot}/orders'],
  ['/api/v1/bots/made/orders/s-0-1', '/api/v1/bots/{bot}/orders/{id}'],
  ['/api/v1/bots/made/orders/v-s-0-1', '/api/v1/bots/{bot}/orders/{id}'],
  ['/api/v1/bots/made/strategies', '/api/v1/bots/{bot}/strategies'],
  ['/api/v1/bots/made/risk', '/api/v1/bots/{bot}/risk'],
  ['/api/v1/bots/made/feed', '/api/v1/bots/{bot}/feed'],
  ['/api/v1/bots/made/timeline?kind=other', '/api/v1/bots/{bot}/timeline'],
  ['/api/v1/bots/made/denials?strategy=quoter', '/api/v1/bots/{bot}/denials'],
];

/** Writes a part of a JSON pointer. */
const pointed = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Checks an answer against the description of its route. */
async function expectDescribed(answer: Response, route: string, method = 'get'): Promise<Json> {
  const type = must(answer.headers.get('content-type'), 'a content type').split(';')[0] ?? '';
  const parts = ['paths', route, method, 'responses', String(answer.status), 'content', type, 'schema'].map(pointed);
  const validate = must(
    ajv.getSchema(`api#/${parts.join('/')}`),
    `a description of ${method} ${route} ${answer.status} ${type}`,
  );
  const body = (await answer.json()) as Json;
  expect([validate(body), validate.errors]).toEqual([true, null]);
  return body;
}

describe('the OpenAPI document', () => {
  it.each(PATHS)('describes the answer of %s', async (path, route) => {
    const answer = await site.read(path);
    expect(answer.status).toBe(200);
    await expectDescribed(answer, route);
  });

  it.each([
    ['/api/v1/bots/other', '/api/v1/bots/{bot}', 404],
    ['/api/v1/bots/made/markets?sort=wrong', '/api/v1/bots/{bot}/markets', 422],
    ['/api/v1/bots/made/markets/NONE', '/api/v1/bots/{bot}/markets/{ticker}', 404],
    ['/api/v1/bots/made/orders/none', '/api/v1/bots/{bot}/orders/{id}', 404],
  ])('describes the problem of %s', async (path, route, status) => {
    const answer = await site.read(path);
    expect(answer.status).toBe(status);
    const body = await expectDescribed(answer, route);
    expect(body).toMatchObject({ status, instance: path.split('?')[0] });
  });

  it('refuses an answer that lacks a member', () => {
    const validate = must(ajv.getSchema('api#/components/schemas/Bots'), 'the schema');
    expect(validate({ bots: [{ bot: 'made' }] })).toBe(false);
  });

  it('names every route that the application serves', () => {
    const described = Object.entries(document['paths'] as Record<string, Json>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    const served = site.server.app.routes
      .filter(({ method, path }) => method !== 'ALL' && path !== '/api/v1/openapi.json')
      .map(({ method, path }) => `${method} ${path}`);
    expect([...new Set(served)].sort()).toEqual(described.sort());
  });
});

/** A program that uses the generated client. It is type-checked; the wrong call in it must not pass. */
const CLIENT = `import createClient from 'openapi-fetch';
import type { paths } from './api.js';

export async function haltBot(baseUrl: string, token: string, bot: string): Promise<string | undefined> {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${token}\` } });
  const { data } = await client.GET('/api/v1/bots');
  const known: string | undefined = data?.bots[0]?.bot;
  const halted = await client.POST('/api/v1/bots/{bot}/halt', {
    params: { path: { bot: known ?? bot } },
    body: { scope: 'account', reason: 'by a generated client', actionId: crypto.randomUUID() },
  });
  const state: 'latched' | 'heard' | 'canceling' | 'confirmed' | 'failed' | undefined = halted.data?.state;
  // @ts-expect-error the body needs an actionId
  void (() => client.POST('/api/v1/bots/{bot}/halt', { params: { path: { bot } }, body: { scope: 'account' } }));
  return state;
}
`;

describe('a client generated from the document', () => {
  it('passes the type checker', async () => {
    mkdirSync(join(ROOT, 'var'), { recursive: true });
    const folder = mkdtempSync(join(ROOT, 'var', 'client-'));
    try {
      const controls = await ConsoleSite.open({ withControls: true });
      const whole = (await (await controls.read('/api/v1/openapi.json')).json()) as Json;
      await controls.close();
      writeFileSync(join(folder, 'api.d.ts'), astToString(await openapiTS(whole as never)));
      writeFileSync(join(folder, 'client.ts'), CLIENT);
      const options = {
        extends: join(ROOT, 'tsconfig.json'),
        compilerOptions: { lib: ['es2023', 'dom'], types: ['node'], paths: {} },
        include: ['client.ts'],
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));
      const compiler = join(ROOT, 'node_modules/typescript-native/bin/tsc');
      const checked = spawnSync(process.execPath, [compiler, '--noEmit', '-p', folder], { encoding: 'utf8' });
      expect([checked.status, checked.stdout]).toEqual([0, '']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
