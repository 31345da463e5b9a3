// Where the console may listen, and how it is reached: loopback, TLS, a named proxy, a unix socket; and the page's files.
import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { consoleDefaults, isLoopbackListen, parseListen, readConsoleConfig } from '../../src/config/console-config.ts';
import { PageFiles } from '../../src/console/server/page-files.ts';
import { siteAddress } from '../../src/console/server/console-server.ts';
import { ConsoleSite } from './support/console-site.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-site-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const settings = (text: string) => {
  const file = join(folder, 'console.yaml');
  writeFileSync(file, text);
  return readConsoleConfig(file);
};

describe('the address of the console', () => {
  it.each([
    ['127.0.0.1:8765', { type: 'tcp', host: '127.0.0.1', port: 8765 }],
    ['localhost:0', { type: 'tcp', host: 'localhost', port: 0 }],
    ['[::1]:80', { type: 'tcp', host: '::1', port: 80 }],
    ['unix:/run/console.sock', { type: 'unix', path: '/run/console.sock' }],
    ['example.com:80', null],
    ['127.0.0.1', null],
    ['127.0.0.1:70000', null],
    ['[nonsense]:80', null],
    ['unix:', null],
    ['', null],
  ])('reads %j', (text, expected) => {
    expect(parseListen(text)).toEqual(expected);
  });

  it('is of this machine alone, unless TLS or a proxy is named', () => {
    for (const text of ['0.0.0.0:80', '[::]:80', '192.168.1.5:80'])
      expect([isLoopbackListen(parseListen(text)!), text]).toEqual([false, text]);
    for (const text of ['127.9.9.9:80', 'localhost:80', '[::1]:80', 'unix:/x'])
      expect([isLoopbackListen(parseListen(text)!), text]).toEqual([true, text]);
    expect(() => settings('listen: 0.0.0.0:8765')).toThrow('unless tls or behindProxy is set');
    expect(settings('listen: 0.0.0.0:8765\ntls: { cert: a.pem, key: b.pem }').tls?.cert).toBe(join(folder, 'a.pem'));
    expect(() => settings('behindProxy: { host: x.net, trusted: [proxy.local] }')).toThrow(
      'a range such as 172.16.0.0/12',
    );
    expect(() => settings('behindProxy: { host: x.net, trusted: [10.0.0.0/33] }')).toThrow('a range');
    expect(() => settings('hosts: ["a b"]')).toThrow('a host with its port');
  });

  it('is the default one in the shipped settings', () => {
    expect(readConsoleConfig('config/console.yaml')).toEqual(consoleDefaults());
  });

  it('decides hosts, scheme and cookie', () => {
    const plain = siteAddress(settings('hosts: ["box:8765"]'), 8765);
    expect(plain.hosts).toEqual(['127.0.0.1:8765', 'localhost:8765', '[::1]:8765', 'box:8765']);
    expect(plain.cookieName).toBe('presage-8765');
    const proxied = siteAddress(settings('behindProxy: { host: bots.example.net, trusted: [10.0.0.1] }'), 8765);
    expect(proxied).toMatchObject({ scheme: 'https', hosts: ['bots.example.net'], cookieName: '__Host-presage' });
  });
});

/** Status and headers of a request. */
function send(request: ReturnType<typeof plainRequest>): Promise<{ status: number; cookie: string; body: string }> {
  return new Promise((resolve, reject) => {
    request.on('error', reject).on('response', (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (part: string) => (body += part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, cookie: answer.headers['set-cookie']?.[0] ?? '', body }),
      );
    });
    request.end();
  });
}

describe('a console behind a proxy', () => {
  it('serves the named proxy alone, and knows the person’s address from it', async () => {
    const proxied = { behindProxy: { host: 'bots.example.net', trusted: ['127.0.0.1'] } };
    const site = await ConsoleSite.open({ settings: proxied });
    const refusing = await ConsoleSite.open({
      settings: { behindProxy: { host: 'bots.example.net', trusted: ['10.0.0.1'] } },
    });
    try {
      const ask = (port: number, headers: Record<string, string>) =>
        send(
          plainRequest({
            port,
            host: '127.0.0.1',
            path: '/api/v1/bots',
            headers: { Host: 'bots.example.net', ...headers },
          }),
        );
      const port = (each: ConsoleSite): number => each.listeningPort;
      const bearer = { Authorization: `Bearer ${site.tokens.reader}` };
      expect((await ask(port(site), bearer)).status).toBe(200);
      expect((await ask(port(refusing), { Authorization: `Bearer ${refusing.tokens.reader}` })).status).toBe(403);
      // Wrong tokens of one address behind the proxy make that address wait, and no other.
      for (let i = 0; i < 5; i++)
        expect(
          (await ask(port(site), { Authorization: 'Bearer wrong', 'X-Forwarded-For': '1.1.1.1, 9.9.9.9' })).status,
        ).toBe(401);
      const wrong = { Authorization: 'Bearer wrong' };
      expect((await ask(port(site), { ...wrong, 'X-Forwarded-For': '2.2.2.2, 9.9.9.9' })).status).toBe(429);
      expect((await ask(port(site), { ...wrong, 'X-Forwarded-For': '9.9.9.9, 8.8.8.8' })).status).toBe(401);
      expect((await ask(port(site), { ...bearer, 'X-Forwarded-For': '2.2.2.2, 9.9.9.9' })).status).toBe(200);
    } finally {
      await Promise.all([site.close(), refusing.close()]);
    }
  });
});

describe('a console with TLS', () => {
  it('serves HTTPS, and its cookie is bound to this host and to TLS', async () => {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
    execFileSync('openssl', [...args, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const site = await ConsoleSite.open({ settings: { tls: { cert, key } } });
    try {
      const body = JSON.stringify({ token: site.tokens.operator });
      const headers = { 'Content-Type': 'application/json', Origin: site.server.url, 'Content-Length': body.length };
      const request = tlsRequest(`${site.server.url}/api/v1/session`, {
        method: 'POST',
        headers,
        rejectUnauthorized: false,
      });
      request.write(body);
      const { status, cookie } = await send(request);
      expect(status).toBe(204);
      expect(cookie).toMatch(/^__Host-presage=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
    } finally {
      await site.close();
    }
  });

  it('is refused without a usable certificate', async () => {
    const tls = { cert: join(folder, 'none.pem'), key: join(folder, 'none.pem') };
    await expect(ConsoleSite.open({ settings: { tls } })).rejects.toThrow('tls: expected a certificate');
  });
});

describe('a console on a unix socket', () => {
  it('serves its owner under the named hosts', async () => {
    const path = join(folder, 'console.sock');
    const site = await ConsoleSite.open({ settings: { listen: `unix:${path}`, hosts: ['localhost:9000'] } });
    try {
      const headers = { Authorization: `Bearer ${site.tokens.reader}` };
      const ask = (host: string) =>
        send(plainRequest({ socketPath: path, path: '/api/v1/bots', headers: { ...headers, Host: host } }));
      expect((await ask('localhost:9000')).status).toBe(200);
      expect((await ask('evil.example')).status).toBe(421);
    } finally {
      await site.close();
    }
  });
});

describe('the socket of a console that was killed', () => {
  const open = (path: string): Promise<ConsoleSite> => ConsoleSite.open({ settings: { listen: `unix:${path}` } });

  it('does not keep the next console from the same place', async () => {
    const path = join(folder, 'killed.sock');
    // The second name of a socket outlives its server, as the file of a killed process does.
    const killed = createServer();
    await new Promise<void>((resolve) => killed.listen(`${path}.first`, resolve));
    linkSync(`${path}.first`, path);
    await new Promise((resolve) => killed.close(resolve));
    const site = await open(path);
    await expect(open(path)).rejects.toThrow(`${path}: cannot listen: `);
    expect(existsSync(path)).toBe(true);
    await site.close();
  });

  it('is no other file: that one stays, and the console is refused', async () => {
    const path = join(folder, 'notes.txt');
    writeFileSync(path, 'notes');
    await expect(open(path)).rejects.toThrow(`${path}: cannot listen: `);
    expect(readFileSync(path, 'utf8')).toBe('notes');
  });
});

describe('the page’s files', () => {
  it('are served by their names alone, packed where the browser takes it', () => {
    const page = join(folder, 'page');
    mkdirSync(join(page, 'below'), { recursive: true });
    const files = {
      'index.html': '<p>',
      'main-ABCDEF12.js': 'x'.repeat(500),
      'notes.txt': 'no',
      'below/other.js': 'no',
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(page, name), text);
    writeFileSync(join(page, 'main-ABCDEF12.js.br'), brotliCompressSync('x'.repeat(500)));
    writeFileSync(join(page, 'main-ABCDEF12.js.gz'), gzipSync('x'.repeat(500)));
    const served = new PageFiles(page);
    const get = (path: string, accepted = '', known = '') => served.answerFor(path, accepted, known);
    expect(get('/')?.headers).toMatchObject({
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-cache',
    });
    expect(get('/main-ABCDEF12.js')?.headers['Cache-Control']).toContain('immutable');
    expect(get('/main-ABCDEF12.js', 'gzip, br')?.headers['Content-Encoding']).toBe('br');
    expect(get('/main-ABCDEF12.js', 'gzip, br;q=0')?.headers['Content-Encoding']).toBe('gzip');
    expect(get('/main-ABCDEF12.js', '')?.headers['Content-Encoding']).toBeUndefined();
    const etag = get('/')?.headers['ETag'] ?? '';
    expect(get('/', '', `"other", ${etag}`)).toMatchObject({ status: 304, body: null });
    for (const path of ['/notes.txt', '/below/other.js', '/../page/index.html', '/index.html/', '/constructor', ''])
      expect(get(path)).toBeNull();
    expect(new PageFiles(join(folder, 'none')).isBuilt).toBe(false);
  });
});
