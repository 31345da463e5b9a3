// Parses feed commands by the profile's records, and maps each error to its code. Must never execute a command: the
// session does.
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import { WireFault } from '../../venues/trade-api/wire/wire-fault.ts';
import type { FeedProfile, SilentChannel } from '../../venues/trade-api/profiles/wire-profile.ts';
import type {
  SubscribeRecord,
  UnsubscribeRecord,
  UpdateSubscriptionRecord,
} from '../../venues/trade-api/wire/wire-records.ts';
import type { RecordSpec } from '../../venues/trade-api/wire/record-spec.ts';
import { type FEED_ERRORS, FeedError } from './feed-errors.ts';
import { isRecord, parseJson } from '../api/json-text.ts';

/** A parsed command. */
export type FeedCommand =
  | { readonly type: 'subscribe'; readonly params: SubscribeRecord; readonly silent: readonly SilentChannel[] }
  | { readonly type: 'unsubscribe'; readonly params: UnsubscribeRecord }
  | { readonly type: 'update'; readonly params: UpdateSubscriptionRecord }
  | { readonly type: 'list' };

/** A client message: the client's id of the command, and the command or its error. */
export interface ParsedMessage {
  /** Zero when the client gave no valid id. */
  readonly id: number;
  readonly command: FeedCommand | FeedError;
}

/** The parts of a profile that determine the commands. */
export interface CommandProfile {
  readonly feed: FeedProfile;
  readonly silentChannels: readonly SilentChannel[];
}

/** Parses a client message. A message that cannot be parsed gives an error with its id, or with id 0. */
export function parseMessage(language: CommandProfile, text: string): ParsedMessage {
  const message = parseJson(text);
  if (!isRecord(message)) return { id: 0, command: new FeedError('unreadable') };
  const { id, cmd, params } = message;
  const commandId = typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : 0;
  try {
    return { id: commandId, command: readCommand(language, cmd, params) };
  } catch (fault) {
    if (fault instanceof FeedError) return { id: commandId, command: fault };
    throw fault;
  }
}

function readCommand(language: CommandProfile, cmd: unknown, params: unknown): FeedCommand {
  const { commands } = language.feed;
  switch (cmd) {
    case commands.list.cmd:
      return { type: 'list' };
    case commands.subscribe.cmd:
      return readSubscribe(language, params);
    case commands.unsubscribe.cmd:
      return { type: 'unsubscribe', params: readParams(commands.unsubscribe.params, params) };
    case commands.update.cmd:
      return { type: 'update', params: readParams(commands.update.params, params) };
    default:
      throw new FeedError(typeof cmd === 'string' ? 'unknownCommand' : 'unreadable');
  }
}

/**
 * Parses a subscribe command. Silent channels, on which this exchange never sends, are matched by name. The subscribe
 * record knows the other channels.
 */
function readSubscribe({ feed, silentChannels }: CommandProfile, params: unknown): FeedCommand {
  const spec = feed.commands.subscribe.params;
  const { channels } = spec.fields;
  const wire = 'wire' in channels ? channels.wire : '';
  const channelNames = isRecord(params) ? params[wire] : null;
  const silent = Array.isArray(channelNames) ? silentChannels.filter(({ name }) => channelNames.includes(name)) : [];
  if (silent.length === 0 || !isRecord(params) || !Array.isArray(channelNames))
    return { type: 'subscribe', params: readParams(spec, params), silent };
  const names = new Set<unknown>(silent.map(({ name }) => name));
  const otherNames = channelNames.filter((name) => !names.has(name));
  return { type: 'subscribe', params: readParams(spec, { ...params, [wire]: otherNames }), silent };
}

type Kind = keyof typeof FEED_ERRORS;

/** Error kinds for a missing and for an unreadable member. */
const KINDS: Readonly<Record<string, readonly [missing: Kind, wrong: Kind]>> = {
  channels: ['noChannels', 'unknownChannel'],
  sids: ['noSids', 'invalid'],
  action: ['noAction', 'wrongAction'],
};

function readParams<T>(spec: RecordSpec<T>, params: unknown): T {
  if (!isRecord(params)) throw new FeedError('noParams');
  try {
    return codecOf(spec).decode(params);
  } catch (fault) {
    if (!(fault instanceof WireFault)) throw fault;
    const [missing, wrong] = KINDS[memberOf(spec, fault.field)] ?? ['invalid', 'invalid'];
    throw new FeedError(fault.found === 'nothing' ? missing : wrong);
  }
}

function memberOf(spec: { readonly fields: object }, place: string): string {
  const [wire] = place.split('.');
  const found = Object.entries<unknown>({ ...spec.fields }).find(
    ([, field]) => isRecord(field) && field['wire'] === wire,
  );
  return found?.[0] ?? '';
}
