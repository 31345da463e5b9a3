// The output and the options of a session's display.
import type { ConsoleNews } from '../../app/session/console-process.ts';
import type { SessionDisplay } from '../../app/session/session-run.ts';
import type { TickerTable } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import type { PageKey } from '../screen/page-view.ts';

/** The output of a display. */
export interface Output {
  write(text: string): void;
  readonly isTTY: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly isColored: boolean;
  /**
   * Calls the listener with the pressed keys. Returns a function that ends the calls, or `null` without keys to read.
   * Absent without a keyboard.
   */
  readonly onKeys?: (listener: (keys: readonly PageKey[]) => void) => (() => void) | null;
  /** Calls the listener after a change of size. Returns a function that ends this. */
  readonly onResize?: (listener: () => void) => () => void;
}

/** A display that also shows the operator's console beside the session. */
export interface ConsoleDisplay extends SessionDisplay {
  /** Called when the console listens, and when the console has ended. */
  showConsole(news: ConsoleNews): void;
}

/** Describes news of the console in one line. */
export const consoleText = (news: ConsoleNews): string =>
  news.type === 'listening' ? `console: ${news.url}` : `the console is gone, trading goes on: ${news.why}`;

export interface DisplayOptions {
  readonly output: Output;
  readonly tickers: TickerTable;
  /** Session time: wall-clock time that does not go back. */
  readonly now: () => Micros;
  /** Called when a key asks for the end of the session. */
  readonly onStop: () => void;
}
