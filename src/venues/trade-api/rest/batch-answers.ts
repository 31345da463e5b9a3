// Splits the answer to a batch into an answer for each order, as if each had been sent alone. Pure. Must never take an
// order for refused when it may have been executed, nor match entries by their place: a venue may change the sequence.
import { COMMON_REFUSALS } from '../../../domain/common-refusals.ts';
import type { BatchedCommand } from '../../../domain/venue-command.ts';
import type { AnswerOutcome, BatchAnswers } from '../../../venue.ts';
import type { ErrorCodes, WireProfile } from '../profiles/wire-profile.ts';
import { codecOf, tryDecode } from '../wire/codec.ts';
import { decodeError, describeError } from '../wire/error-body.ts';
import { listTexts, parseBody } from '../wire/json-record.ts';
import { WireFault } from '../wire/wire-fault.ts';

type Answered = Extract<AnswerOutcome, { type: 'answered' }>;

/** The outcomes of a batch's commands, in their sequence. */
export interface BatchOutcomes extends Pick<BatchAnswers, 'refusedFor'> {
  readonly outcomes: readonly AnswerOutcome[];
}

const TOO_MANY = 429;
/** Statuses below 500 that leave the outcome open: some orders may have been executed. */
const OPEN: ReadonlySet<number> = new Set([408, 409, 425, 499]);
/** The status for an entry's code that says nothing certain: its order must be looked up. */
const UNCERTAIN = 500;

/** The outcome of each command of a batch. */
export function splitOutcome(
  profile: WireProfile,
  commands: readonly BatchedCommand[],
  outcome: AnswerOutcome,
): BatchOutcomes {
  const all = (each: AnswerOutcome): readonly AnswerOutcome[] => commands.map(() => each);
  if (outcome.type !== 'answered') return { outcomes: all(outcome), refusedFor: null };
  const { status, body } = outcome;
  if (status === TOO_MANY) return { outcomes: all(outcome), refusedFor: 'rate' };
  if (status >= 400 && status < 500 && !OPEN.has(status)) {
    const reason = `the venue refused the batch: ${describeError(status, decodeError(status, body))}`;
    return { outcomes: all({ type: 'not-sent', reason }), refusedFor: 'batch' };
  }
  const entries = status >= 200 && status < 300 ? entriesOf(profile, commands, body) : null;
  // Each command then gets the whole answer, which leaves its outcome open.
  if (entries === null) return { outcomes: all(outcome), refusedFor: null };
  return {
    outcomes: commands.map((command) => outcomeOf(profile, outcome, entries.get(nameOf(command)))),
    refusedFor: null,
  };
}

/** An order's entry in the answer. */
interface Entry {
  readonly text: string;
  readonly code: string | null;
}

function outcomeOf({ errors }: WireProfile, whole: Answered, entry: Entry | undefined): AnswerOutcome {
  if (entry === undefined) return { type: 'unknown', reason: 'the answer to the batch does not name the order' };
  const { text: body, code } = entry;
  return { ...whole, body, status: code === null ? whole.status : statusOf(errors, code) };
}

/** The status with which the venue refuses a single order for the same reason. */
function statusOf(errors: ErrorCodes, code: string): number {
  if (code === errors.tooManyRequests) return TOO_MANY;
  if (code === errors.duplicate || code === errors.groupTriggered) return 409;
  if (code === errors.notFound) return 404;
  return Object.entries(COMMON_REFUSALS).find(([known]) => known === code)?.[1] ?? UNCERTAIN;
}

/** The name of a command's entry in the answer: a new order has no venue order id yet. */
const nameOf = (command: BatchedCommand): string =>
  command.type === 'place' ? command.clientOrderId : command.venueOrderId;

/** The entries by name; `null` when the answer cannot be read. */
function entriesOf(
  { records }: WireProfile,
  [first]: readonly BatchedCommand[],
  body: string,
): ReadonlyMap<string, Entry> | null {
  const json = parseBody(body);
  const texts = json === undefined ? [] : listTexts(body);
  const named =
    first?.type === 'place'
      ? decoded(tryDecode(codecOf(records.ordersCreated), json), ({ clientOrderId }) => clientOrderId)
      : decoded(tryDecode(codecOf(records.ordersCanceled), json), ({ orderId }) => orderId);
  if (named === null || texts.length !== named.length) return null;
  const entries = new Map<string, Entry>();
  named.forEach(({ name, code }, index) => {
    if (name !== null) entries.set(name, { text: texts[index] ?? '', code });
  });
  return entries;
}

interface DecodedItem {
  readonly error: { readonly code: string } | null;
}

function decoded<Item extends DecodedItem>(
  answer: { readonly orders: readonly Item[] } | WireFault,
  nameOfItem: (item: Item) => string | null,
): readonly { readonly name: string | null; readonly code: string | null }[] | null {
  if (answer instanceof WireFault) return null;
  return answer.orders.map((item) => ({ name: nameOfItem(item), code: item.error?.code ?? null }));
}
