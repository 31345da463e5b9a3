// The project's pages as data: headings, links, blocks of code and inline code, each with its line. Must never use the
// network.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';

/** The project's folder. */
export const ROOT = dirname(createRequire(import.meta.url).resolve('presage-trading/package.json'));

/** A piece of a page with its line, counted from 1. */
export interface PagePart {
  readonly text: string;
  readonly line: number;
}

/** A fenced block: its language, and the rest of the line that opens the fence. */
export interface Block extends PagePart {
  readonly lang: string;
  readonly info: string;
}

/** One page. */
export interface Page {
  /** Path relative to the project, with slashes. */
  readonly path: string;
  readonly anchors: ReadonlySet<string>;
  /** Targets of links, as written. */
  readonly links: readonly PagePart[];
  readonly blocks: readonly Block[];
  /** Inline code in sentences and tables. */
  readonly words: readonly PagePart[];
}

/** Folders that programs write or fetch. */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['node_modules', 'dist', 'api', 'var', 'recordings', 'coverage']);

/** Lists every file of the project with one of these extensions, by relative path, in order. */
export function filesOf(endings: readonly string[], folder = ''): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name.startsWith('.') || SKIPPED_FOLDERS.has(entry.name)) return [];
      if (entry.isDirectory()) return filesOf(endings, path);
      return endings.some((ending) => path.endsWith(ending)) ? [path] : [];
    });
}

/** Reads the project's pages: every Markdown file of its own. */
export const readPages = (): Page[] => filesOf(['.md']).map((path) => readPage(path));

/** Reads one page, by its path in the project. */
export const readPage = (path: string): Page => pageOf(path, readFileSync(join(ROOT, path), 'utf8'));

/** Parses a page from its text. */
export function pageOf(path: string, text: string): Page {
  const { blocks, prose } = separateBlocks(text);
  return { path, anchors: anchorsOf(prose), links: linksOf(prose), blocks, words: wordsOf(prose) };
}

/** Separates a page's blocks from its lines of prose. The lines of blocks become empty lines of the prose. */
function separateBlocks(text: string): { readonly blocks: Block[]; readonly prose: string[] } {
  const blocks: Block[] = [];
  const prose: string[] = [];
  let open: { fence: string; lang: string; info: string; line: number; lines: string[] } | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    const [, fence = '', lang = '', info = ''] = /^\s*(`{3,}|~{3,})(\S*)[ \t]*(.*)$/.exec(line) ?? [];
    prose.push(open === null && fence === '' ? line : '');
    if (open === null && fence !== '') open = { fence, lang, info, line: index + 2, lines: [] };
    else if (open !== null && fence.startsWith(open.fence) && lang === '') {
      const { lines, fence: _, ...block } = open;
      blocks.push({ ...block, text: lines.map((each) => `${each}\n`).join('') });
      open = null;
    } else open?.lines.push(line);
  }
  if (open !== null) throw new Error(`a block that begins at line ${open.line - 1} is never closed`);
  return { blocks, prose };
}

/** Returns the anchors of headings as GitHub makes them: a repeated name gets a number. */
function anchorsOf(prose: readonly string[]): Set<string> {
  const anchors = new Set<string>();
  for (const line of prose) {
    const [, heading] = /^#{1,6} +(.+?)\s*#*$/.exec(line) ?? [];
    if (heading !== undefined) anchors.add(unusedIn(anchors, slugOf(heading)));
    for (const [, id = ''] of line.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id);
  }
  return anchors;
}

function unusedIn(anchors: ReadonlySet<string>, slug: string): string {
  let name = slug;
  for (let count = 1; anchors.has(name); count += 1) name = `${slug}-${count}`;
  return name;
}

const slugOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/\\/g, '')
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');

function linksOf(prose: readonly string[]): PagePart[] {
  return prose.flatMap((line, index) => {
    const plain = line.replaceAll(/`[^`]*`/g, 'code');
    const inline = [...plain.matchAll(/\]\(<?([^)\s>]+)>?(?: +"[^"]*")?\)/g)];
    const defined = [...plain.matchAll(/^\s*\[[^\]]+\]:\s+(\S+)/g)];
    return [...inline, ...defined].map(([, text = '']) => ({ text, line: index + 1 }));
  });
}

const wordsOf = (prose: readonly string[]): PagePart[] =>
  prose.flatMap((line, index) =>
    [...line.matchAll(/(`+)(.+?)\1/g)].map(([, , text = '']) => ({ text: text.trim(), line: index + 1 })),
  );
