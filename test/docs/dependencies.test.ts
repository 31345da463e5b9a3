// Checks that the page of dependencies names every package that is installed with this one, and no other package.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './pages.ts';

it('the page of dependencies names every dependency once', () => {
  const page = readFileSync(join(ROOT, 'docs/internals/dependencies.md'), 'utf8');
  const table = page.slice(page.indexOf('## In use'), page.indexOf('## By hand'));
  const named = [...table.matchAll(/^\| (`.+?`) +\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: object };
  expect(new Set(named)).toEqual(new Set(Object.keys(dependencies)));
  expect(named).toHaveLength(Object.keys(dependencies).length);
});
