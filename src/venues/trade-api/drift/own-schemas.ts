// Finds what a dialect's codecs skip or cannot decode. Must never be stricter or more lenient than the trading codecs.
import type { EndpointName, FeedProfile, ExtensionRecords, WireSpecs, WireProfile } from '../profiles/wire-profile.ts';
import { type OnSkipped, codecOf } from '../wire/codec.ts';
import { codeOfStatus, decodeError } from '../wire/error-body.ts';
import { WireFault, describeValue } from '../wire/wire-fault.ts';
import { isRecord, parseBody } from '../wire/json-record.ts';
import type { AnySpec, RecordSpec } from '../wire/record-spec.ts';
import { type DriftFinding, type DriftFindingKind, WHOLE_VALUE, undescribedFinding } from './drift-finding.ts';
import type { SeenAnswer } from './published-schemas.ts';

/** Our own schemas of one dialect. */
export class OwnSchemas {
  readonly #profile: WireProfile;
  readonly #endpoints: readonly KnownEndpoint[];
  readonly #messages: ReadonlyMap<string, AnySpec>;

  constructor(profile: WireProfile) {
    this.#profile = profile;
    this.#endpoints = knownEndpoints(profile);
    this.#messages = messagesOf(profile.feed);
  }

  compareAnswer({ method, path, status, body }: SeenAnswer): DriftFinding[] {
    const known = this.#endpointOf(method, path);
    if (known === undefined) return [undescribedFinding('endpoint', 'an endpoint that we know')];
    if (status < 200 || status >= 300) return compareRefusal(status, body ?? '');
    const spec = specOf(this.#profile.records, known.name);
    if (spec === null) return [];
    const json = parseBody(body ?? '');
    if (json === undefined) return [unreadable('JSON', body)];
    return compareRecord(spec, json);
  }

  /** Method and path of an answer's endpoint; `null` when the endpoint is unknown. */
  endpointNameOf({ method, path }: Pick<SeenAnswer, 'method' | 'path'>): string | null {
    const known = this.#endpointOf(method, path);
    return known === undefined ? null : `${method} ${known.path}`;
  }

  #endpointOf(method: string, path: string): KnownEndpoint | undefined {
    const bare = path.split('?')[0] ?? '';
    return this.#endpoints.find((endpoint) => endpoint.method === method && endpoint.matches.test(bare));
  }

  compareMessage(message: unknown): DriftFinding[] {
    if (!isRecord(message)) return [unreadable('a record', message)];
    const { type } = message;
    const spec = this.#messages.get(String(type));
    if (spec !== undefined) return compareRecord(spec, message['msg'] ?? {});
    const { unsubscribed } = this.#profile.feed.replies;
    return type === unsubscribed.type
      ? []
      : [undescribedFinding(`type ${describeValue(type)}`, 'a message that we know')];
  }
}

interface KnownEndpoint {
  readonly name: EndpointName;
  readonly method: string;
  readonly path: string;
  readonly matches: RegExp;
}

/** Most specific paths first: `/a/b` before `/a/{x}`. */
function knownEndpoints({ basePath, endpoints }: WireProfile): KnownEndpoint[] {
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

// tidy: as (the spec's type parameter ties it to its record; here it is only read)
const anySpec = (spec: RecordSpec<never> | RecordSpec<unknown> | object): AnySpec => spec as AnySpec;

const ANSWERS: Partial<Record<EndpointName, keyof WireSpecs>> = {
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
const FURTHER_ANSWERS: Partial<Record<EndpointName, keyof ExtensionRecords>> = {
  createGroup: 'groupCreated',
  createSubaccount: 'subaccountCreated',
  shardTransfer: 'shardTransferred',
};
/** Endpoints whose successful answer has no body that we read. */
const BODYLESS: ReadonlySet<EndpointName> = new Set([
  'cancelAll',
  'deleteGroup',
  'resetGroup',
  'triggerGroup',
  'limitGroup',
  'subaccountTransfer',
]);

function specOf(records: WireSpecs, name: EndpointName): AnySpec | null {
  if (BODYLESS.has(name)) return null;
  const all: Readonly<Record<string, object | undefined>> = { ...records.extensions, ...records };
  const spec = all[ANSWERS[name] ?? FURTHER_ANSWERS[name] ?? name];
  return spec === undefined ? null : anySpec(spec);
}

function compareRecord(spec: AnySpec, json: unknown): DriftFinding[] {
  const findings: DriftFinding[] = [];
  const onSkipped: OnSkipped = (what, detail) => findings.push(findingOfSkipped(what, detail));
  try {
    // tidy: as (the decoded record is dropped: only the skipped parts are used)
    codecOf(spec as unknown as RecordSpec<unknown>).decode(json, onSkipped);
  } catch (fault) {
    if (!(fault instanceof WireFault)) throw fault;
    findings.push(findingOfFault(fault));
  }
  return findings;
}

const KINDS: Readonly<Record<string, DriftFindingKind>> = { field: 'unknown-field', value: 'new-value' };

function findingOfSkipped(what: string, detail: string): DriftFinding {
  const [kind = '', path = ''] = what.split(' ');
  const isField = kind === 'field';
  return {
    kind: KINDS[kind] ?? (detail.endsWith('found nothing') ? 'missing-field' : 'wrong-type'),
    path,
    expected: isField ? 'no such member' : kind === 'value' ? 'a value that we know' : 'a record that we can read',
    found: isField ? 'one' : detail,
  };
}

const findingOfFault = ({ record, field, expected, found }: WireFault): DriftFinding => ({
  kind: found === 'nothing' ? 'missing-field' : 'wrong-type',
  path: `${record}.${field}`,
  expected,
  found,
});

/** A refusal needs a code: a JSON body without one is a difference. */
function compareRefusal(status: number, body: string): DriftFinding[] {
  const json = parseBody(body);
  if (!isRecord(json) || decodeError(status, body).code !== codeOfStatus(status) || 'msg' in json) return [];
  return [unreadable('a refusal with a code', json)];
}

const unreadable = (expected: string, found: unknown): DriftFinding => ({
  kind: 'wrong-type',
  path: WHOLE_VALUE,
  expected,
  found: describeValue(found),
});
