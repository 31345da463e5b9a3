// The pages of docs/reference are what the code says today. `npm run docs` writes them anew; here a stale one fails.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'oxfmt';
import { describe, expect, it } from 'vitest';
import { ROOT } from './pages.ts';
import { cliPage } from './reference/cli-page.ts';
import { alarmsPage, denialsPage } from './reference/codes-page.ts';
import { configMembers, configPage } from './reference/config-page.ts';
import { handlerRows, handlersPage } from './reference/handlers-page.ts';
import { limitsPage } from './reference/limits-page.ts';
import { operationsPage } from './reference/operations.ts';
import { strategiesPage } from './reference/strategies-page.ts';

const options: Record<string, unknown> = JSON.parse(readFileSync(join(ROOT, '.oxfmtrc.json'), 'utf8'));

/** Compares a page with its file; writes the file where the tests are run to bring them up to date. */
async function expectPage(name: string, text: string): Promise<void> {
  const { code, errors } = await format(name, text, options);
  expect(errors).toEqual([]);
  await expect(code).toMatchFileSnapshot(join(ROOT, 'docs/reference', name));
}

const PAGES: readonly (readonly [name: string, make: () => string | Promise<string>])[] = [
  ['cli.md', cliPage],
  ['config.md', configPage],
  ['handlers.md', handlersPage],
  ['limits.md', limitsPage],
  ['denials.md', denialsPage],
  ['alarms.md', alarmsPage],
  ['strategies.md', strategiesPage],
  ['operations.md', operationsPage],
];

describe('the reference', () => {
  it.each(PAGES)('is what the code says: %s', async (name, make) => expectPage(name, await make()));

  it('has every handler with its event in the how-to, too', () => {
    const page = readFileSync(join(ROOT, 'docs/how-to/write-a-strategy.md'), 'utf8');
    const told = [...page.matchAll(/^\| `(on\w+)` +\| `(\w+)` +\|/gm)].map(([, name, event]) => `${name} ${event}`);
    expect(told).toEqual(handlerRows().map(({ name, event }) => `${name} ${event}`));
  });

  it('says of every member what it takes', () => {
    const told = configMembers().flatMap(({ members }) => members.map(({ path, takes }) => `${path}: ${takes}`));
    expect(told.filter((text) => /or ,|, or $|: ,/.test(text))).toEqual([]);
  });

  it('has a meaning for every member of a bot’s config', () => {
    const bot = configMembers()[0]?.members ?? [];
    expect(bot.length).toBeGreaterThan(50);
    const bare = bot.filter(({ meaning, takes }) => meaning === '' && !/^(?:members|a list)$/.test(takes));
    expect(bare.map(({ path }) => path).filter((path) => !path.endsWith('.window'))).toEqual([]);
  });
});
