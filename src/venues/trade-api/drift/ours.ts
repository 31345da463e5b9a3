// Answers and messages laid beside our own schemas: what the dialect's codecs pass over, and what they cannot read. Pure.
// Must never be stricter or milder than the codecs that trade: it asks those very ones.
import {
  type EndpointName,
  type FeedProfile,
  type FurtherRecords,
  type Records,
  type WireProfile,
} from '../profile.ts';
import { type Note, codecOf } from '../wire/codec.ts';
import { bareCode, parseError } from '../wire/errors.ts';
import { WireFault, describeFound } from '../wire/fault.ts';
import { isRecord, parseBody } from '../wire/json.ts';
import type { AnySpec, RecordSpec } from '../wire/spec.ts';
import { type Finding, type FindingKind, WHOLE, undescribed } from './finding.ts';
import type { SeenAnswer } from './published.ts';

/** Our own schemas of one dialect. */
export class OwnSchemas {
  readonly #profile: WireProfile;
  readonly #endpoints: readonly Known[];
  readonly #messages: ReadonlyMap<string, AnySpec>;

  constructor(profile: WireProfile) {
    this.#profile = profile;
    this.#endpoints = knownEndpoints(profile);
    this.#messages = messagesOf(profile.feed);
  }

  /** Whatever in an answer our codecs do not read. */
  compare({ method, path, status, body }: SeenAnswer): Finding[] {
    const known = this.#endpointOf(method, path);
    if (known === undefined) return [undescribed('endpoint', 'an endpoint that we know')];
    if (status < 200 || status >= 300) return compareRefusal(status, body ?? '');
    const spec = specOf(this.#profile.records, known.name);
    if (spec === null) return [];
    const json = parseBody(body ?? '');
    if (json === undefined) return [unreadable('JSON', body)];
    return compareRecord(spec, json);
  }

  /** What an answer's endpoint is called: its method and its path below the base; `null` when we know none. */
  nameOf({ method, path }: Pick<SeenAnswer, 'method' | 'path'>): string | null {
    const known = this.#endpointOf(method, path);
    return known === undefined ? null : `${method} ${known.path}`;
  }

  #endpointOf(method: string, path: string): Known | undefined {
    const bare = path.split('?')[0] ?? '';
    return this.#endpoints.find((one) => one.method === method && one.matches.test(bare));
  }

  /** Whatever in a message of the feed our codecs do not read. */
  compareMessage(message: unknown): Finding[] {
    if (!isRecord(message)) return [unreadable('a record', message)];
    const { type } = message;
    const spec = this.#messages.get(String(type));
    if (spec !== undefined) return compareRecord(spec, message['msg'] ?? {});
    const { unsubscribed } = this.#profile.feed.replies;
    return type === unsubscribed.type ? [] : [undescribed(`type ${describeFound(type)}`, 'a message that we know')];
  }
}

interface Known {
  readonly name: EndpointName;
  readonly method: string;
  readonly path: string;
  readonly matches: RegExp;
}

/** Those whose paths say most stand first: `/a/b` before `/a/{x}`. */
function knownEndpoints({ basePath, endpoints }: WireProfile): Known[] {
  return Object.entries(endpoints)
    .map(([name, { method, path }]) => ({
      // tidy: as (the keys of a profile's endpoints are their names)
      name: name as EndpointName,
      method,
      path,
      parts: path.split('/').filter((part) => part.startsWith('{')).length,
      matches: new RegExp(`^${basePath}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    }))
    .sort((a, b) => a.parts - b.parts);
}

function messagesOf({ messages, replies }: FeedProfile): ReadonlyMap<string, AnySpec> {
  const specs = new Map<string, AnySpec>();
  for (const message of Object.values(messages)) if (message !== null) specs.set(message.type, anySpec(message.record));
  for (const reply of [replies.subscribed, replies.updated, replies.error])
    specs.set(reply.type, anySpec(reply.record));
  return specs;
}

// tidy: as (the types of a spelling say what it spells; here it is only looked at)
const anySpec = (spec: RecordSpec<never> | RecordSpec<unknown> | object): AnySpec => spec as AnySpec;

/** The records of answers that are not called as their endpoint is. */
const ANSWERS: Partial<Record<EndpointName, keyof Records>> = {
  createOrder: 'orderCreated',
  cancelOrder: 'orderCanceled',
  amendOrder: 'orderAmended',
  decreaseOrder: 'orderDecreased',
  createOrders: 'ordersCreated',
  cancelOrders: 'ordersCanceled',
  historicalMarkets: 'markets',
  historicalMarket: 'market',
  historicalPrints: 'prints',
  historicalOrders: 'orders',
  historicalFills: 'fills',
  historicalPositions: 'positions',
};
const FURTHER_ANSWERS: Partial<Record<EndpointName, keyof FurtherRecords>> = {
  createGroup: 'groupCreated',
  createSubaccount: 'subaccountCreated',
  shardTransfer: 'shardTransferred',
};
/** What these say on success is nothing. */
const SILENT: ReadonlySet<EndpointName> = new Set([
  'cancelAll',
  'deleteGroup',
  'resetGroup',
  'triggerGroup',
  'limitGroup',
  'subaccountTransfer',
]);

function specOf(records: Records, name: EndpointName): AnySpec | null {
  if (SILENT.has(name)) return null;
  const all: Readonly<Record<string, object | undefined>> = { ...records.further, ...records };
  const spec = all[ANSWERS[name] ?? FURTHER_ANSWERS[name] ?? name];
  return spec === undefined ? null : anySpec(spec);
}

function compareRecord(spec: AnySpec, json: unknown): Finding[] {
  const findings: Finding[] = [];
  const note: Note = (what, detail) => findings.push(findingOfNote(what, detail));
  try {
    // tidy: as (as above: only read, never used)
    codecOf(spec as unknown as RecordSpec<unknown>).decode(json, note);
  } catch (fault) {
    if (!(fault instanceof WireFault)) throw fault;
    findings.push(findingOfFault(fault));
  }
  return findings;
}

const KINDS: Readonly<Record<string, FindingKind>> = { field: 'unknown-field', value: 'new-value' };

/** What a codec passed over. */
function findingOfNote(what: string, detail: string): Finding {
  const [kind = '', path = ''] = what.split(' ');
  const isField = kind === 'field';
  return {
    kind: KINDS[kind] ?? (detail.endsWith('found nothing') ? 'missing-field' : 'wrong-type'),
    path,
    expected: isField ? 'no such member' : kind === 'value' ? 'a value that we know' : 'a record that we can read',
    found: isField ? 'one' : detail,
  };
}

const findingOfFault = ({ record, field, expected, found }: WireFault): Finding => ({
  kind: found === 'nothing' ? 'missing-field' : 'wrong-type',
  path: `${record}.${field}`,
  expected,
  found,
});

/** A refusal is read by its code: one without any would be told by its status alone. */
function compareRefusal(status: number, body: string): Finding[] {
  const json = parseBody(body);
  if (!isRecord(json) || parseError(status, body).code !== bareCode(status) || 'msg' in json) return [];
  return [unreadable('a refusal with a code', json)];
}

const unreadable = (expected: string, found: unknown): Finding => ({
  kind: 'wrong-type',
  path: WHOLE,
  expected,
  found: describeFound(found),
});
