// Tokens, logins, one-time codes and the bounds of tries: who is let in, and for how long.
import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CODE_MS_MAX,
  IDLE_MS_MAX,
  LOGIN_MS_MAX,
  LoginSessions,
  OneTimeCodes,
} from '../../src/console/security/login-sessions.ts';
import { RateBound, WrongTokens } from '../../src/console/security/rate-bounds.ts';
import { TokenFile, makeSecret, parseTokens } from '../../src/console/security/token-file.ts';
import { ConsoleSite } from './support/console-site.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-token-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NO_HOOKS = { onChange: () => undefined, onFault: () => undefined };
const open = (file = 'console.token'): TokenFile => new TokenFile(join(folder, file), NO_HOOKS);

describe('the token file', () => {
  it('is made at the first start, for its owner alone, with one operator', () => {
    const tokens = open('new/console.token');
    expect(statSync(join(folder, 'new/console.token')).mode & 0o777).toBe(0o600);
    expect(tokens.firstOperator()?.role).toBe('operator');
    expect(open('new/console.token').firstOperator()).toEqual(tokens.firstOperator());
  });

  it('is refused when others may read it, when it is a link, and when it is a folder', () => {
    open();
    chmodSync(join(folder, 'console.token'), 0o640);
    expect(() => open()).toThrow('found mode 640 (chmod 600 it)');
    chmodSync(join(folder, 'console.token'), 0o600);
    symlinkSync(join(folder, 'console.token'), join(folder, 'link'));
    expect(() => open('link')).toThrow('found a symbolic link');
    expect(() => open('.')).toThrow('expected a plain file');
  });

  it('is refused with the number of a wrong line, and never with its text', () => {
    const token = makeSecret();
    const faultsOf = (text: string): string[] => parseTokens(text, 'f').faults.map(({ message }) => message);
    expect(faultsOf(`# people\nana operator ${token}\nbob boss ${token}\n`)).toEqual([
      expect.stringMatching(/^f:3: expected a name/),
    ]);
    expect(faultsOf(`bob boss ${token}`).join(' ')).not.toContain(token);
    expect(faultsOf(`bob operator ${token.slice(1)}`)).toEqual([expect.stringContaining('f:1: expected a name')]);
    expect(faultsOf('# nothing\n')).toEqual([expect.stringContaining('found none')]);
    writeFileSync(join(folder, 'console.token'), `bob operator ${token.slice(1)}\n`, { mode: 0o600 });
    expect(() => open()).toThrow('console.token:1: expected a name');
  });

  it('keeps the persons of its right lines when a wrong line is added, and reports that line', () => {
    const [first, second] = [makeSecret(), 'ab'.repeat(32)];
    const file = join(folder, 'console.token');
    writeFileSync(file, `ana operator ${first}\n`, { mode: 0o600 });
    const faults: string[] = [];
    const tokens = new TokenFile(file, { ...NO_HOOKS, onFault: (message) => faults.push(message) });
    writeFileSync(file, `ana operator ${first}\nbob reader tooshort\ncleo reader ${second}\n`);
    expect(tokens.personOf(first)).toEqual({ name: 'ana', role: 'operator' });
    expect(tokens.personOf(second)).toEqual({ name: 'cleo', role: 'reader' });
    expect(faults).toEqual([expect.stringMatching(/console\.token:2: expected a name/)]);
    chmodSync(file, 0o644);
    expect(tokens.personOf(first)).toBeNull();
    expect(faults.at(-1)).toContain('found mode 644');
  });

  it('lets in the person of a line, and after a change only those of the new lines', () => {
    const [first, second] = [makeSecret(), makeSecret()];
    const file = join(folder, 'console.token');
    writeFileSync(file, `ana reader ${first}\n`, { mode: 0o600 });
    let changes = 0;
    const tokens = new TokenFile(file, { ...NO_HOOKS, onChange: () => (changes += 1) });
    expect(tokens.personOf(first)).toEqual({ name: 'ana', role: 'reader' });
    expect(tokens.personOf(second)).toBeNull();
    writeFileSync(file, `bob operator ${second}\nana reader ${makeSecret()}\n`);
    expect(tokens.personOf(first)).toBeNull();
    expect(tokens.personOf(second)).toEqual({ name: 'bob', role: 'operator' });
    expect(changes).toBe(1);
    rmSync(file);
    expect(tokens.personOf(second)).toBeNull();
  });
});

describe('a login', () => {
  const ana = { name: 'ana', role: 'reader' } as const;

  it('ends after idle hours, and after days although it is used', () => {
    const logins = new LoginSessions();
    const id = logins.beginLogin(ana, 0);
    expect(logins.useLogin(id, IDLE_MS_MAX - 1)?.person).toEqual(ana);
    expect(logins.useLogin(id, 2 * IDLE_MS_MAX)).toBeNull();
    const other = logins.beginLogin(ana, 0);
    let nowMs = 0;
    for (; nowMs < LOGIN_MS_MAX - 1; nowMs += IDLE_MS_MAX / 2) expect(logins.useLogin(other, nowMs)).not.toBeNull();
    expect(logins.useLogin(other, LOGIN_MS_MAX)).toBeNull();
  });

  it('is not known by another id, and never by its key', () => {
    const logins = new LoginSessions();
    const id = logins.beginLogin(ana, 0);
    const key = logins.useLogin(id, 1)?.key ?? '';
    expect(logins.useLogin(key, 1)).toBeNull();
    expect(logins.useLogin(id.slice(1), 1)).toBeNull();
    logins.endLogin(id);
    expect(logins.isInForce(key, 1)).toBe(false);
  });

  it('holds at most five hundred, the oldest of which end', () => {
    const logins = new LoginSessions();
    const ids = Array.from({ length: 600 }, (_, i) => logins.beginLogin(ana, i));
    expect(ids.filter((id) => logins.useLogin(id, 1000) !== null)).toHaveLength(500);
  });

  it('begins once with a code, within a minute', () => {
    const codes = new OneTimeCodes();
    const [first, second] = [codes.issueCode(0), codes.issueCode(0)];
    expect([codes.redeemCode(first, 1), codes.redeemCode(first, 2)]).toEqual([true, false]);
    expect(codes.redeemCode(second, CODE_MS_MAX)).toBe(false);
    expect(codes.redeemCode('made-up', 1)).toBe(false);
  });
});

describe('a bound of rates', () => {
  it('says how long to wait, and lets the next one through then', () => {
    const bound = new RateBound(4, 4);
    expect([1, 2, 3, 4].map(() => bound.useUnit('a', 0))).toEqual([0, 0, 0, 0]);
    const waitMs = bound.useUnit('a', 0);
    expect(waitMs).toBe(250);
    expect(bound.useUnit('b', 0)).toBe(0);
    expect(bound.useUnit('a', waitMs)).toBe(0);
  });

  it('makes wrong tokens of an address wait after five, each time for twice as long', () => {
    const wrong = new WrongTokens();
    let nowMs = 0;
    for (const minutes of [1, 2, 4, 8]) {
      for (let i = 0; i < 5; i++) wrong.countWrong('a', nowMs);
      expect(wrong.waitMs('a', nowMs)).toBe(minutes * 60_000);
      nowMs += minutes * 60_000;
      expect(wrong.waitMs('a', nowMs)).toBe(0);
    }
    expect(wrong.waitMs('b', nowMs)).toBe(0);
  });
});

describe('the console', () => {
  let site: ConsoleSite;
  beforeEach(async () => {
    site = await ConsoleSite.open();
  });
  afterEach(() => site.close());

  const logIn = (body: object): Promise<Response> =>
    fetch(`${site.server.url}/api/v1/session`, {
      method: 'POST',
      headers: { Origin: site.server.url, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('makes wrong tokens of an address wait after five, and never a right token, code or cookie', async () => {
    const cookie = await site.logIn('reader');
    for (let i = 0; i < 5; i++) expect((await logIn({ token: makeSecret() })).status).toBe(401);
    const waiting = await logIn({ token: makeSecret() });
    expect(waiting.status).toBe(429);
    expect(Number(waiting.headers.get('retry-after'))).toBeGreaterThan(50);
    expect((await logIn({ code: makeSecret() })).status).toBe(429);
    expect((await site.read('/api/v1/bots')).status).toBe(200);
    expect((await fetch(`${site.server.url}/api/v1/bots`, { headers: { Cookie: cookie } })).status).toBe(200);
    const code = new URL(site.server.loginLink()).hash.slice('#login='.length);
    expect((await logIn({ code })).status).toBe(204);
    for (let i = 0; i < 6; i++) await logIn({ token: makeSecret() });
    expect((await logIn({ token: site.tokens.operator })).status).toBe(204);
  });

  it('logs in by the code of its link, once, and a login with the scrape token is refused', async () => {
    const code = new URL(site.server.loginLink()).hash.slice('#login='.length);
    expect((await logIn({ code })).status).toBe(204);
    expect((await logIn({ code })).status).toBe(401);
    expect((await logIn({ token: site.tokens.scrape })).status).toBe(401);
    expect((await logIn({ token: code })).status).toBe(401);
  });

  it('ends every login when the token file changes', async () => {
    const cookie = await site.logIn('operator');
    const read = (): Promise<Response> => fetch(`${site.server.url}/api/v1/session`, { headers: { Cookie: cookie } });
    expect(((await (await read()).json()) as { name: string }).name).toBe('operator-name');
    writeFileSync(join(site.folder, 'console.token'), `bob operator ${makeSecret()}\nwrong line\n`);
    expect((await read()).status).toBe(401);
    expect(site.log.join('')).toContain('console.token:2: expected a name');
  });

  it('bounds the requests of a login, and never a halt', async () => {
    const cookie = await site.logIn('operator');
    const headers = site.pageHeaders(cookie);
    const reads = await Promise.all(
      Array.from({ length: 60 }, () => fetch(`${site.server.url}/api/v1/bots`, { headers: { Cookie: cookie } })),
    );
    const statuses = reads.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(40);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
    const post = (path: string): Promise<Response> =>
      fetch(`${site.server.url}/api/v1/bots/made/${path}`, { method: 'POST', headers, body: '{}' });
    // These routes are not served here: what matters is that the bound did not refuse them.
    expect((await post('halt')).status).toBe(404);
    expect((await post('cancel-all')).status).toBe(429);
  });
});
