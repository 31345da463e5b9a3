// Controls of a bot whose config was broken while it ran: a halt needs only the data folder, the others say what is wrong.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readBotConfig } from '../../src/config/bot-config.ts';
import type { Action } from '../../src/console/api/api-schemas.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { shippedConfig } from '../e2e/presage.ts';
import { ConsoleSite } from './support/console-site.ts';

let folder = '';
let file = '';
let site: ConsoleSite;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'presage-broken-'));
  file = join(folder, 'bot.yaml');
  const text = shippedConfig('local.yaml', folder);
  writeFileSync(file, text);
  const content = readBotConfig(file);
  const dataFolder = content.dataFolder ?? folder;
  mkdirSync(dataFolder, { recursive: true });
  site = await ConsoleSite.open({ withControls: true, dataFolder, config: { file, content, isPaper: false } });
  writeFileSync(file, `${text}\nlimitz: {}\n`);
});
afterEach(async () => {
  await site.close();
  rmSync(folder, { recursive: true, force: true });
});

const ACTION = '0b7e5a34-8f0c-4c55-9a67-0c8f3d1d2e11';
const post = (control: string, more: object = {}): Promise<Response> =>
  site.send('POST', `/api/v1/bots/made/${control}`, { actionId: ACTION, scope: 'account', ...more });

it('saves the halt, and says why the exchange was not asked', async () => {
  const answer = await post('halt', { reason: 'the quotes look odd' });
  expect(answer.status).toBe(202);
  expect(readFileSync(join(site.bot.dataFolder, 'HALT'), 'utf8')).toBe('the quotes look odd\n');
  const action = await vi.waitFor(
    async () => {
      // tidy: as (the site checks the answer against its description)
      const found = (await (await site.read(`/api/v1/bots/made/actions/${ACTION}`)).json()) as Action;
      expect(found.state).toBe('failed');
      return found;
    },
    { timeout: PATIENCE_MS, interval: 20 },
  );
  expect(action.text).toContain('the bot’s config cannot be used: line');
  expect(action.text).not.toContain(folder);
});

it('takes the reason of that halt afterwards', async () => {
  expect((await post('halt')).status).toBe(202);
  const answer = await site.send('PATCH', `/api/v1/bots/made/actions/${ACTION}`, { reason: 'the quotes look odd' });
  expect([answer.status, readFileSync(join(site.bot.dataFolder, 'HALT'), 'utf8')]).toEqual([
    200,
    'the quotes look odd\n',
  ]);
});

it.each([
  ['is gone', () => rmSync(file)],
  ['names no data folder', () => writeFileSync(file, 'strategies: [')],
  ['names the data folder of another bot', () => writeFileSync(file, shippedConfig('local.yaml', join(folder, 'b')))],
])('halts the bot of the page when its config %s, and names no path', async (_, change) => {
  change();
  const answer = await post('halt', { reason: 'the quotes look odd' });
  const refused = await site.send('POST', '/api/v1/bots/made/cancel-all', {
    actionId: ACTION.replace('0b', '1b'),
    scope: 'account',
  });
  const texts = [await answer.text(), await refused.text()];
  expect([answer.status, refused.status, existsSync(join(site.bot.dataFolder, 'HALT'))]).toEqual([202, 422, true]);
  expect(texts.join('')).not.toContain(folder);
});

it('takes one id for the end of one override alone', async () => {
  writeFileSync(file, shippedConfig('local.yaml', folder));
  const end = (limit: string): Promise<Response> =>
    site.send('DELETE', `/api/v1/bots/made/overrides/${limit}`, { reason: 'over', actionId: ACTION });
  expect([(await end('orderQtyMax')).status, (await end('groupCostMax')).status]).toEqual([202, 409]);
});

it('refuses other controls with the fault of the config, and without its path', async () => {
  const answer = await post('cancel-all');
  const text = await answer.text();
  expect([answer.status, text]).toEqual([
    422,
    expect.stringMatching(/config cannot be used: line \d+: expected only known fields/),
  ]);
  expect(text).not.toContain(folder);
  expect(existsSync(join(site.bot.dataFolder, 'HALT'))).toBe(false);
});
