// A progress bar on a terminal, drawn on stderr so that printed data stays clean.
import { SingleBar } from 'cli-progress';
import { rawStream, escapeText } from './terminal-escapes.ts';

/** The progress of work with a known end. */
export interface Progress {
  /** Shows the amount done and the total, in the work's own unit. */
  readonly update: (done: number, total: number) => void;
  readonly close: () => void;
}

/** Starts a progress bar. Shows nothing when stderr is not a terminal. */
export function progressBar(what: string): Progress {
  if (!process.stderr.isTTY) return { update: () => undefined, close: () => undefined };
  const format = `${escapeText(what)} {bar} {percentage}%  {eta_formatted} left`;
  const bar = new SingleBar({
    format,
    stream: rawStream(process.stderr),
    clearOnComplete: true,
    hideCursor: true,
    barsize: 30,
  });
  let isStarted = false;
  return {
    update: (done, total) => {
      if (isStarted) bar.setTotal(total);
      else bar.start(total, 0);
      isStarted = true;
      bar.update(Math.min(done, total));
    },
    close: () => {
      if (isStarted) bar.stop();
    },
  };
}
