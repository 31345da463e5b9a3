// Splits the answer to a batch into an answer for each order, as if each had been sent alone. Pure. Must never take an
// order for refused when it may have been executed, nor match entries by their place: a venue may change the sequence.
import { isDeepStrictEqual } from 'node:util';
import type { BatchedCommand } from '../../../domain/venue-command.ts';
import type { AnswerOutcome, BatchRefusal } from '../../../venue.ts';
import type { WireProfile } from '../profiles/wire-profile.ts';
import { CONFLICT, TOO_MANY, UNAUTHORIZED, isDefinite, isSuccess, statusOfCode } from '../wire/answer-status.ts';
import { codecOf, tryDecode } from '../wire/codec.ts';
import { decodeError, describeError } from '../wire/error-body.ts';
import { type JsonRecord, isRecord, parseBody } from '../wire/json-record.ts';
import { WireFault } from '../wire/wire-fault.ts';
import type { CreateBatchItem } from '../wire/wire-records.ts';

type Answered = Extract<AnswerOutcome, { type: 'answered' }>;

/** The outcomes of a batch's commands, in their sequence. */
export interface BatchOutcomes {
  readonly outcomes: readonly AnswerOutcome[];
  readonly refusal: BatchRefusal | null;
}

/** The outcome of each command of a batch. */
export function splitOutcome(
  profile: WireProfile,
  commands: readonly BatchedCommand[],
  outcome: AnswerOutcome,
): BatchOutcomes {
  if (outcome.type === 'answered' && isSuccess(outcome.status)) {
    const entries = entriesOf(profile, commands, outcome.body);
    return { outcomes: commands.map((command) => outcomeOf(outcome, entries.get(nameOf(command)))), refusal: null };
  }
  const refused = outcome.type === 'answered' ? refusalOf(profile, outcome) : { each: outcome, refusal: null };
  return { outcomes: commands.map(() => refused.each), refusal: refused.refusal };
}

/** The outcome of each order of a batch that the venue did not execute, or not certainly. */
function refusalOf(
  { errors }: WireProfile,
  outcome: Answered,
): { readonly each: AnswerOutcome; readonly refusal: BatchRefusal | null } {
  const { status, body } = outcome;
  const error = decodeError(status, body);
  const reason = describeError(status, error);
  if (status === TOO_MANY) return { each: outcome, refusal: { cause: 'rate', reason } };
  // Each order is then refused for the same cause.
  if (error.code === errors.groupTriggered) return { each: outcome, refusal: null };
  // A conflict may be that of one order alone.
  if (status === CONFLICT || !isDefinite(status)) return { each: { type: 'unknown', reason }, refusal: null };
  const each = { type: 'not-sent', reason: `the venue refused the batch: ${reason}` } as const;
  // A refused signature says nothing about batches.
  return { each, refusal: status === UNAUTHORIZED ? null : { cause: 'batch', reason } };
}

/** The name of the list of entries, the same in every dialect. */
const ENTRIES = 'orders';

/** An order's entry in the answer. */
interface Entry {
  readonly json: JsonRecord;
  /** Code of the refusal; `null` for an order that was executed. */
  readonly code: string | null;
}

function outcomeOf(whole: Answered, entry: Entry | undefined): AnswerOutcome {
  if (entry === undefined) return { type: 'unknown', reason: 'the answer to the batch has no readable entry for it' };
  const { json, code } = entry;
  if (code !== null) return { ...whole, body: JSON.stringify(json), status: statusOfCode(code) };
  const { error, ...executed } = json;
  return { ...whole, body: JSON.stringify(error === null ? executed : json) };
}

/** The name of a command's entry in the answer: a new order has no venue order id yet. */
const nameOf = (command: BatchedCommand): string =>
  command.type === 'place' ? command.clientOrderId : command.venueOrderId;

/** The entries by name. An order is left out when its entry cannot be read, or when two things are said of it. */
function entriesOf(
  { records }: WireProfile,
  [first]: readonly BatchedCommand[],
  body: string,
): ReadonlyMap<string, Entry> {
  const answer = parseBody(body);
  const items = isRecord(answer) ? answer[ENTRIES] : null;
  const entries = new Map<string, Entry>();
  const doubtful = new Set<string>();
  for (const json of Array.isArray(items) ? items : []) {
    if (!isRecord(json)) continue;
    const { name, entry } = first?.type === 'place' ? createdEntry(records, json) : canceledEntry(records, json);
    if (name === null) continue;
    const known = entries.get(name);
    if (entry === null || (known !== undefined && !isDeepStrictEqual(known, entry))) doubtful.add(name);
    else entries.set(name, entry);
  }
  for (const name of doubtful) entries.delete(name);
  return entries;
}

interface NamedEntry {
  /** The order's name; `null` when it cannot be read. */
  readonly name: string | null;
  /** `null` when the entry cannot be read, or says two things of its order. */
  readonly entry: Entry | null;
}

function createdEntry({ orderCreatedItem }: WireProfile['records'], json: JsonRecord): NamedEntry {
  const item = tryDecode(codecOf(orderCreatedItem), json);
  if (item instanceof WireFault) return { name: rawText(json, orderCreatedItem.fields.clientOrderId), entry: null };
  return { name: item.clientOrderId, entry: entryOf(item, json) };
}

function canceledEntry({ orderCanceledItem }: WireProfile['records'], json: JsonRecord): NamedEntry {
  const item = tryDecode(codecOf(orderCanceledItem), json);
  if (item instanceof WireFault) return { name: rawText(json, orderCanceledItem.fields.orderId), entry: null };
  return { name: item.orderId, entry: entryOf(item, json) };
}

function rawText(json: JsonRecord, field: object): string | null {
  const found = 'wire' in field && typeof field.wire === 'string' ? json[field.wire] : null;
  return typeof found === 'string' ? found : null;
}

type Item = Pick<CreateBatchItem, 'order' | 'error'>;

const entryOf = ({ order, error }: Item, json: JsonRecord): Entry | null =>
  order !== null && error !== null ? null : { json, code: error?.code ?? null };
