// Displays of a running session: a page that redraws itself on a terminal, plain lines when piped, JSON lines on
// request.
import type { ConsoleNews } from '../../app/session/console-process.ts';
import type { SessionDisplay } from '../../app/session/session-run.ts';
import { cutToWidth } from '../../report/text/text-width.ts';
import type { TickerTable } from '../../domain/ids.ts';

import type { SessionSnapshot } from '../../report/account/session-snapshot.ts';
import { centsText, dollarsText, signedContracts, signedDollars } from '../../domain/amounts.ts';
import { clockText } from '../output/text-format.ts';
import { escapeText } from '../output/terminal-escapes.ts';
import { noticeRecord, noticeText, renderPage } from './session-screen.ts';

/** The output that a display writes to. */
export interface Output {
  write(text: string): void;
  readonly isTTY: boolean;
  readonly columns: number;
  readonly rows: number;
}

export type DisplayMode = 'page' | 'lines' | 'json';

const LATEST_MAX = 8;
const LINES_EVERY_MS = 5000;

/** A display that also shows the operator's console beside the session. */
export interface ConsoleDisplay extends SessionDisplay {
  /** Called when the console listens, and when it has ended. */
  showConsole(news: ConsoleNews): void;
}

const consoleText = (news: ConsoleNews): string =>
  news.type === 'listening' ? `console: ${news.url}` : `the console is gone, trading goes on: ${news.why}`;

/** Creates the display of a mode. */
export function makeDisplay(mode: DisplayMode, output: Output, tickers: TickerTable): ConsoleDisplay {
  if (mode === 'json') return jsonDisplay(output, tickers);
  return mode === 'page' ? pageDisplay(output, tickers) : linesDisplay(output, tickers);
}

/** Redraws in place on the terminal's alternate screen, so that the previous content comes back at the end. */
function pageDisplay(output: Output, tickers: TickerTable): ConsoleDisplay {
  const latest: string[] = [];
  let consoleLines: readonly string[] = [];
  output.write('\u001B[?1049h\u001B[?25l');
  return {
    showNotice(notice) {
      const text = noticeText(notice, tickers);
      if (text === null) return;
      latest.push(text);
      if (latest.length > LATEST_MAX) latest.shift();
    },
    showSnapshot(snapshot) {
      const page = [...consoleLines, ...renderPage(snapshot, latest, output.columns - 1)];
      const lines = page.slice(0, output.rows - 1);
      const drawn = lines.map((line) => `${cutToWidth(rowText(line), output.columns - 1)}\u001B[K`).join('\n');
      output.write(`\u001B[H${drawn}\u001B[J`);
    },
    showConsole: (news) => {
      consoleLines = [consoleText(news)];
    },
    close: () => output.write('\u001B[?25h\u001B[?1049l'),
  };
}

/** Returns a row of the page: one line, in which all characters that a terminal would execute are escaped. */
const rowText = (line: string): string => escapeText(line.replaceAll('\n', ' '));

/** Prints notices as they come, and a line with the main figures every few seconds. */
function linesDisplay(output: Output, tickers: TickerTable): ConsoleDisplay {
  let elapsedMs = 0;
  let shownMs = -LINES_EVERY_MS;
  const stamp = (): string => clockText(elapsedMs).padStart(5);
  return {
    showNotice(notice) {
      const text = noticeText(notice, tickers);
      if (text !== null) output.write(`${stamp()}  ${text}\n`);
    },
    showSnapshot(snapshot) {
      elapsedMs = snapshot.elapsedMs;
      if (elapsedMs - shownMs < LINES_EVERY_MS) return;
      shownMs = elapsedMs;
      output.write(`${stamp()}  ${mainFigures(snapshot)}\n`);
    },
    showConsole: (news) => output.write(`${escapeText(consoleText(news))}\n`),
    close: () => undefined,
  };
}

function mainFigures({ phase, feed, account, orders, markets, strategies }: SessionSnapshot): string {
  const touches = markets
    .filter(({ status }) => status === 'active')
    .map(({ ticker, bid, ask, position }) => {
      const touch = `${bid ? centsText(bid.price) : '-'}/${ask ? centsText(ask.price) : '-'}`;
      return position === 0 ? `${ticker} ${touch}` : `${ticker} ${touch} ${signedContracts(position)}`;
    });
  const fills = strategies.map(({ name, fills: count }) => `${name} ${count}`).join(', ');
  const money = `equity ${dollarsText(account.equity)} profit ${signedDollars(account.profit)}`;
  return `${phase}: feed ${feed.isUp ? `${feed.ageMs} ms` : 'DOWN'}, ${orders.working} orders, fills ${fills || 0}, ${money} | ${touches.join(' | ')}`;
}

function jsonDisplay(output: Output, tickers: TickerTable): ConsoleDisplay {
  let elapsedMs = 0;
  let shownMs = -1000;
  let phase = '';
  const line = (record: object): void => output.write(`${JSON.stringify(record)}\n`);
  return {
    showNotice(notice) {
      const record = noticeRecord(notice, tickers);
      if (record !== null) line({ ...record, elapsedMs });
    },
    showSnapshot(snapshot) {
      elapsedMs = snapshot.elapsedMs;
      if (elapsedMs - shownMs < 1000 && snapshot.phase === phase) return;
      shownMs = elapsedMs;
      phase = snapshot.phase;
      line({ type: 'snapshot', ...snapshot, strategies: snapshot.strategies.map(withDenials) });
    },
    showConsole: (news) =>
      line(
        news.type === 'listening' ? { type: 'console', url: news.url } : { type: 'console', url: null, why: news.why },
      ),
    close: () => undefined,
  };
}

/** Replaces the map of denials, which has no JSON form. */
export const withDenials = (tally: SessionSnapshot['strategies'][number]): object => ({
  ...tally,
  denials: Object.fromEntries(tally.denials),
});
