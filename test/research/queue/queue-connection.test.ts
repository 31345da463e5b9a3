// The first connection to a queue: a server that does not answer is refused with a reason, and one that needs no login is known.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, type Server, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TlsOptions, createServer as createTlsServer } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { QueueAddress } from '../../../src/research/queue/queue-address.ts';
import { needsNoLogin, openConnection } from '../../../src/research/queue/queue-connection.ts';
import { REDIS_MISSING, RedisServer } from '../../support/queue/redis-server.ts';

const ANSWER_MS = 50;
const addressAt = (port: number, more: Partial<QueueAddress> = {}): QueueAddress => ({
  host: '127.0.0.1',
  port,
  db: 0,
  isEncrypted: false,
  username: undefined,
  password: undefined,
  secret: 'a secret of sixteen characters or more',
  text: `redis://127.0.0.1:${port}`,
  ...more,
});

describe('a server that accepts and never answers', () => {
  let silent: Server;
  let port: number;
  beforeAll(async () => {
    silent = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => {
      silent.listen(0, '127.0.0.1', resolve);
    });
    // tidy: as (a server that listens on a port has such an address)
    ({ port } = silent.address() as AddressInfo);
  });
  afterAll(() => silent.close());

  it('is refused', async () => {
    await expect(openConnection(addressAt(port), ANSWER_MS)).rejects.toThrow(
      /expected a Redis server, found: no answer within 0\.05 s$/,
    );
  });

  it('is refused with a word on encryption where that may be the reason', async () => {
    const encrypted = addressAt(port, { isEncrypted: true, text: `rediss://127.0.0.1:${port}` });
    await expect(openConnection(encrypted, ANSWER_MS)).rejects.toThrow(
      /found: no answer within 0\.05 s; a server without TLS has an address with redis:\/\/$/,
    );
  });
});

describe('a server that closes the connection', () => {
  it('is refused with a word on encryption where that may be the reason', async () => {
    const closing = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => {
      closing.listen(0, '127.0.0.1', resolve);
    });
    // tidy: as (a server that listens on a port has such an address)
    const { port } = closing.address() as AddressInfo;
    await expect(openConnection(addressAt(port))).rejects.toThrow(
      /found: it closes the connection; a server with TLS has an address with rediss:\/\/$/,
    );
    closing.close();
  });
});

describe('a server with TLS', () => {
  let folder = '';
  let tls: { readonly key: Buffer; readonly cert: Buffer };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'presage-tls-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
    execFileSync('openssl', [...args, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    tls = { key: readFileSync(key), cert: readFileSync(cert) };
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(() => vi.unstubAllEnvs());

  /** The refusal of a server, by a connection with or without TLS. */
  async function refusalOf(options: TlsOptions, isEncrypted: boolean): Promise<string> {
    const server = createTlsServer({ ...tls, ...options });
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    // tidy: as (a server that listens on a port has such an address)
    const { port } = server.address() as AddressInfo;
    try {
      const opened = await openConnection(addressAt(port, { isEncrypted }));
      opened.disconnect();
      return '';
    } catch (fault) {
      return String(fault);
    } finally {
      server.close();
    }
  }

  it('with a certificate of an unknown authority is refused, with the way to name the authority', async () => {
    expect(await refusalOf({}, true)).toMatch(
      /self-signed certificate; for an authority of your own, set NODE_EXTRA_CA_CERTS/,
    );
  });

  it('that asks its clients for a certificate is refused, with the setting that turns this off', async () => {
    // The connection must get past the server's own certificate.
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const wanting = { requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.3' } as const;
    expect(await refusalOf(wanting, true)).toMatch(
      /closes the connection; it may ask its clients for a certificate, .*`tls-auth-clients no`/,
    );
  });

  it('is refused by an address without TLS, with the right address', async () => {
    expect(await refusalOf({}, false)).toMatch(
      /closes the connection; a server with TLS has an address with rediss:\/\/$/,
    );
  });
});

describe.skipIf(REDIS_MISSING !== null)('a password', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.close());

  it('is needless where the server answers without a login, and where there is none no question', async () => {
    expect(await needsNoLogin(addressAt(server.port, { password: 'anything' }))).toBe(true);
    expect(await needsNoLogin(addressAt(server.port))).toBe(false);
  });

  it('is needed where the server asks for one', async () => {
    await server.ask((redis) => redis.config('SET', 'requirepass', 'needed'));
    expect(await needsNoLogin(addressAt(server.port, { password: 'needed' }))).toBe(false);
  });
});
