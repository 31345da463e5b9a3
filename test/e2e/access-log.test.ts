// `presage exchange --log-requests` in a process of its own: requests and refusals with their reasons, in a file or on
// standard error.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { Presage } from './presage.ts';

const TIMEOUT_MS = 2 * PATIENCE_MS;
const BASE = '/trade-api/v2';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-access-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Logged {
  readonly msg: string;
  readonly [member: string]: unknown;
}

/** Runs an exchange, sends it five requests of which it refuses four, and returns its standard error. */
async function asked(options: readonly string[]): Promise<string> {
  const config = ['--config', 'config/kalshi-exchange.yaml', '--port', '0', '--json'];
  const exchange = new Presage(['exchange', ...config, ...options]);
  const { url, feedUrl } = await exchange.line(({ type }) => type === 'listening');
  const headers = { 'KALSHI-ACCESS-KEY': 'a-key', 'KALSHI-ACCESS-SIGNATURE': 'c2VjcmV0' };
  await fetch(`${String(url)}${BASE}/markets?limit=1`);
  await fetch(`${String(url)}${BASE}/markets?limit=-1`);
  await fetch(`${String(url)}${BASE}/portfolio/balance`, { headers });
  await fetch(`${String(url)}/nowhere?key=c2VjcmV0`);
  const socket = new WebSocket(`${String(feedUrl)}/trade-api/ws/v2`);
  await new Promise((resolve) => socket.once('error', resolve));
  exchange.kill('SIGINT');
  expect(await exchange.exited).toBe(0);
  return exchange.stderr;
}

const linesOf = (text: string): Logged[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Logged)
    .filter(({ msg }) => msg.startsWith('request') || msg.startsWith('feed'));

const REFUSED = [
  { msg: 'request refused', status: 400, query: 'limit=-1', reason: 'limit: expected 0 to 1000, found -1' },
  { msg: 'request refused', status: 401, reason: 'header_timestamp_expired' },
  { msg: 'request refused', status: 404, path: '/nowhere', reason: 'no such route' },
  { msg: 'feed refused', status: 401, reason: 'signature_is_missing_from_headers' },
];

describe('the exchange', () => {
  it(
    'logs refusals to --log, and every request with --log-requests',
    async () => {
      const [some, all] = [join(folder, 'some.log'), join(folder, 'all.log')];
      const [stderr] = await Promise.all([asked(['--log', some]), asked(['--log', all, '--log-requests'])]);
      expect(linesOf(readFileSync(some, 'utf8'))).toMatchObject(REFUSED);
      const request = { msg: 'request', method: 'GET', endpoint: 'markets', query: 'limit=1', status: 200 };
      expect(linesOf(readFileSync(all, 'utf8'))).toMatchObject([request, ...REFUSED]);
      expect(stderr).not.toContain('request');
      expect(readFileSync(all, 'utf8')).not.toMatch(/c2VjcmV0|a-key/);
    },
    TIMEOUT_MS,
  );

  it(
    'logs to standard error without --log, and nothing without either option',
    async () => {
      const [quiet, loud] = await Promise.all([asked([]), asked(['--log-requests'])]);
      expect(quiet).toBe('');
      expect(linesOf(loud)).toHaveLength(REFUSED.length + 1);
    },
    TIMEOUT_MS,
  );
});
