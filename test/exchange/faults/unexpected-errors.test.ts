// A server over real sockets survives requests with odd names, and unexpected errors of its own: it answers them, logs
// them, and goes on.
import { describe, expect, it, vi } from 'vitest';
import { EndpointRoutes } from '../../../src/exchange/api/endpoint-routes.ts';
import { SignatureAuthentication } from '../../../src/exchange/api/authentication.ts';
import { NO_FAULTS } from '../../../src/exchange/faults/fault-injector.ts';
import { logTo } from '../../../src/log.ts';
import { profileByName, profileNames } from '../../../src/venues/trade-api/profiles/profile-registry.ts';
import { type TestServer, startTestServer } from '../api/test-server.ts';

const profiles = profileNames().flatMap((name) => profileByName(name) ?? []);
const ODD_NAMES = Object.getOwnPropertyNames(Object.prototype);

describe('a query with the name of a member that every object has', () => {
  it.each(profiles.map((profile) => [profile.name, profile] as const))('is answered: %s', async (_name, profile) => {
    const server = await startTestServer({ profile, keys: [] });
    expect(ODD_NAMES).toContain('__proto__');
    for (const name of ODD_NAMES) {
      const { status, body } = await server.request(`GET /markets?${name}=1&limit=2&${name}=2`);
      expect([name, status, body.rows('markets').length]).toEqual([name, 200, 2]);
      expect([name, (await server.request(`GET /markets/${name}`)).status]).toEqual([name, 404]);
      expect([name, (await server.request(`GET /${name}?${name}=1`)).status]).toEqual([name, 404]);
    }
  });
});

const INTERNAL = '{"error":{"code":"internal_server_error","message":"internal server error"}}';

const fail = (): never => {
  throw new TypeError('unexpected');
};

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly err?: { readonly message: string };
}

/** The answer to a request whose handling fails, its errors in the log, and the answer to the next request. */
async function answersAround(start: Parameters<typeof startTestServer>[0], breakNext: (server: TestServer) => void) {
  const lines: Line[] = [];
  const log = logTo({ write: (text) => void lines.push(JSON.parse(text) as Line) });
  const server = await startTestServer({ ...start, log });
  breakNext(server);
  const failed = await server.placeOrder('ann');
  const next = await server.placeOrder('ann');
  const errors = lines.filter(({ level }) => level >= 50).map(({ msg, err }) => `${msg}: ${err?.message}`);
  return { failed: [failed.status, failed.text], errors, next: next.status };
}

describe('an unexpected error of one request', () => {
  const expected = { failed: [500, INTERNAL], errors: ['request failed: unexpected'], next: 201 };

  it('is answered and logged when its route is looked up', async () => {
    const breakNext = () => void vi.spyOn(EndpointRoutes.prototype, 'findRoute').mockImplementationOnce(fail);
    expect(await answersAround({}, breakNext)).toEqual(expected);
  });

  it('is answered and logged when its signature is looked up', async () => {
    const breakNext = () =>
      void vi.spyOn(SignatureAuthentication.prototype, 'signatureOf').mockImplementationOnce(fail);
    expect(await answersAround({}, breakNext)).toEqual(expected);
  });

  it('is answered and logged when it is handled', async () => {
    const faults = { ...NO_FAULTS };
    const breakNext = () => void vi.spyOn(faults, 'onRequest').mockImplementationOnce(fail);
    expect(await answersAround({ faults }, breakNext)).toEqual(expected);
  });

  it('is answered and logged when a feed is opened', async () => {
    const lines: Line[] = [];
    const log = logTo({ write: (text) => void lines.push(JSON.parse(text) as Line) });
    const server = await startTestServer({ log });
    vi.spyOn(SignatureAuthentication.prototype, 'authenticate').mockImplementationOnce(fail);
    await expect(server.openFeed('ann')).rejects.toThrow(`500 ${INTERNAL}`);
    expect(lines.filter(({ level }) => level >= 50).map(({ msg }) => msg)).toEqual(['feed request failed']);
    expect((await server.openFeed('ann')).closed).toBeNull();
  });
});
