// Shows the progress of a backtest on stderr, so that printed data stays clean. A terminal gets a bar, any other output
// a line every few seconds.
import { SingleBar } from 'cli-progress';
import type { BacktestProgress } from '../../../backtest/backtest-run.ts';
import { rawStream, escapeText } from '../output/terminal-escapes.ts';

/** Shows progress. */
export interface ProgressDisplay {
  showProgress(progress: BacktestProgress): void;
  close(): void;
}

const WHOLE = 1000;
const BAR_EVERY_MS = 100;
const LINE_EVERY_MS = 5000;

/** Creates the display for stderr. */
export function progressDisplay(label: string): ProgressDisplay {
  return process.stderr.isTTY ? barDisplay(label) : lineDisplay(label);
}

function barDisplay(label: string): ProgressDisplay {
  const bar = new SingleBar({
    format: `${escapeText(label)} {bar} {percentage}%  {rows} rows, {rate}, {left} to go`,
    stream: rawStream(process.stderr),
    clearOnComplete: true,
    hideCursor: true,
    barsize: 30,
  });
  let shownAt = Number.NEGATIVE_INFINITY;
  let isBegun = false;
  return {
    showProgress(progress) {
      const now = performance.now();
      if (now - shownAt < BAR_EVERY_MS) return;
      shownAt = now;
      if (!isBegun) bar.start(WHOLE, 0, texts(progress));
      isBegun = true;
      bar.update(Math.floor(progress.share * WHOLE), texts(progress));
    },
    close: () => {
      if (isBegun) bar.stop();
    },
  };
}

function lineDisplay(label: string): ProgressDisplay {
  let shownAt = performance.now();
  return {
    showProgress(progress) {
      const now = performance.now();
      if (now - shownAt < LINE_EVERY_MS) return;
      shownAt = now;
      const { rows, rate, left } = texts(progress);
      process.stderr.write(`${label} ${Math.floor(progress.share * 100)}%: ${rows} rows, ${rate}, ${left} to go\n`);
    },
    close: () => undefined,
  };
}

const texts = ({ rows, rate, etaSeconds }: BacktestProgress): { rows: string; rate: string; left: string } => ({
  rows: short(rows),
  rate: `${short(rate)}/s`,
  left: etaSeconds < 90 ? `${Math.ceil(etaSeconds)} s` : `${Math.ceil(etaSeconds / 60)} min`,
});

function short(count: number): string {
  if (count >= 1_000_000) return `${(count / 1_000_000).toFixed(1)} M`;
  return count >= 1000 ? `${(count / 1000).toFixed(1)} k` : String(Math.round(count));
}
