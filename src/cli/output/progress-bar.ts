// A bar that shows how far long work has come, on a terminal alone: on stderr, so that what is printed stays data.
import { SingleBar } from 'cli-progress';
import { rawStream, escapeText } from './terminal-escapes.ts';

/** Work whose end is known. */
export interface Progress {
  /** So much of the whole is done, in its own unit. */
  readonly update: (done: number, total: number) => void;
  readonly close: () => void;
}

/** Begins to show progress; shows nothing where stderr is no terminal. */
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
