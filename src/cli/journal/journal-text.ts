// Describes an entry of a journal in one line. Pure text.
import type { Command, RequestCommand } from '../../domain/venue-command.ts';
import { readHeader } from '../../tape/format/segment-header.ts';
import { type TapedNotice, answerOf, commandsOf, eventOf, frameOf, noticesOf } from '../../tape/format/input-lines.ts';
import type { Entry } from '../../tape/format/tape-line.ts';
import { centsText, contractsText } from '../../domain/amounts.ts';

const SHOWN_CHARS = 200;

function commandText(command: Command): string {
  switch (command.type) {
    case 'place': {
      const { clientOrderId, side, qty, ticker, price, timeInForce, postOnly } = command;
      const terms = `${side} ${contractsText(qty)} ${ticker} at ${centsText(price)}`;
      return `place ${clientOrderId}: ${terms}, ${timeInForce}${postOnly ? ', post-only' : ''}`;
    }
    case 'cancel':
      return `cancel ${command.clientOrderId} (${command.venueOrderId})`;
    case 'amend':
      return `amend ${command.clientOrderId}: ${contractsText(command.qty)} at ${centsText(command.price)}`;
    case 'decrease':
      return `decrease ${command.clientOrderId} to ${contractsText(command.leavesQty)}`;
    case 'read':
      return `read ${Object.values(command.target).map(wordOf).join(' ')}`;
    case 'reconnect':
    case 'renew':
    case 'renew-private':
    case 'resync':
    case 'subscribe':
    case 'unsubscribe':
      return `${command.type}${'tickers' in command ? ` ${command.tickers.join(' ')}` : ''}`;
  }
}

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Describes an entry in one line. */
export function entryText(entry: Entry, commandOf: (id: number) => RequestCommand | undefined): string {
  switch (entry.kind) {
    case 'segment':
      return headerText(entry);
    case 'commands':
      return commandsOf(entry).map(commandText).join('; ');
    case 'notices':
      return shown(noticesOf(entry).map(noticeText).join('; '));
    case 'answer':
      return answerText(entry, commandOf);
    case 'event': {
      const { kind, at: _at, ...rest } = eventOf(entry);
      return shown(Object.keys(rest).length === 0 ? kind : `${kind} ${JSON.stringify(rest)}`);
    }
    case 'end':
    case 'feed-down':
    case 'feed-heard':
    case 'feed-sent':
    case 'feed-up':
    case 'frame':
      return shown(entry.payload.toString());
    case 'frame64':
      return shown(Buffer.from(frameOf(entry)).toString());
  }
}

const noticeText = (notice: TapedNotice): string =>
  notice.type === 'alarm'
    ? `alarm ${notice.code}: ${notice.text}`
    : `halt by ${notice.halt.by} of ${Object.values(notice.halt.scope).join(' ')}: ${notice.halt.reason}`;

function headerText(entry: Entry): string {
  const header = readHeader(entry.payload);
  if (typeof header === 'string') return header;
  const { session, segment, of, manifest } = header;
  const made = manifest
    ? `; presage ${manifest.version}, ${manifest.profile}, made of ${manifest.hash.slice(0, 12)}`
    : '';
  return `file ${segment} of the ${of} of session ${session}${made}`;
}

function answerText(entry: Entry, commandOf: (id: number) => RequestCommand | undefined): string {
  const { id, outcome, askedAt } = answerOf(entry);
  const command = commandOf(id);
  const request = command === undefined ? `request ${id}` : commandText(command);
  const tookMs = ((entry.at - askedAt) / 1000).toFixed(1);
  const answer =
    outcome.type === 'answered' ? `${outcome.status} ${outcome.body}` : `${outcome.type}: ${outcome.reason}`;
  return `to “${request}” after ${tookMs} ms: ${shown(answer)}`;
}

function shown(text: string): string {
  // A terminal would execute control characters.
  const line = text.replaceAll(/\p{Cc}+/gu, ' ');
  return line.length <= SHOWN_CHARS ? line : `${line.slice(0, SHOWN_CHARS)}… (${line.length} characters)`;
}
