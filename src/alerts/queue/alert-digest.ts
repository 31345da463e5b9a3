// Makes one message of many records: after quiet hours, after a receiver was down, or in a flood.
import { createHash } from 'node:crypto';
import { type AlertRecord, worseSeverity } from '../record/alert-record.ts';
import { cutText } from '../record/alert-text.ts';

/** Number of listed records. Further records are only counted. */
export const LISTED_MAX = 20;
/** Longest line of the list. Characters. */
const LINE_MAX = 120;
const ID_DIGITS = 32;

/** Joins records into one. `records` begin with the oldest. */
export function digestOf(records: readonly AlertRecord[]): AlertRecord | null {
  const [first] = records;
  if (first === undefined) return null;
  if (records.length === 1) return first;
  const { bot, link } = first;
  const severity = records.map((record) => record.severity).reduce(worseSeverity);
  const rest = records.length - LISTED_MAX;
  const lines = records.slice(0, LISTED_MAX).map(lineOf);
  return {
    id: idOf(records),
    key: `${bot}/digest/`,
    severity,
    bot,
    code: 'digest',
    at: records.at(-1)?.at ?? first.at,
    title: `${bot}: ${records.length} alerts in one message`,
    happened: [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n'),
    did: 'They waited for the end of the quiet hours, for this receiver, or for its limits.',
    do: 'Look at the critical ones first; `presage status` shows the present state.',
    figures: { records: records.length },
    link,
    state: 'firing',
    count: 1,
  };
}

/** The id of a digest: a digest of the same records that is sent twice has the same id. */
const idOf = (records: readonly AlertRecord[]): string =>
  createHash('sha256')
    .update(records.map(({ id }) => id).join('\n'))
    .digest('hex')
    .slice(0, ID_DIGITS);

const lineOf = ({ at, severity, title, state, count }: AlertRecord): string =>
  cutText(
    `${at.slice(0, 16).replace('T', ' ')}Z ${state === 'over' ? 'over' : severity}: ${title}${count > 1 ? ` (${count} times)` : ''}`,
    LINE_MAX,
  );
