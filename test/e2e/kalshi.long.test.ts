// The profile `kalshi` with a local exchange in another process: both kinds of key, the doctor, schema drift, and a session
// that ends reconciled.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Presage, ROOT, endOf, isAccepted, presage, shippedConfig } from './presage.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';

const TIMEOUT_MS = 2 * PATIENCE_MS;
const SCHEMES = ['ed25519', 'rsa-pss-sha256'] as const;

let folder = '';
let exchange: Presage | null = null;
const configs = new Map<string, string>();

/** The config of a bot on the exchange. */
function config(scheme: string, port: string): string {
  const text = shippedConfig('local.yaml', folder)
    .replace('profile: service', 'profile: kalshi')
    .replaceAll('8790', port)
    .replace('id: demo-key', `id: ${scheme}`)
    .replaceAll('demo.pem', `${scheme}.pem`)
    .replace('events: [CITY-36, RAIN-OSLO, RAIN-LIMA]', 'events: [KXCITY-36, KXCOIN-26]')
    .replace('events: [RAIN-OSLO, RAIN-LIMA]', 'events: [KXCOIN-26]');
  const file = join(folder, `${scheme}.yaml`);
  writeFileSync(file, text);
  return file;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'presage-kalshi-'));
  const entries: string[] = [];
  for (const scheme of SCHEMES) {
    const file = join(folder, `${scheme}.pem`);
    expect(await presage('keys', 'generate', '--out', file, '--scheme', scheme)).toMatchObject({ code: 0 });
    entries.push(`      - { id: ${scheme}, scheme: ${scheme}, publicKeyFile: ${file}.pub }`);
  }
  const shipped = readFileSync(join(ROOT, 'config/kalshi-exchange.yaml'), 'utf8');
  const text = shipped.replace('    cash: 10000\n', `    cash: 10000\n    keys:\n${entries.join('\n')}\n`);
  writeFileSync(join(folder, 'exchange.yaml'), text);
  exchange = new Presage(['exchange', '--config', join(folder, 'exchange.yaml'), '--port', '0', '--json']);
  const { url } = await exchange.line(({ type }) => type === 'listening');
  for (const scheme of SCHEMES) configs.set(scheme, config(scheme, new URL(String(url)).port));
}, TIMEOUT_MS);

afterAll(async () => {
  exchange?.kill('SIGINT');
  await exchange?.exited;
  rmSync(folder, { recursive: true, force: true });
});

const configOf = (scheme: string): string => configs.get(scheme) ?? '';

describe('the doctor', () => {
  it.each(SCHEMES)(
    'finds nothing wrong with a key of %s, and places and cancels the smallest orders',
    async (scheme) => {
      const { code, stdout } = await presage('doctor', '--config', configOf(scheme), '--orders');
      expect(stdout).toContain(`${scheme}, readable by its owner alone`);
      // The config has neither alerts nor a heartbeat, which the doctor warns of.
      const trouble = stdout.split('\n').filter((line) => /BAD|WARN/.test(line));
      expect(trouble.map((line) => line.trim().split(/\s+/)[1])).toEqual(['alerts', 'heartbeat']);
      expect(stdout).toMatch(
        /order in KXCOIN-26-T100 +0\.01 contracts at 0\.1¢ was accepted, found, canceled, and is gone/,
      );
      expect(code).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'reports a key that others can read, and checks what it can without a key',
    async () => {
      const file = join(folder, 'ed25519.pem');
      chmodSync(file, 0o644);
      try {
        const { code, stdout } = await presage('doctor', '--config', configOf('ed25519'), '--json');
        expect(code).toBe(1);
        const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; words: string }[] };
        const states = Object.fromEntries(checks.map(({ name, state }) => [name, state]));
        expect(states).toMatchObject({ key: 'bad', reach: 'ok', signature: 'skipped', 'event KXCITY-36': 'ok' });
        expect(checks.find(({ name }) => name === 'key')?.words).toContain('chmod 600 it');
      } finally {
        chmodSync(file, 0o600);
      }
    },
    TIMEOUT_MS,
  );
});

describe('drift', () => {
  it(
    'finds no difference from our schemas in public and private data',
    async () => {
      let report = { answers: 0, messages: 0 };
      // Nothing shows how much it has seen before it ends. It watches longer where the machine is slow.
      for (let seconds = 3; seconds < 60 && report.messages <= 10; seconds *= 2) {
        const time = `${seconds}s`;
        const { code, stdout } = await presage('drift', '--config', configOf('ed25519'), '--for', time, '--json');
        expect(JSON.parse(stdout)).toMatchObject({ rows: [] });
        expect(code).toBe(0);
        report = JSON.parse(stdout) as typeof report;
      }
      expect(report.answers).toBeGreaterThan(8);
      expect(report.messages).toBeGreaterThan(10);
    },
    TIMEOUT_MS,
  );
});

describe('a session', () => {
  it(
    'ends reconciled with an RSA key and reads that lag behind writes',
    async () => {
      const bot = new Presage(['run', '--config', configOf('rsa-pss-sha256'), '--json']);
      await bot.gotLines(20, isAccepted);
      await bot.line(({ type }) => type === 'fill');
      expect(await bot.stop()).toBe(0);
      expect(endOf(bot)).toMatchObject({ end: { type: 'stopped', isReconciled: true }, account: { pledged: 0 } });
      expect(bot.stderr).toBe('');
    },
    TIMEOUT_MS,
  );
});
