// The doctor's checks of a config, before the venue is contacted.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { botConfigSchema } from '../../../src/config/bot-config.ts';
import { parseYaml } from '../../../src/config/yaml.ts';
import type { Check } from '../../../src/runtime/doctor/check-result.ts';
import { checkConfig } from '../../../src/runtime/doctor/config-checks.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-doctor-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const checksOf = (venue: string): Check[] =>
  checkConfig(
    parseYaml(`venue: { ${venue} }\nmarkets: { tickers: [A] }\nlog: { file: a }\ndataFolder: ${folder}\n`, {
      file: 'bot.yaml',
      schema: botConfigSchema,
    }),
  );

describe('a config', () => {
  it('a config with encrypted or local addresses and a folder of its own passes without a remark', () => {
    expect(checksOf('url: https://exchange')).toEqual([]);
    expect(checksOf('url: http://127.0.0.1:1, feedUrl: ws://127.0.0.1:1')).toEqual([]);
    expect(checksOf('environment: production')).toEqual([]);
  });

  it('a config that sends unencrypted data to another machine is reported with the address', () => {
    expect(checksOf('url: http://exchange:1, feedUrl: wss://exchange, allowPlaintext: true')).toMatchObject([
      { name: 'encryption', state: 'warn', words: expect.stringContaining('http://exchange:1 is not encrypted') },
    ]);
  });

  it('a config whose data folder others may write to is reported as bad', () => {
    chmodSync(folder, 0o777);
    expect(checksOf('url: https://exchange')).toMatchObject([
      { name: 'data folder', state: 'bad', words: expect.stringContaining('found mode 777') },
    ]);
    chmodSync(folder, 0o700);
  });
});
