// Checks that the pages of docs/reference agree with the code. `npm run docs` writes them again; here an outdated page
// fails.
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
import { metricsPage } from './reference/metrics-page.ts';
import { operationsPage } from './reference/operations.ts';
import { strategiesPage } from './reference/strategies-page.ts';

const options: Record<string, unknown> = JSON.parse(readFileSync(join(ROOT, '.oxfmtrc.json'), 'utf8'));

/** Compares a page with its file. `npm run docs` runs this with updates on, which writes the file. */
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
  ['metrics.md', metricsPage],
  ['strategies.md', strategiesPage],
  ['operations.md', operationsPage],
];

describe('the reference', () => {
  it.each(PAGES)('agrees with the code: %s', async (name, make) => expectPage(name, await make()));

  it('lists every handler with its event in the how-to as well', () => {
    const page = readFileSync(join(ROOT, 'docs/how-to/write-a-strategy.md'), 'utf8');
    const listed = [...page.matchAll(/^\| `(on\w+)` +\| `(\w+)` +\|/gm)].map(([, name, event]) => `${name} ${event}`);
    expect(listed).toEqual(handlerRows().map(({ name, event }) => `${name} ${event}`));
  });

  it('describes the values of every config member', () => {
    const described = configMembers().flatMap(({ members }) => members.map(({ path, takes }) => `${path}: ${takes}`));
    expect(described.filter((text) => /or ,|, or $|: ,/.test(text))).toEqual([]);
  });

  it('has a meaning for every member of a bot’s config', () => {
    const bot = configMembers()[0]?.members ?? [];
    expect(bot.length).toBeGreaterThan(50);
    const bare = bot.filter(({ meaning, takes }) => meaning === '' && !/^(?:members|a list)$/.test(takes));
    expect(bare.map(({ path }) => path).filter((path) => !path.endsWith('.window'))).toEqual([]);
  });
});
