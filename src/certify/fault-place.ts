// Where in the author's own file something was thrown. Must never name a place in this program.
/** Frames of this program and of the platform. */
const OURS = /node:|\/(?:src|dist\/src|dist\/backtest|backtest)\/|node_modules/;

/** As ` (file:line)`; empty where the stack does not say. */
export function placeOf(fault: unknown): string {
  if (!(fault instanceof Error) || fault.stack === undefined) return '';
  for (const line of fault.stack.split('\n').slice(1)) {
    const found = /([^/\\(\s]+\.[mc]?[jt]s):(\d+):\d+\)?$/.exec(line);
    if (found !== null && !OURS.test(line)) return ` (${found[1]}:${found[2]})`;
  }
  return '';
}
