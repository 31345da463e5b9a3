// The routes that say why, over HTTP and from a journal on disk: answers as the description says, and problems.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must } from '../../src/base/assert.ts';
import { version } from '../../src/app/package-version.ts';
import { type RunningConsole, startConsole } from '../../src/console/server/console-run.ts';
import { makeSecret } from '../../src/console/security/token-file.ts';
import { fileStorage } from '../../src/tape/journal/file-storage.ts';
import { whyAnswerSchema, whyOrderSchema } from '../../src/why/why-answer.ts';
import { StagedSession } from '../why/staged-session.ts';

type Json = Record<string, unknown>;

const token = makeSecret();
/** Inside the project, as a strategy's file is found from the journal's folder. */
let folder = '';
let running: RunningConsole | null = null;
beforeEach(() => {
  mkdirSync('var', { recursive: true });
  folder = mkdtempSync(join(process.cwd(), 'var', 'why-routes-'));
  writeFileSync(join(folder, 'console.token'), `reader-name reader ${token}\n`, { mode: 0o600 });
});
afterEach(async () => {
  await running?.close();
  running = null;
  rmSync(folder, { recursive: true, force: true });
});

/** Writes the journal of a session that trades for three seconds. */
async function traded(): Promise<StagedSession> {
  const file = join(folder, 'maker.ts');
  writeFileSync(file, `export { stagedMaker as default } from '${join(process.cwd(), 'test/why/staged-maker.ts')}';\n`);
  const storage = fileStorage(join(folder, 'journal'));
  const session = await StagedSession.open({ storage, version, file });
  session.startTrading().run(3000);
  await session.close();
  return session;
}

/** Starts a console of the folder; returns a function that reads a path of its bot. */
async function start(): Promise<(path: string) => Promise<Response>> {
  running = await startConsole({ configs: [], folders: [folder], listen: '127.0.0.1:0' });
  const { url } = running.server;
  const bot = must(running.bots[0], 'a bot').name;
  const headers = { Authorization: `Bearer ${token}` };
  return (path) => fetch(`${url}/api/v1${path === '' ? '/openapi.json' : `/bots/${bot}${path}`}`, { headers });
}

const jsonOf = async (answer: Response): Promise<Json> => (await answer.json()) as Json;

/** Checks that a body fits the description of a route's answer. */
function expectDescribed(document: Json, [route, status, type]: readonly [string, number, string], body: Json): void {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(document, 'api');
  const parts = ['paths', route, 'get', 'responses', String(status), 'content', type, 'schema'];
  const pointer = parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const validate = must(ajv.getSchema(`api#/${pointer}`), 'a description');
  expect([validate(body), validate.errors]).toEqual([true, null]);
}

const ROUTE = '/api/v1/bots/{bot}/why';
const MOMENT = '2001-09-09T01:46:41Z';

describe('GET /bots/{b}/why', () => {
  it('answers for each strategy as the description says', async () => {
    const session = await traded();
    const read = await start();
    const at = new Date(session.now / 1000 - 1000).toISOString();
    const answer = await read(`/why?market=M-0&at=${at}`);
    expect(answer.status).toBe(200);
    const body = await jsonOf(answer);
    expectDescribed(await jsonOf(await read('')), [ROUTE, 200, 'application/json'], body);
    const [first, ...more] = (body['answers'] as unknown[]).map((each) => whyAnswerSchema.parse(each));
    expect(more).toEqual([]);
    expect(first).toMatchObject({ ticker: 'M-0', strategy: 'maker', source: 'replay' });
    expect(first?.sentence).toContain('maker');
    expect(first?.steps.find(({ check }) => check === 'session')?.result).toBe('pass');
    const named = await jsonOf(await read(`/why?market=M-0&at=00:16:40&strategy=maker`));
    expect(named['answers']).toMatchObject([{ isTraded: true, strategy: 'maker' }]);
  });

  it.each([
    ['/why?market=M-O&at=00:16:41', 404, /no market M-O was in this session; nearest names: M-0/],
    ['/why?market=M-0&at=00:16:41&strategy=other', 404, /strategy: expected one of maker, found "other"/],
    ['/why?market=M-0&at=00:16:41&session=other', 404, /session: expected one of the journal's, such as s/],
    ['/why?market=M-0&at=noon', 422, /expected a moment such as/],
    ['/why?at=00:16:41', 422, /does not fit its schema/],
  ])('answers %s with the problem %i', async (path, status, detail) => {
    await traded();
    const read = await start();
    const answer = await read(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
    const body = await jsonOf(answer);
    expectDescribed(await jsonOf(await read('')), [ROUTE, status, 'application/problem+json'], body);
    expect(body['detail']).toMatch(detail);
  });

  it('says that a bot has no journal, without its path', async () => {
    const read = await start();
    const body = await jsonOf(await read(`/why?market=M-0&at=${MOMENT}`));
    expect(body).toMatchObject({ status: 404, detail: 'this bot has no journal yet' });
    expect(JSON.stringify(body)).not.toContain(process.cwd());
  });

  it('says in its log alone why a journal cannot be replayed', async () => {
    await traded();
    writeFileSync(join(folder, 'maker.ts'), 'export default null;\n');
    const read = await start();
    const body = await jsonOf(await read('/why?market=M-0&at=00:16:41'));
    expect(body).toMatchObject({ status: 503, code: 'no-history' });
    expect(JSON.stringify(body)).not.toContain(process.cwd());
  });

  it('keeps a few questions waiting, and refuses more', async () => {
    await traded();
    const read = await start();
    const answers = await Promise.all(Array.from({ length: 12 }, () => read('/why?market=M-0&at=00:16:41')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused)
      expect((await jsonOf(answer))['detail']).toBe('other questions are still being answered');
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(12 - refused.length);
    expect((await read('/why?market=M-0&at=00:16:41')).status).toBe(200);
  });
});

describe('GET /bots/{b}/why/order/{id}', () => {
  it('follows an order as the description says', async () => {
    const session = await traded();
    const id = must(session.places()[0], 'an order').clientOrderId;
    const read = await start();
    const answer = await read(`/why/order/${id}`);
    expect(answer.status).toBe(200);
    const body = await jsonOf(answer);
    expectDescribed(await jsonOf(await read('')), [`${ROUTE}/order/{id}`, 200, 'application/json'], body);
    const { clientOrderId, hops } = whyOrderSchema.parse(body);
    expect([clientOrderId, hops[0]?.what]).toEqual([id, 'cause']);
  });

  it('names the nearest ids for an order that was not sent', async () => {
    await traded();
    const read = await start();
    const answer = await read('/why/order/s-0-zz');
    expect([answer.status, (await jsonOf(answer))['detail']]).toEqual([
      404,
      expect.stringMatching(/nearest ids: s-0-/),
    ]);
  });
});
