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
import type { AnySpec, RecordSpec } from '../../venues/trade-api/wire/spec.ts';
import { type FEED_FAULTS, FeedFault } from './feed-faults.ts';

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
  const message = parse(text);
  if (message === null) return { id: 0, command: new FeedFault('unreadable') };
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
  if (typeof params !== 'object' || params === null) throw new FeedFault('noParams');
  try {
    return codecOf(spec).decode(params);
  } catch (fault) {
    if (!(fault instanceof WireFault)) throw fault;
    const [missing, wrong] = KINDS[memberOf(spec as unknown as AnySpec, fault.field)] ?? ['invalid', 'invalid'];
    throw new FeedFault(fault.found === 'nothing' ? missing : wrong);
  }
}

/** The member that a fault's place lies in. */
function memberOf(spec: AnySpec, place: string): string {
  const [wire] = place.split('.');
  const found = Object.entries(spec.fields).find(([, field]) => 'wire' in field && field.wire === wire);
  return found?.[0] ?? '';
}

function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const found: unknown = JSON.parse(text);
    // Whether the members are there, and of what kind, is looked at one by one.
    return typeof found === 'object' && found !== null ? (found as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}
