// The console's own safeguards, over a real socket: each request that must not pass is refused, and the same request
// without its fault passes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECURITY_HEADERS } from '../../src/console/security/security-headers.ts';
import { ConsoleSite } from './support/console-site.ts';

let site: ConsoleSite;
let cookie = '';
let readerCookie = '';
beforeAll(async () => {
  site = await ConsoleSite.open();
  cookie = await site.logIn('operator');
  readerCookie = await site.logIn('reader');
});
afterAll(() => site.close());

/** The text of a request. A header of the value `null` is left out. */
function requestText(
  method: string,
  target: string,
  [headers = {}, body = '']: [headers?: Record<string, string | null>, body?: string] = [],
): string {
  const all: Record<string, string | null> = {
    Host: `127.0.0.1:${site.port}`,
    Cookie: cookie,
    Connection: 'close',
    ...(body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  return `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

const codeOf = (text: string): unknown => (JSON.parse(text) as { code: unknown }).code;

/** A change of one request that is right as it is: `GET /api/v1/bots` with a cookie. */
interface ReadingRow {
  readonly what: string;
  readonly headers?: () => Record<string, string | null>;
  readonly target?: string;
  readonly method?: string;
  readonly status: number;
  readonly code: string;
}

const READING: readonly ReadingRow[] = [
  { what: 'another host', headers: () => ({ Host: 'evil.example' }), status: 421, code: 'wrong-host' },
  {
    what: 'another host with our port',
    headers: () => ({ Host: `evil.example:${site.port}` }),
    status: 421,
    code: 'wrong-host',
  },
  { what: 'our host without the port', headers: () => ({ Host: '127.0.0.1' }), status: 421, code: 'wrong-host' },
  { what: 'our host with another port', headers: () => ({ Host: '127.0.0.1:1' }), status: 421, code: 'wrong-host' },
  {
    what: 'our host with a dot',
    headers: () => ({ Host: `localhost.:${site.port}` }),
    status: 421,
    code: 'wrong-host',
  },
  { what: 'no host', headers: () => ({ Host: null }), status: 421, code: 'wrong-host' },
  {
    what: 'two hosts',
    headers: () => ({ Host: `127.0.0.1:${site.port}\r\nHost: 127.0.0.1:${site.port}` }),
    status: 421,
    code: 'wrong-host',
  },
  { what: 'another origin', headers: () => ({ Origin: 'http://evil.example' }), status: 403, code: 'wrong-origin' },
  { what: 'the origin null', headers: () => ({ Origin: 'null' }), status: 403, code: 'wrong-origin' },
  {
    what: 'our origin by https',
    headers: () => ({ Origin: `https://127.0.0.1:${site.port}` }),
    status: 403,
    code: 'wrong-origin',
  },
  {
    what: 'our origin by another name',
    headers: () => ({ Origin: `http://localhost:${site.port}` }),
    status: 403,
    code: 'wrong-origin',
  },
  {
    what: 'a page of another site',
    headers: () => ({ 'Sec-Fetch-Site': 'cross-site' }),
    status: 403,
    code: 'wrong-origin',
  },
  {
    what: 'a page of the same site',
    headers: () => ({ 'Sec-Fetch-Site': 'same-site' }),
    status: 403,
    code: 'wrong-origin',
  },
  { what: 'no cookie', headers: () => ({ Cookie: null }), status: 401, code: 'not-logged-in' },
  {
    what: 'a made-up cookie',
    headers: () => ({ Cookie: `presage-${site.port}=${'x'.repeat(43)}` }),
    status: 401,
    code: 'not-logged-in',
  },
  {
    what: 'the cookie of another port',
    headers: () => ({ Cookie: cookie.replace(/presage-\d+/, 'presage-1') }),
    status: 401,
    code: 'not-logged-in',
  },
  {
    what: 'two cookies',
    headers: () => ({ Cookie: `${cookie}; ${readerCookie}` }),
    status: 401,
    code: 'not-logged-in',
  },
  { what: 'the method OPTIONS', method: 'OPTIONS', status: 405, code: 'method-not-allowed' },
  { what: 'the method PUT', method: 'PUT', status: 405, code: 'method-not-allowed' },
  { what: 'an absolute target', target: 'http://evil.example/api/v1/bots', status: 400, code: 'unreadable' },
  { what: 'a dot segment', target: '/api/v1/../v1/bots', status: 400, code: 'unreadable' },
  { what: 'an encoded dot segment', target: '/api/v1/%2e%2e/v1/bots', status: 400, code: 'unreadable' },
  { what: 'an encoded slash', target: '/api/v1%2fbots', status: 400, code: 'unreadable' },
  { what: 'an encoded backslash', target: '/api/v1/%5Cbots', status: 400, code: 'unreadable' },
  { what: 'a backslash', target: '/api/v1\\bots', status: 400, code: 'unreadable' },
  { what: 'an encoded zero', target: '/api/v1/bots%00', status: 400, code: 'unreadable' },
  { what: 'a broken encoding', target: '/api/v1/bots%zz', status: 400, code: 'unreadable' },
  { what: 'an empty segment', target: '//api/v1/bots', status: 400, code: 'unreadable' },
  { what: 'a path that is not there', target: '/api/v1/nothing', status: 404, code: 'not-found' },
  { what: 'a path in capitals', target: '/API/v1/bots', status: 404, code: 'not-found' },
  { what: 'a bot that is not there', target: '/api/v1/bots/other', status: 404, code: 'not-found' },
];

describe('a request that reads', () => {
  it('is answered when nothing is wrong with it', async () => {
    const answer = await site.raw(requestText('GET', '/api/v1/bots', [{ 'Sec-Fetch-Site': 'same-origin' }]));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it.each(READING)(
    'is refused with $what',
    async ({ headers, target = '/api/v1/bots', method = 'GET', status, code }) => {
      const answer = await site.raw(requestText(method, target, [headers?.() ?? {}]));
      expect([answer.status, codeOf(answer.text)]).toEqual([status, code]);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
    },
  );

  it('is refused with more than a hundred headers, and with too long headers', async () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`X-${i}`, '1']));
    expect((await site.raw(requestText('GET', '/api/v1/bots', [many]))).status).toBe(431);
    expect((await site.raw(requestText('GET', '/api/v1/bots', [{ 'X-Long': 'a'.repeat(17_000) }]))).status).toBe(431);
    expect((await site.raw(requestText('GET', `/api/v1/bots?${'a'.repeat(9000)}`))).status).toBe(431);
  });
});

/** A change of one request that is right as it is: a logout with cookie, origin and type. */
const CHANGING: readonly ReadingRow[] = [
  { what: 'no origin', headers: () => ({ Origin: null }), status: 403, code: 'wrong-origin' },
  { what: 'another origin', headers: () => ({ Origin: 'http://evil.example' }), status: 403, code: 'wrong-origin' },
  { what: 'a form’s type', headers: () => ({ 'Content-Type': 'text/plain' }), status: 415, code: 'not-json' },
  {
    what: 'a type with a parameter',
    headers: () => ({ 'Content-Type': 'application/json; charset=utf-8' }),
    status: 415,
    code: 'not-json',
  },
  { what: 'no type', headers: () => ({ 'Content-Type': null }), status: 415, code: 'not-json' },
  {
    what: 'two types',
    headers: () => ({ 'Content-Type': 'application/json\r\nContent-Type: text/plain' }),
    status: 400,
    code: 'unreadable',
  },
  { what: 'a length beyond the bound', headers: () => ({ 'Content-Length': '70000' }), status: 413, code: 'too-large' },
];

describe('a request that changes something', () => {
  const login = (headers: Record<string, string | null>, body: string): string =>
    requestText('POST', '/api/v1/session', [
      { Cookie: null, Origin: site.server.url, 'Content-Type': 'application/json', ...headers },
      body,
    ]);
  const rightBody = (): string => JSON.stringify({ token: site.tokens.operator });

  it('is carried out when nothing is wrong with it', async () => {
    const answer = await site.raw(login({}, rightBody()));
    expect(answer.status).toBe(204);
    expect(answer.headers.get('set-cookie')).toMatch(
      new RegExp(`^presage-${site.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    );
  });

  it.each(CHANGING)('is refused with $what', async ({ headers, status, code }) => {
    const answer = await site.raw(login(headers?.() ?? {}, rightBody()));
    expect([answer.status, codeOf(answer.text)]).toEqual([status, code]);
  });

  it('is refused when a chunked body is longer than the bound', async () => {
    const chunk = `${(70_000).toString(16)}\r\n${' '.repeat(70_000)}\r\n0\r\n\r\n`;
    const text = login({ 'Transfer-Encoding': 'chunked' }, '') + chunk;
    const answer = await site.raw(text);
    expect([answer.status, codeOf(answer.text)]).toEqual([413, 'too-large']);
  });

  it('is refused when its body is not JSON, or does not fit the schema', async () => {
    expect((await site.raw(login({}, '{'))).status).toBe(400);
    const answer = await site.raw(login({}, JSON.stringify({ token: 5, secret: 'abcdef' })));
    expect(answer.status).toBe(422);
    expect(answer.text).not.toContain('abcdef');
  });

  it('is refused for a reader, and with a scrape token', async () => {
    const path = '/api/v1/bots/made/halt';
    const headers = { Origin: site.server.url, 'Content-Type': 'application/json', Cookie: readerCookie };
    const answer = await site.raw(requestText('POST', path, [headers, '{}']));
    expect([answer.status, codeOf(answer.text)]).toEqual([403, 'wrong-role']);
    expect((await site.read('/api/v1/bots', 'scrape')).status).toBe(403);
  });

  it('needs no origin with a bearer, which no other page can add', async () => {
    const headers = {
      Cookie: null,
      'Content-Type': 'application/json',
      Authorization: `Bearer ${site.tokens.operator}`,
    };
    expect((await site.raw(requestText('DELETE', '/api/v1/session', [headers]))).status).toBe(204);
    expect(
      (await site.raw(requestText('DELETE', '/api/v1/session', [{ ...headers, Origin: 'http://evil.example' }])))
        .status,
    ).toBe(403);
  });
});

describe('an answer', () => {
  it.each(['/', '/api/v1/bots', '/api/v1/nothing', '/healthz', '/nothing.js'])(
    'of %s carries every header of the site',
    async (path) => {
      const answer = await site.raw(requestText('GET', path));
      for (const [name, value] of Object.entries(SECURITY_HEADERS))
        expect(answer.headers.get(name.toLowerCase())).toBe(value);
      for (const name of ['server', 'x-powered-by', 'access-control-allow-origin'])
        expect(answer.headers.has(name)).toBe(false);
    },
  );

  it('never names a path of the machine, a stack or a token', async () => {
    for (const target of ['/api/v1/bots/%7B%7D', '/api/v1/bots/made/markets?from=x', '/api/v1/bots/made/orders/none']) {
      const { text } = await site.raw(requestText('GET', target));
      expect(text).not.toContain(site.folder);
      expect(text).not.toMatch(/\bat .+:\d+:\d+|node_modules/);
      for (const token of Object.values(site.tokens)) expect(text).not.toContain(token);
    }
  });
});
