// Checks that links, anchors and paths on the project's pages exist, and pages that the sources and configs name.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Page, ROOT, filesOf, pageOf, readPages } from './pages.ts';

const pages = readPages();
const byPath = new Map(pages.map((page) => [page.path, page]));

/** Finds the broken links of a page. */
function brokenLinks(page: Page, all: ReadonlyMap<string, Page>): string[] {
  return page.links.flatMap(({ text, line }) => {
    if (/^(?:https?|mailto):/.test(text)) return [];
    const [target = '', anchor] = text.split('#');
    const path = target === '' ? page.path : posix.join(posix.dirname(page.path), decodeURI(target));
    const place = `${page.path}:${line}: ${text}`;
    if (path.startsWith('..')) return [`${place} leads out of the project`];
    const known = all.get(path);
    if (!known && !existsSync(join(ROOT, path))) return [`${place} leads nowhere`];
    if (anchor === undefined) return [];
    if (!known) return [`${place} has an anchor, but is not a page`];
    return known.anchors.has(anchor) ? [] : [`${place}: the page has no heading of that name`];
  });
}

/** Matches code that is a path into the project, except the files that the reader of the tutorial makes. */
const PATH = /^(?:src|docs|config|strategies(?!\/my-first)|backtest|test)\/[\w./-]*[\w/-]$/;

/**
 * True when a path is a file, a folder, or a source without its extension. It is relative to the project or to the
 * page.
 */
const isThere = (path: string, page: string): boolean =>
  [path, `${path}.ts`, posix.join(posix.dirname(page), path)].some((each) => existsSync(join(ROOT, each)));

/** Matches code that is the name of a source, without a folder. */
const SOURCE = /^[\w.-]+\.tsx?$/;
/** Sources that a reader of the page makes, or may have. */
const OF_READERS: ReadonlySet<string> = new Set(['strategy.test.ts']);

describe('the pages', () => {
  it('link to pages and headings that exist', () => {
    expect(pages.length).toBeGreaterThan(10);
    expect(pages.flatMap((page) => brokenLinks(page, byPath))).toEqual([]);
  });

  it('name paths that exist', () => {
    const missing = pages
      .filter(({ path }) => path !== 'CHANGELOG.md')
      .flatMap(({ path, words }) =>
        words
          .filter(({ text }) => PATH.test(text) && !isThere(text, path))
          .map(({ text, line }) => `${path}:${line}: ${text}`),
      );
    expect(missing).toEqual([]);
  });

  it('name sources that exist', () => {
    const sources = new Set(filesOf(['.ts', '.tsx']).map((path) => posix.basename(path)));
    const missing = pages
      .filter(({ path }) => path !== 'CHANGELOG.md')
      .flatMap(({ path, words }) =>
        words
          .filter(({ text }) => SOURCE.test(text) && !sources.has(text) && !OF_READERS.has(text))
          .map(({ text, line }) => `${path}:${line}: ${text}`),
      );
    expect(missing).toEqual([]);
  });

  it('can all be reached from docs/README.md', () => {
    const seen = new Set<string>();
    const visit = (path: string): void => {
      if (seen.has(path)) return;
      seen.add(path);
      for (const { text } of byPath.get(path)?.links ?? []) {
        const target = posix.join(posix.dirname(path), text.split('#')[0] ?? '');
        if (byPath.has(target)) visit(target);
      }
    };
    visit('docs/README.md');
    expect(pages.map(({ path }) => path).filter((path) => path.startsWith('docs/') && !seen.has(path))).toEqual([]);
  });
});

describe('sources and configs', () => {
  it('name pages that exist', () => {
    const files = filesOf(['.ts', '.yaml']).filter((path) => !path.startsWith('test/docs/'));
    const missing = files.flatMap((path) =>
      [...readFileSync(join(ROOT, path), 'utf8').matchAll(/\bdocs\/[\w/-]+\.md\b/g)]
        .filter(([page]) => !statSync(join(ROOT, page), { throwIfNoEntry: false })?.isFile())
        .map(([page]) => `${path}: ${page}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('the check of links', () => {
  const planted = pageOf(
    'docs/planted.md',
    '# A `title`, here\n\n[a](#a-title-here) [b](#elsewhere) [c](README.md) [d](gone.md)\n\n```md\n[e](gone-too.md)\n```\n\n`[f](in-code.md)`\n',
  );

  it('finds broken links, and no others', () => {
    const all = new Map([...byPath, [planted.path, planted]]);
    expect(brokenLinks(planted, all)).toEqual([
      'docs/planted.md:3: #elsewhere: the page has no heading of that name',
      'docs/planted.md:3: gone.md leads nowhere',
    ]);
  });
});
