// Displays of a running session: a page on a terminal, plain lines when piped, JSON lines on request.
import type { ConsoleNews } from '../../app/session/console-process.ts';
import { centsText, dollarsText, signedContracts, signedDollars } from '../../domain/amounts.ts';
import type { SessionSnapshot } from '../../report/account/session-snapshot.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import { RepeatedDenials } from '../../runtime/session/repeated-denials.ts';
import { escapeText } from '../output/terminal-escapes.ts';
import { clockText } from '../output/text-format.ts';
import { PageDisplay } from '../screen/page-display.ts';
import { type Tone, paintLine } from '../screen/page-line.ts';
import { type ConsoleDisplay, type DisplayOptions, consoleText } from './display-options.ts';
import { type RunRecord, noticeRecord, repeatedDenialRecord, timeMembers } from './notice-record.ts';
import { noticeText, noticeTone } from './notice-text.ts';

export type DisplayMode = 'page' | 'lines' | 'json';

const LINES_EVERY_MS = 5000;

/** Creates the display of a mode. */
export function makeDisplay(mode: DisplayMode, options: DisplayOptions): ConsoleDisplay {
  if (mode === 'json') return jsonDisplay(options);
  return mode === 'page' ? new PageDisplay(options) : linesDisplay(options);
}

/** Prints notices at once, and the main figures every few seconds. */
function linesDisplay({ output, tickers }: DisplayOptions): ConsoleDisplay {
  let elapsedMs = 0;
  let shownMs = -LINES_EVERY_MS;
  const print = (text: string, tone: Tone = 'plain'): void => {
    const line = [{ text: escapeText(`${clockText(elapsedMs).padStart(5)}  ${text}`), tone }];
    output.write(`${paintLine(line, output.isColored)}\n`);
  };
  return {
    showNotice(notice) {
      const text = noticeText(notice, tickers);
      if (text !== null) print(text, noticeTone(notice));
    },
    showSnapshot(snapshot) {
      elapsedMs = snapshot.elapsedMs;
      if (elapsedMs - shownMs < LINES_EVERY_MS) return;
      shownMs = elapsedMs;
      print(mainFigures(snapshot));
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
  const money = account.isOpen
    ? `equity ${dollarsText(account.equity)} profit ${signedDollars(account.profit)}`
    : 'the account is not read yet';
  return `${phase}: feed ${feed.isUp ? `${feed.ageMs} ms` : 'DOWN'}, ${orders.working} orders, fills ${fills || 0}, ${money} | ${touches.join(' | ')}`;
}

function jsonDisplay({ output, tickers, now }: DisplayOptions): ConsoleDisplay {
  let elapsedMs = 0;
  let shownMs = -1000;
  let phase = '';
  const print = ({ type, ...members }: RunRecord): void =>
    output.write(`${JSON.stringify({ type, ...timeMembers(now()), elapsedMs, ...members })}\n`);
  const denials = new RepeatedDenials();
  const printRepeated = (isLast = false): void => {
    for (const count of isLast ? denials.takeAll(now()) : denials.takeDue(now()))
      print(repeatedDenialRecord(count, tickers));
  };
  // Equal denials are one record, then a number once a minute, as in the log: a halted bot is denied at every change.
  const isRepeated = (notice: Notice): boolean => notice.type === 'denied' && !denials.countDenial(notice, now());
  return {
    showNotice(notice) {
      const record = isRepeated(notice) ? null : noticeRecord(notice, tickers);
      if (record !== null) print(record);
    },
    showSnapshot(snapshot) {
      elapsedMs = snapshot.elapsedMs;
      printRepeated();
      if (elapsedMs - shownMs < 1000 && snapshot.phase === phase) return;
      shownMs = elapsedMs;
      phase = snapshot.phase;
      print(snapshotRecord(snapshot));
    },
    showConsole: (news) => print(consoleRecord(news)),
    close: () => printRepeated(true),
  };
}

function snapshotRecord(snapshot: SessionSnapshot): RunRecord {
  const { at, strategies, ...figures } = snapshot;
  return { type: 'snapshot', ...figures, ...timeMembers(at), strategies: strategies.map(withDenials) };
}

const consoleRecord = (news: ConsoleNews): RunRecord =>
  news.type === 'listening'
    ? { type: 'console', url: news.url, why: null }
    : { type: 'console', url: null, why: news.why };

/** Replaces the map of denials by an object, which has a JSON form. */
export const withDenials = (tally: SessionSnapshot['strategies'][number]): object => ({
  ...tally,
  denials: Object.fromEntries(tally.denials),
});
