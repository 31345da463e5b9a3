// A display of a session that writes into a list, with keys and sizes that a test sets.
import { fromMillis } from '../../../src/domain/units.ts';
import type { PageKey } from '../../../src/cli/screen/page-view.ts';
import { readKeys } from '../../../src/cli/screen/page-view.ts';
import type { ConsoleDisplay, Output } from '../../../src/cli/show/display-options.ts';
import { type DisplayMode, makeDisplay } from '../../../src/cli/show/session-display.ts';
import { tickerTable } from '../../support/engine/builders.ts';

/** 2026-11-23T12:00:00Z. */
export const NOON_MS = Date.UTC(2026, 10, 23, 12);

/** A display and what it has written. */
export interface ShownDisplay {
  readonly display: ConsoleDisplay;
  readonly writes: string[];
  /** Lets time pass. Milliseconds. */
  readonly pass: (ms: number) => void;
  /** Number of requests to stop. */
  readonly stops: () => number;
  /** Sends what a terminal would send. */
  readonly press: (sent: string) => void;
  /** Changes the terminal's size. */
  readonly resize: (columns: number, rows: number) => void;
}

/** Makes a display of a mode, on a terminal of 200 × 60 unless said otherwise. */
export function showDisplay(mode: DisplayMode, over: Partial<Output> = {}): ShownDisplay {
  const writes: string[] = [];
  const size = { columns: 200, rows: 60, ...over };
  let stops = 0;
  let nowMs = NOON_MS;
  let onKeys: (keys: readonly PageKey[]) => void = () => undefined;
  let onResize = (): void => undefined;
  const output: Output = {
    write: (text) => writes.push(text),
    isTTY: true,
    isColored: false,
    onKeys: (listener) => {
      onKeys = listener;
      return () => void (onKeys = () => undefined);
    },
    onResize: (listener) => {
      onResize = listener;
      return () => void (onResize = () => undefined);
    },
    ...over,
    get columns() {
      return size.columns;
    },
    get rows() {
      return size.rows;
    },
  };
  const display = makeDisplay(mode, {
    output,
    tickers: tickerTable(3),
    now: () => fromMillis(nowMs),
    onStop: () => (stops += 1),
  });
  return {
    display,
    writes,
    pass: (ms) => void (nowMs += ms),
    stops: () => stops,
    press: (sent) => onKeys(readKeys(sent)),
    resize: (columns, rows) => {
      size.columns = columns;
      size.rows = rows;
      onResize();
    },
  };
}
