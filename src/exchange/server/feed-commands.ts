// Commands of the feed as they are read: each by the profile's record, each fault by its number.
// Must never do anything; the session does.
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import { WireFault } from '../../venues/trade-api/wire/fault.ts';
import type { FeedProfile, SilentChannel } from '../../venues/trade-api/profile.ts';
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
  | { readonly type: 'subscribe'; readonly params: SubscribeRecord; readonly silent: readonly SilentChannel[] }
  | { readonly type: 'unsubscribe'; readonly params: UnsubscribeRecord }
  | { readonly type: 'update'; readonly params: UpdateSubscriptionRecord }
  | { readonly type: 'list' };

/** A message of a client: the number it gave the command, and the command or what is wrong with it. */
export interface ReadMessage {
  /** Zero where it gave none. */
  readonly id: number;
  readonly command: FeedCommand | FeedFault;
}

/** What commands are read by. */
export interface FeedLanguage {
  readonly feed: FeedProfile;
  readonly silentChannels: readonly SilentChannel[];
}

/** Reads a message of a client. */
export function readMessage(language: FeedLanguage, text: string): ReadMessage {
  const message = parseJson(text);
  if (!isRecord(message)) return { id: 0, command: new FeedFault('unreadable') };
  const { id, cmd, params } = message;
  const number = typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : 0;
  try {
    return { id: number, command: readCommand(language, cmd, params) };
  } catch (fault) {
    if (fault instanceof FeedFault) return { id: number, command: fault };
    throw fault;
  }
}

function readCommand(language: FeedLanguage, cmd: unknown, params: unknown): FeedCommand {
  const { commands } = language.feed;
  switch (cmd) {
    case commands.list.cmd:
      return { type: 'list' };
    case commands.subscribe.cmd:
      return readSubscribe(language, params);
    case commands.unsubscribe.cmd:
      return { type: 'unsubscribe', params: read(commands.unsubscribe.params, params) };
    case commands.update.cmd:
      return { type: 'update', params: read(commands.update.params, params) };
    default:
      throw new FeedFault(typeof cmd === 'string' ? 'unknownCommand' : 'unreadable');
  }
}

/** Channels that say nothing are none of the record's: they are read by their names, and the rest without them. */
function readSubscribe({ feed, silentChannels }: FeedLanguage, params: unknown): FeedCommand {
  const spec = feed.commands.subscribe.params;
  const { channels } = spec.fields;
  const wire = 'wire' in channels ? channels.wire : '';
  const asked = isRecord(params) ? params[wire] : null;
  const silent = Array.isArray(asked) ? silentChannels.filter(({ name }) => asked.includes(name)) : [];
  if (silent.length === 0 || !isRecord(params) || !Array.isArray(asked))
    return { type: 'subscribe', params: read(spec, params), silent };
  const names = new Set<unknown>(silent.map(({ name }) => name));
  const heard = asked.filter((name) => !names.has(name));
  return { type: 'subscribe', params: read(spec, { ...params, [wire]: heard }), silent };
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
