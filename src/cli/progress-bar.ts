// A bar that shows how far long work has come, on a terminal alone: on stderr, so that what is printed stays data.
import { SingleBar } from 'cli-progress';
import { drawingOn, shown } from './terminal.ts';

/** Work whose end is known. */
export interface Progress {
  /** So much of the whole is done, in its own unit. */
  readonly at: (done: number, total: number) => void;
  readonly end: () => void;
}

/** Begins to show progress; shows nothing where stderr is no terminal. */
export function progressBar(what: string): Progress {
  if (!process.stderr.isTTY) return { at: () => undefined, end: () => undefined };
  const format = `${shown(what)} {bar} {percentage}%  {eta_formatted} left`;
  const bar = new SingleBar({
    format,
    stream: drawingOn(process.stderr),
    clearOnComplete: true,
    hideCursor: true,
    barsize: 30,
  });
  let isStarted = false;
  return {
    at: (done, total) => {
      if (isStarted) bar.setTotal(total);
      else bar.start(total, 0);
      isStarted = true;
      bar.update(Math.min(done, total));
    },
    end: () => {
      if (isStarted) bar.stop();
    },
  };
}
