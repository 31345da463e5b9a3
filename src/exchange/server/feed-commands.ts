// Commands of the feed as they are read: each by the profile's record, each fault by its number.
// Must never do anything; the session does.
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import { WireFault } from '../../venues/trade-api/wire/fault.ts';
import type { FeedProfile } from '../../venues/trade-api/profile.ts';
import type {
  SubscribeRecord,
  UnsubscribeRecord,
  UpdateSubscriptionRecord,
} from '../../venues/trade-api/wire/records.ts';
import type { RecordSpec } from '../../venues/trade-api/wire/spec.ts';
import { type FEED_FAULTS, FeedFault } from './feed-faults.ts';
import { isRecord, parseJson } from './json-text.ts';

/** A command, read. */
export type FeedCommand =
  | { readonly type: 'subscribe'; readonly params: SubscribeRecord }
  | { readonly type: 'unsubscribe'; readonly params: UnsubscribeRecord }
  | { readonly type: 'update'; readonly params: UpdateSubscriptionRecord }
  | { readonly type: 'list' };

/** A message of a client: the number it gave the command, and the command or what is wrong with it. */
export interface ReadMessage {
  /** Zero where it gave none. */
  readonly id: number;
  readonly command: FeedCommand | FeedFault;
}

/** Reads a message of a client. */
export function readMessage(feed: FeedProfile, text: string): ReadMessage {
  const message = parseJson(text);
  if (!isRecord(message)) return { id: 0, command: new FeedFault('unreadable') };
  const { id, cmd, params } = message;
  const number = typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : 0;
  try {
    return { id: number, command: readCommand(feed, cmd, params) };
  } catch (fault) {
    if (fault instanceof FeedFault) return { id: number, command: fault };
    throw fault;
  }
}

function readCommand({ commands }: FeedProfile, cmd: unknown, params: unknown): FeedCommand {
  switch (cmd) {
    case commands.list.cmd:
      return { type: 'list' };
    case commands.subscribe.cmd:
      return { type: 'subscribe', params: read(commands.subscribe.params, params) };
    case commands.unsubscribe.cmd:
      return { type: 'unsubscribe', params: read(commands.unsubscribe.params, params) };
    case commands.update.cmd:
      return { type: 'update', params: read(commands.update.params, params) };
    default:
      throw new FeedFault(typeof cmd === 'string' ? 'unknownCommand' : 'unreadable');
  }
}

type Kind = keyof typeof FEED_FAULTS;

/** What it means that a member is missing, and that it cannot be read. */
const KINDS: Readonly<Record<string, readonly [missing: Kind, wrong: Kind]>> = {
  channels: ['noChannels', 'unknownChannel'],
  sids: ['noSids', 'invalid'],
  action: ['noAction', 'wrongAction'],
};

function read<T>(spec: RecordSpec<T>, params: unknown): T {
  if (!isRecord(params)) throw new FeedFault('noParams');
  try {
    return codecOf(spec).decode(params);
  } catch (fault) {
    if (!(fault instanceof WireFault)) throw fault;
    const [missing, wrong] = KINDS[memberOf(spec, fault.field)] ?? ['invalid', 'invalid'];
    throw new FeedFault(fault.found === 'nothing' ? missing : wrong);
  }
}

/** The member that a fault's place lies in. */
function memberOf(spec: { readonly fields: object }, place: string): string {
  const [wire] = place.split('.');
  const found = Object.entries<unknown>({ ...spec.fields }).find(
    ([, field]) => isRecord(field) && field['wire'] === wire,
  );
  return found?.[0] ?? '';
}
