// Lays the sections of the terminal page out. A tall page shows every section, and its markets scroll. On a short page,
// all lines below the first are scrolled. Pure. Must never drop events or markets without a count.
import { wrappedText } from '../../report/text/text-columns.ts';
import type { PageContent } from './page-content.ts';
import { type PageLine, cutLine, pageLine, plainText, span } from './page-line.ts';
import {
  alarmLines,
  eventLine,
  haltLines,
  headLines,
  healthLines,
  marketLines,
  moneyLines,
  shownEvents,
  shownMarkets,
  strategyLines,
} from './page-sections.ts';
import type { PageView, ScrollRange } from './page-view.ts';

/** Size of the page, and the presence of a keyboard. */
export interface PageSize {
  readonly width: number;
  readonly height: number;
  readonly hasKeys: boolean;
}

/** A rendered page: at most `height` lines, at most `width` wide. */
export interface RenderedPage {
  readonly lines: readonly PageLine[];
  readonly range: ScrollRange;
}

/** Rows that events and markets need together on a tall page. */
const LISTS_MIN = 10;
const SHORT_EVENTS = 20;

export function renderPage(content: PageContent, view: PageView, size: PageSize): RenderedPage {
  const page = view.isHelp ? helpPage(content, view, size) : contentPage(content, view, size);
  return { ...page, lines: page.lines.slice(0, size.height).map((line) => cutLine(line, size.width)) };
}

function contentPage(content: PageContent, view: PageView, size: PageSize): RenderedPage {
  const { width, height } = size;
  const strategies = strategyLines(content);
  const top = [
    ...headLines(content, width),
    ...(content.console === null ? [] : [pageLine(content.console)]),
    ...haltLines(content, width),
    ...alarmLines(content, width),
    ...moneyLines(content, width),
    ...healthLines(content, width),
  ];
  const room = height - top.length - 1 - (strategies.length === 0 ? 0 : strategies.length + 1);
  if (room < LISTS_MIN) return shortPage(content, view, { size, top: [...top, ...strategies] });
  return tallPage(content, view, { size, top: [...top, ...apart(strategies)], room });
}

const apart = (lines: readonly PageLine[]): readonly PageLine[] => (lines.length === 0 ? [] : [[], ...lines]);

interface Upper {
  readonly size: PageSize;
  readonly top: readonly PageLine[];
}

/** Events get a third of the room, or the room that markets leave. Markets scroll. */
function tallPage(content: PageContent, view: PageView, { size, top, room }: Upper & { room: number }): RenderedPage {
  const events = shownEvents(content, view);
  const markets = shownMarkets(content, view);
  const lists = room - 2;
  const eventRoom = Math.min(events.length + 1, Math.max(lists - markets.length - 1, Math.floor(lists / 3)));
  const marketRoom = lists - eventRoom;
  const isWhole = markets.length + 1 <= marketRoom;
  const rows = isWhole ? markets.length : marketRoom - 2;
  const max = markets.length - rows;
  const from = Math.min(view.scroll, max);
  const body = [
    ...top,
    [],
    ...eventList(content, view, eventRoom - 1),
    [],
    ...marketList(content, view, { from, rows }),
    ...(isWhole ? [] : [restLine('market', { above: from, below: max - from })]),
  ];
  const empty = Math.max(0, size.height - 1 - body.length);
  const lines = [...body, ...Array.from({ length: empty }, (): PageLine => []), footer(view, size)];
  return { lines, range: { max, page: Math.max(1, rows) } };
}

function eventList(content: PageContent, view: PageView, rows: number): PageLine[] {
  const events = shownEvents(content, view);
  const shown = rows <= 0 ? [] : events.slice(-rows);
  const earlier = events.length - shown.length;
  const title = events.length === 0 ? `events: none ${view.filter === '' ? 'yet' : 'with this text'}` : 'events';
  return [pageLine(earlier === 0 ? title : `${title}, and ${earlier} earlier`, 'muted'), ...shown.map(eventLine)];
}

function marketList(content: PageContent, view: PageView, { from, rows }: { from: number; rows: number }): PageLine[] {
  const markets = shownMarkets(content, view);
  if (markets.length > 0) return marketLines(markets.slice(from, from + rows));
  const all = content.snapshot.markets.length;
  return [pageLine(all === 0 ? 'markets: none yet' : `markets: none of ${all} is shown by this filter`, 'muted')];
}

/** Counts the hidden rows: `and 214 more markets below, 3 above`. */
function restLine(what: string, { above, below }: { above: number; below: number }): PageLine {
  const named = (count: number): string => `${count} more ${what}${count === 1 ? '' : 's'}`;
  if (below === 0) return pageLine(`and ${named(above)} above`, 'muted');
  return pageLine(`and ${named(below)}${above === 0 ? '' : ` below, ${above} above`}`, 'muted');
}

/** Only the lines on the screen are rendered. */
function shortPage(content: PageContent, view: PageView, { size, top }: Upper): RenderedPage {
  const [head = [], ...rest] = [...top, ...eventList(content, view, SHORT_EVENTS)];
  const markets = shownMarkets(content, view).length;
  const total = rest.length + markets + 1;
  return scrolledPage({ head, total, view, size }, (from, to) => {
    const first = Math.max(0, from - rest.length - 1);
    const last = Math.max(0, to - rest.length - 1);
    const table = to <= rest.length ? [] : marketList(content, view, { from: first, rows: last - first });
    return [...rest.slice(from, to), ...(from > rest.length && markets > 0 ? table.slice(1) : table)];
  });
}

interface Scrolled {
  readonly head: PageLine;
  readonly total: number;
  readonly view: PageView;
  readonly size: PageSize;
}

function scrolledPage(
  { head, total, view, size }: Scrolled,
  linesBetween: (from: number, to: number) => readonly PageLine[],
): RenderedPage {
  const rows = Math.max(0, size.height - 2);
  const max = Math.max(0, total - rows);
  const from = Math.min(view.scroll, max);
  const shown = linesBetween(from, Math.min(total, from + rows));
  const counts = max === 0 ? [] : restLine('line', { above: from, below: max - from });
  const lines = [head, ...shown, footer(view, size, counts)];
  return { lines, range: { max, page: Math.max(1, rows) } };
}

/** The last line: counts of hidden rows, the filter, the keys. */
function footer(view: PageView, { hasKeys }: PageSize, counts: PageLine = []): PageLine {
  if (view.isTyping)
    return [span(`/${view.filter}_`, 'strong'), span('   Enter keeps the filter, Esc clears it', 'muted')];
  const filters = [
    ...(view.filter === '' ? [] : [`with “${view.filter}” only`]),
    ...(view.isOursOnly ? ['our markets only'] : []),
  ];
  const keys = hasKeys ? ['↑↓ scroll  / filter  o ours  ? help  q stop'] : [];
  return pageLine([...(counts.length === 0 ? [] : [plainText(counts)]), ...filters, ...keys].join('   '), 'muted');
}

const HELP: readonly string[] = [
  '↑ ↓ j k      one row up or down',
  'PgUp PgDn    a screenful; also b and space',
  'Home End     the first and the last row; also g and G',
  '/            type a text: only markets and events that hold it are shown. Esc clears it',
  'o            only markets with a position or a quote of ours',
  '?            this help, and back',
  'q, Ctrl-C    stop: cancel every order, compare the account with the exchange, print it. Ctrl-C again exits at once',
  '',
  'Halts (!!!) and alarms (!) come first, then money, then health. Markets come last: ours first, then untrusted books.',
  'Times are UTC. Colors repeat words and signs; NO_COLOR=1 turns them off.',
];

function helpPage(content: PageContent, view: PageView, size: PageSize): RenderedPage {
  const { width } = size;
  const [head = [], ...rest] = [...headLines(content, width), ...haltLines(content, width)];
  const help = HELP.flatMap((text) => (text === '' ? [''] : wrappedHelp(text, width))).map((text) => pageLine(text));
  const lines = [...rest, [], ...help];
  return scrolledPage({ head, total: lines.length, view, size }, (from, to) => lines.slice(from, to));
}

/** A line that fits keeps its columns. */
const wrappedHelp = (text: string, width: number): string[] =>
  text.length <= width ? [text] : wrappedText(text.replaceAll(/ {2,}/g, '  '), width);
