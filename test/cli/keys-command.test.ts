// `presage keys generate`: writes two files and prints their names, but never a key.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { keysCommand } from '../../src/cli/keys-command.ts';
import { KEY_SCHEMES } from '../../src/config/exchange-config.ts';
import { loadPrivateKey, readPublicKey } from '../../src/venues/trade-api/signing/key-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the command; returns what it prints. */
async function printed(...words: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  try {
    await keysCommand()
      .exitOverride()
      .parseAsync(['generate', ...words], { from: 'user' });
  } finally {
    spy.mockRestore();
  }
  return lines.join('');
}

describe('keys generate', () => {
  it.each(KEY_SCHEMES)(
    'writes a pair that fits its scheme, with the private half readable by its owner alone: %s',
    async (scheme) => {
      const file = join(folder, 'made', `${scheme}.pem`);
      const text = await printed('--out', file, '--scheme', scheme);
      expect(text).toBe(`private key (${scheme}): ${file}\npublic key: ${file}.pub\n`);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(loadPrivateKey(file, [scheme]).scheme).toBe(scheme);
      const publicPem = readFileSync(`${file}.pub`, 'utf8');
      expect(readPublicKey(publicPem, { scheme, source: file }).type).toBe('public');
    },
  );

  it('makes a P-256 key by default, and prints it as JSON on request', async () => {
    const file = join(folder, 'plain.pem');
    const told = JSON.parse(await printed('--out', file, '--json')) as unknown;
    expect(told).toEqual({ scheme: 'ecdsa-p256', privateFile: file, publicFile: `${file}.pub` });
  });

  it('never overwrites an existing key', async () => {
    const file = join(folder, 'twice.pem');
    await printed('--out', file);
    const before = readFileSync(file, 'utf8');
    await expect(printed('--out', file)).rejects.toThrow('a key is never overwritten');
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});
