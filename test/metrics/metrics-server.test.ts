// The bot's own port for metrics: who is answered, and that a flood is read once a second.
import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { type BotFigures, botFigures } from '../../src/metrics/bot-figures.ts';
import { isLoopback, parseListenAddress } from '../../src/config/listen-address.ts';
import { MetricsServer, type MetricsServerOptions } from '../../src/metrics/metrics-server.ts';
import { TradeCounts } from '../../src/metrics/trade-counts.ts';
import { SessionMeter } from '../../src/runtime/session/session-meter.ts';
import { liveSession } from '../support/metrics/live-session-figures.ts';

const figures = (given: Partial<ReturnType<typeof liveSession>> = {}): BotFigures =>
  botFigures({
    session: { ...liveSession(), ...given },
    trades: new TradeCounts(),
    meter: new SessionMeter().read(),
    machine: { loopLag: null, loopUse: null, residentBytes: 1, heapBytes: 1, diskFreeBytes: null, gc: null },
  });

const TOKEN = 'a-token-of-a-scrape';
let server: MetricsServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function open(given: Partial<MetricsServerOptions> = {}): Promise<MetricsServer> {
  server = await MetricsServer.openPort({
    address: { host: '127.0.0.1', port: 0 },
    token: null,
    bot: 'demo',
    readFigures: () => Promise.resolve(figures()),
    ...given,
  });
  return server;
}

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

/** Sends a request with the headers as given, `Host` included. */
function get({ port }: MetricsServer, { path = '/metrics', method = 'GET', headers = {} }: Asked = {}) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject).end();
  });
}

describe('the port for metrics', () => {
  it.runIf(process.platform === 'linux')(
    'serves at another address of this machine alone, by that address',
    async () => {
      const { port } = await open({ address: { host: '127.0.0.2', port: 0 } });
      const { status } = await fetch(`http://127.0.0.2:${port}/metrics`);
      expect(status).toBe(200);
    },
  );

  it('serves the metrics of the bot', async () => {
    const { status, text } = await get(await open());
    expect(status).toBe(200);
    expect(text).toContain('presage_up{bot="demo"} 1');
  });

  it('says that a session which has not begun is down and not ready, and that the process lives', async () => {
    const open1 = await open({ readFigures: () => Promise.resolve(null) });
    expect((await get(open1)).text).toContain('presage_up{bot="demo"} 0');
    expect((await get(open1, { path: '/readyz' })).status).toBe(503);
    expect(await get(open1, { path: '/healthz' })).toEqual({ status: 200, text: 'ok\n' });
  });

  it.each([
    ['trading', null, 200, 'ready\n'],
    ['trading', 'the feed is down', 503, 'not ready: feed\n'],
    ['clearing', null, 503, 'not ready: clearing\n'],
  ] as const)('answers readiness in phase %s with the fault %s by %i', async (phase, fault, status, text) => {
    const readFigures = () => Promise.resolve(figures({ phase, feed: { ...liveSession().feed, fault } }));
    expect(await get(await open({ readFigures }), { path: '/readyz' })).toEqual({ status, text });
  });

  it('refuses a request under another name: a page may point its name at this machine', async () => {
    const opened = await open();
    for (const Host of ['evil.example', `evil.example:${opened.port}`, '127.0.0.1', '127.0.0.1:1'])
      for (const path of ['/metrics', '/healthz', '/readyz'])
        expect((await get(opened, { path, headers: { Host } })).status).toBe(421);
    expect((await get(opened, { headers: { Host: `localhost:${opened.port}` } })).status).toBe(200);
  });

  it('refuses other methods and other paths', async () => {
    const opened = await open();
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) expect((await get(opened, { method })).status).toBe(405);
    for (const path of ['/', '/metrics/', '/..%2fmetrics', '//metrics', '/api'])
      expect((await get(opened, { path })).status).toBe(404);
    expect(await get(opened, { method: 'HEAD' })).toEqual({ status: 200, text: '' });
  });

  it('asks for the token, where there is one, for metrics alone', async () => {
    const opened = await open({ token: TOKEN });
    for (const headers of [
      {},
      { Authorization: 'Bearer wrong' },
      { Authorization: TOKEN },
      { Authorization: 'Bearer ' },
    ])
      expect((await get(opened, { headers })).status).toBe(401);
    expect((await get(opened, { headers: { Authorization: `Bearer ${TOKEN}` } })).status).toBe(200);
    expect((await get(opened, { path: '/healthz' })).status).toBe(200);
  });

  it('is not opened to other machines without a token', async () => {
    await expect(open({ address: { host: '0.0.0.0', port: 0 } })).rejects.toThrow(
      '0.0.0.0 is open to other machines: expected metrics.tokenFile, found none',
    );
    const opened = await open({ address: { host: '0.0.0.0', port: 0 }, token: TOKEN });
    const headers = { Host: 'bot:9464', Authorization: `Bearer ${TOKEN}` };
    expect((await get(opened, { headers })).status).toBe(200);
  });

  it('names the address that cannot be opened', async () => {
    const { port } = await open();
    await expect(
      MetricsServer.openPort({
        address: { host: '127.0.0.1', port },
        token: null,
        bot: 'other',
        readFigures: () => Promise.resolve(null),
      }),
    ).rejects.toThrow(
      `127.0.0.1:${port} cannot be opened: another process listens there; --metrics gives this session another address`,
    );
  });

  it('reads the bot once for many requests', async () => {
    let reads = 0;
    const opened = await open({ readFigures: () => Promise.resolve(figures({ marketCount: ++reads })) });
    await Promise.all(Array.from({ length: 12 }, () => get(opened)));
    // One read a second, and the requests may take more than one.
    expect(reads).toBeLessThan(6);
  });
});

describe('an address to listen at', () => {
  it.each([
    ['127.0.0.1:9464', '127.0.0.1', 9464, true],
    ['127.9.9.9:1', '127.9.9.9', 1, true],
    ['localhost:0', 'localhost', 0, true],
    ['[::1]:9464', '::1', 9464, true],
    ['0.0.0.0:9464', '0.0.0.0', 9464, false],
    ['[::]:80', '::', 80, false],
    ['192.168.1.5:9464', '192.168.1.5', 9464, false],
  ])('is read from %s', (text, host, port, isHere) => {
    const address = parseListenAddress(text);
    expect(address).toEqual({ host, port });
    expect(address !== null && isLoopback(address)).toBe(isHere);
  });

  it.each([
    '9464',
    ':9464',
    '127.0.0.1',
    '127.0.0.1:',
    '127.0.0.1:65536',
    'bot.example:80',
    '::1:80',
    '127.0.0.1:-1',
    '',
  ])('is not read from %j', (text) => {
    expect(parseListenAddress(text)).toBeNull();
  });
});
