// Answers to requests as events. Pure: the same answer always gives the same events.
// Must never call an order refused that may be in: only the venue's definite word makes it so.
import type {
  AmendCommand,
  CancelCommand,
  DecreaseCommand,
  PlaceCommand,
  RequestCommand,
} from '../../domain/command.ts';
import type { OperatorOrder } from '../../domain/operator.ts';
import { budgetOf } from '../../domain/command.ts';
import { NO_QTY, type Qty, subtractQty } from '../../domain/units.ts';
import type { Answer, AnswerOutcome } from '../../venue.ts';
import type { Emit } from './normalize-frames.ts';
import { describeError } from './normalize-errors.ts';
import { ReadAnswers, type ReadingOptions } from './normalize-reads.ts';
import type { WireProfile } from './profile.ts';
import { type Codec, codecOf, tryDecode } from './wire/codec.ts';
import { bareCode, parseError } from './wire/errors.ts';
import { WireFault } from './wire/fault.ts';
import { parseBody } from './wire/json.ts';
import type { OrderCanceled, OrderWritten } from './wire/records.ts';

type Answered = Extract<AnswerOutcome, { type: 'answered' }>;

const TOO_MANY = 429;
const NOT_FOUND = 404;
const CONFLICT = 409;
/** Refusals that may have met the request under way: what was asked may still have been done. */
const AMBIGUOUS: ReadonlySet<number> = new Set([408, 425, 499]);

/** What an order group stands for has happened; the feed may not have told. */
const GROUP_SPENT: OperatorOrder = {
  type: 'halt',
  scope: { type: 'account' },
  by: 'risk',
  reason: 'the venue takes no more orders of our order group: too many contracts traded at once',
};

const isSuccess = (status: number): boolean => status >= 200 && status < 300;
/** Whether a status says that the request was refused, and changed nothing. */
const isDefinite = (status: number): boolean => status >= 400 && status < 500 && !AMBIGUOUS.has(status);

/** Reads answers. */
export class AnswerReader {
  readonly #profile: WireProfile;
  readonly #reads: ReadAnswers;
  readonly #created: Codec<OrderWritten>;
  readonly #canceled: Codec<OrderCanceled>;
  readonly #amended: Codec<OrderWritten>;
  readonly #decreased: Codec<OrderWritten>;

  constructor(options: ReadingOptions) {
    const { profile } = options;
    this.#profile = profile;
    this.#reads = new ReadAnswers(options);
    this.#created = codecOf(profile.records.orderCreated);
    this.#canceled = codecOf(profile.records.orderCanceled);
    this.#amended = codecOf(profile.records.orderAmended);
    this.#decreased = codecOf(profile.records.orderDecreased);
  }

  /** Tells what an answer says: first that it came, then what became of what was asked. */
  read(answer: Answer, emit: Emit): void {
    const { at, command, outcome } = answer;
    const isAnswered = outcome.type === 'answered';
    emit({
      kind: 'answered',
      at,
      commandId: command.id,
      ok: isAnswered && isSuccess(outcome.status),
      clockOffset: isAnswered && outcome.venueAt !== null ? at - outcome.venueAt : null,
      askedAt: answer.askedAt,
    });
    if (isAnswered && outcome.status === TOO_MANY) {
      emit({
        kind: 'rate-limited',
        at,
        commandId: command.id,
        budget: budgetOf(command),
        retryAfter: outcome.retryAfter,
      });
      return;
    }
    this.#tell(answer, command, emit);
  }

  #tell(answer: Answer, command: RequestCommand, emit: Emit): void {
    switch (command.type) {
      case 'place':
        return this.#tellPlaced(answer, command, emit);
      case 'cancel':
        return this.#tellCanceled(answer, command, emit);
      case 'amend':
      case 'decrease':
        return this.#tellAmended(answer, command, emit);
      case 'read':
        return this.#reads.read(answer, command, emit);
    }
  }

  #tellPlaced({ at, outcome }: Answer, { clientOrderId, qty }: PlaceCommand, emit: Emit): void {
    if (outcome.type === 'not-sent') return emit({ kind: 'order-not-sent', at, clientOrderId, reason: outcome.reason });
    const unknown = (reason: string, isTaken = false): void =>
      emit({ kind: 'order-unknown', at, clientOrderId, reason, ...(isTaken && { isTaken }) });
    if (outcome.type === 'unknown') return unknown(outcome.reason);
    if (!isSuccess(outcome.status)) {
      const error = parseError(outcome.status, outcome.body);
      // The id is taken: an earlier request that seemed lost did arrive, and must be looked up.
      const isTaken = outcome.status === CONFLICT && error.code === this.#profile.errors.duplicate;
      // A conflict that does not say with what may be that very one.
      const isVague = outcome.status === CONFLICT && error.code === bareCode(CONFLICT);
      if (isTaken || isVague || !isDefinite(outcome.status))
        return unknown(describeError(outcome.status, error), isTaken);
      const meaning = this.#profile.errors.meanings?.[error.code] ?? null;
      const message = [error.message, error.details, meaning].filter((part) => part !== null).join(': ');
      emit({ kind: 'order-rejected', at, clientOrderId, code: error.code, message });
      if (error.code === this.#profile.errors.groupSpent) emit({ kind: 'operator', at, order: GROUP_SPENT });
      return;
    }
    const written = this.#decode(this.#created, outcome, { at, emit });
    if (written instanceof WireFault) return unknown(`${outcome.status} without an order: ${written.message}`);
    const { orderId, status, filledQty, leavesQty, updatedAt, createdAt } = written.order;
    const filled = filledQty ?? NO_QTY;
    emit({
      kind: 'order-accepted',
      at,
      exchangeAt: updatedAt ?? createdAt,
      clientOrderId,
      venueOrderId: orderId,
      filledQty: filled,
      leavesQty: leavesQty ?? subtractQty(qty, filled),
      isFinished: status === null ? leavesQty === 0 : status !== 'working',
    });
  }

  #tellCanceled({ at, outcome }: Answer, { clientOrderId }: CancelCommand, emit: Emit): void {
    const lost = (reason: string): void => emit({ kind: 'cancel-lost', at, clientOrderId, reason });
    if (outcome.type !== 'answered') return lost(outcome.reason);
    const { status, body } = outcome;
    if (!isSuccess(status)) {
      const error = parseError(status, body);
      if (status === NOT_FOUND) return emit({ kind: 'cancel-refused', at, clientOrderId, code: error.code });
      return lost(describeError(status, error));
    }
    const canceled = this.#decode(this.#canceled, outcome, { at, emit });
    // Sending it again does no harm, and tells.
    if (canceled instanceof WireFault) return lost(canceled.message);
    const { filledQty } = canceled.order;
    const { reducedBy } = canceled;
    emit({ kind: 'cancel-accepted', at, clientOrderId, reducedBy, ...(filledQty !== null && { filledQty }) });
  }

  #tellAmended({ at, outcome }: Answer, command: AmendCommand | DecreaseCommand, emit: Emit): void {
    const { clientOrderId } = command;
    const lost = (reason: string): void => emit({ kind: 'amend-lost', at, clientOrderId, reason });
    const refused = (code: string): void => emit({ kind: 'amend-refused', at, clientOrderId, code });
    // What never left changed nothing: the old terms hold, as after a refusal.
    if (outcome.type === 'not-sent') return refused('not_sent');
    if (outcome.type === 'unknown') return lost(outcome.reason);
    const { status, body } = outcome;
    if (!isSuccess(status)) {
      const error = parseError(status, body);
      return isDefinite(status) ? refused(error.code) : lost(describeError(status, error));
    }
    const codec = command.type === 'amend' ? this.#amended : this.#decreased;
    const written = this.#decode(codec, outcome, { at, emit });
    if (written instanceof WireFault) return lost(written.message);
    const { leavesQty } = written.order;
    // What the order is now must be looked up.
    if (leavesQty === null) return lost(`${status} without what remains`);
    const filledQty = written.order.filledQty ?? tradedBefore(command, leavesQty);
    // What was asked for holds where nothing else is said of it.
    const price = written.order.price ?? (command.type === 'amend' ? command.price : null);
    emit({ kind: 'amend-accepted', at, clientOrderId, price, leavesQty, ...(filledQty !== null && { filledQty }) });
  }

  #decode<T>(codec: Codec<T>, { body }: Answered, { at, emit }: { at: Answer['at']; emit: Emit }): T | WireFault {
    return tryDecode(codec, parseBody(body), (what, detail) => emit({ kind: 'unrecognized', at, what, detail }));
  }
}

/**
 * What an amended order has traded where the answer says only what remains: the rest of the total that was asked for. An
 * order that a decrease has left with so much, or of which nothing remains, does not tell: `null`.
 */
const tradedBefore = (command: AmendCommand | DecreaseCommand, leavesQty: Qty): Qty | null =>
  command.type === 'amend' && leavesQty > 0 && leavesQty <= command.qty ? subtractQty(command.qty, leavesQty) : null;
