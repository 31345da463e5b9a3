// The result of canceling a scope, in lines for people. Pure text.
import type { CancelReport } from '../../app/operate/cancel-escalation.ts';

/** Renders the result. */
export function cancelLines(report: CancelReport): string[] {
  const { isDone, by, left, remarks, elapsedMs } = report;
  const seconds = (elapsedMs / 1000).toFixed(1);
  const who = by.map((name) => (name === 'command' ? 'this command itself' : `the ${name}`)).join(' and ');
  const head = isDone
    ? `${seenText(report)}${who === '' ? '' : `; canceled by ${who}`} (${seconds} s)`
    : `NOT DONE after ${seconds} s: ${left === null ? 'it is not known what rests' : `${left.length} orders MAY STILL REST`}`;
  const rows = (left ?? []).map(
    ({ venueOrderId, clientOrderId, ticker, state }) => `  ${ticker}  ${venueOrderId ?? clientOrderId ?? ''}  ${state}`,
  );
  return [head, ...(isDone ? [] : rows), ...remarks];
}

function seenText({ isSeenAtVenue, isPaperOver }: CancelReport): string {
  if (isPaperOver) return 'no paper session runs: its orders ended with it';
  return isSeenAtVenue ? 'the exchange’s own list shows nothing left' : 'the bot reports that nothing is left';
}
