// The places in the sources that a page of docs/internals names: the hops of its paths, and other symbols with their
// files. Reads text alone; test/docs/paths.test.ts compares the places with the sources.

/** A place in the sources as a page writes it: `path.ts:LINE symbol`. */
export interface Place {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** The name, with its class before a dot; empty for a place where something is wired. */
  readonly symbol: string;
}

/** How one hop of a path leads to the next. */
export type Link =
  /** The body of the one names the other. */
  | { readonly type: 'call' }
  /** The one calls `member`, whose implementation is passed or assigned at a place. */
  | { readonly type: 'wired'; readonly member: string; readonly at: Place }
  /** The hop itself is the member of an object, which stands where the object is made. */
  | { readonly type: 'wired-here' }
  /** The one writes a field that the other reads. */
  | { readonly type: 'field'; readonly at: Place };

/** One hop of a path: a function or a method, and how the hop before leads to it. */
export interface Hop {
  readonly place: Place;
  readonly link: Link;
  /** Line on the page, counted from 1. */
  readonly line: number;
}

/** A symbol that a page names together with its file. */
export interface Mention {
  readonly file: string;
  readonly symbol: string;
  readonly line: number;
}

const PLACE = /`([\w./-]+\.ts):(\d+)(?: ([\w.#]+))?`/;
const HOP = new RegExp(String.raw`^\d+\. +${PLACE.source}`);
const WIRED = new RegExp(String.raw`wired in ${PLACE.source} as ${'`'}([\w#]+)${'`'}`);
const FIELD = new RegExp(`through ${PLACE.source}`);
const MENTION = /`([A-Za-z#][\w.#]*)`(?: in | \()`([\w./-]+\.ts)`/g;

/** The paths of a page: each numbered list whose items are places is one. */
export function pathsOf(text: string): Hop[][] {
  const paths: Hop[][] = [];
  let isInPath = false;
  for (const { line, item } of itemsOf(text)) {
    const found = HOP.exec(item);
    if (found === null) {
      isInPath = false;
      continue;
    }
    if (!isInPath) paths.push([]);
    isInPath = true;
    paths.at(-1)?.push({ place: placeOf(found), link: linkOf(item), line });
  }
  return paths;
}

/** The items of a page's lists, and its other lines, each with its continued lines joined. */
function itemsOf(text: string): { line: number; item: string }[] {
  const items: { line: number; item: string }[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const last = items.at(-1);
    if (last !== undefined && (line === '' || /^ {2,}\S/.test(line))) last.item += ` ${line.trim()}`;
    else items.push({ line: index + 1, item: line });
  }
  return items;
}

const placeOf = ([, file = '', line = '', symbol = '']: readonly string[]): Place => ({
  file,
  line: Number(line),
  symbol,
});

function linkOf(item: string): Link {
  const wired = WIRED.exec(item);
  if (wired !== null) return { type: 'wired', member: wired[4] ?? '', at: placeOf(wired) };
  const field = FIELD.exec(item);
  if (field !== null) return { type: 'field', at: placeOf(field) };
  return { type: item.includes('wired here') ? 'wired-here' : 'call' };
}

/** The symbols that a page names with their files: `Symbol` in `path.ts`, or `Symbol` (`path.ts`). */
export function mentionsOf(text: string): Mention[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(MENTION)].map(([, symbol = '', file = '']) => ({ file, symbol, line: index + 1 })),
    );
}

/** A page's text with the right line of each place, by `lineOf`. */
export function withLines(text: string, lineOf: (place: Place, pageLine: number) => number): string {
  return text
    .split('\n')
    .map((line, index) =>
      line.replaceAll(new RegExp(PLACE.source, 'g'), (written, ...found: string[]) => {
        const place = placeOf([written, ...found.slice(0, 3).map((part) => part ?? '')]);
        return written.replace(`:${place.line}`, `:${lineOf(place, index + 1)}`);
      }),
    )
    .join('\n');
}
