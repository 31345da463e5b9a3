// Normalizes answers to requests into events. Pure: the same answer always gives the same events. Must never report an
// order as rejected if it may have been accepted.
import type {
  AmendCommand,
  CancelCommand,
  DecreaseCommand,
  PlaceCommand,
  RequestCommand,
} from '../../../domain/venue-command.ts';
import type { OperatorOrder } from '../../../domain/operator-order.ts';
import { budgetOf } from '../../../domain/venue-command.ts';
import { NO_QTY, type Qty, subtractQty } from '../../../domain/units.ts';
import type { Answer, AnswerOutcome } from '../../../venue.ts';
import type { Emit } from './frame-normalizer.ts';
import { ReadNormalizer, type AnswerNormalizerOptions } from './read-normalizer.ts';
import { type WireProfile, meaningOf } from '../profiles/wire-profile.ts';
import { CONFLICT, NOT_FOUND, TOO_MANY, isDefinite, isSuccess } from '../wire/answer-status.ts';
import { type Codec, codecOf, tryDecode } from '../wire/codec.ts';
import { codeOfStatus, describeError, decodeError } from '../wire/error-body.ts';
import { WireFault } from '../wire/wire-fault.ts';
import { parseBody } from '../wire/json-record.ts';
import type { OrderCanceled, OrderWritten } from '../wire/wire-records.ts';

type AnsweredOutcome = Extract<AnswerOutcome, { type: 'answered' }>;

/** The halt after a refusal because the order group has triggered. The feed may not have reported the trigger. */
const GROUP_TRIGGERED_HALT: OperatorOrder = {
  type: 'halt',
  scope: { type: 'account' },
  by: 'risk',
  reason: 'our order group at the venue has triggered and accepts no further orders: too many contracts traded at once',
};

/** Turns answers into events. */
export class AnswerNormalizer {
  readonly #profile: WireProfile;
  readonly #reads: ReadNormalizer;
  readonly #created: Codec<OrderWritten>;
  readonly #canceled: Codec<OrderCanceled>;
  readonly #amended: Codec<OrderWritten>;
  readonly #decreased: Codec<OrderWritten>;

  constructor(options: AnswerNormalizerOptions) {
    const { profile } = options;
    this.#profile = profile;
    this.#reads = new ReadNormalizer(options);
    this.#created = codecOf(profile.records.orderCreated);
    this.#canceled = codecOf(profile.records.orderCanceled);
    this.#amended = codecOf(profile.records.orderAmended);
    this.#decreased = codecOf(profile.records.orderDecreased);
  }

  /** Emits `answered`, then `rate-limited` or the outcome of the command. */
  normalizeAnswer(answer: Answer, emit: Emit): void {
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
    this.#emitOutcome(answer, command, emit);
  }

  #emitOutcome(answer: Answer, command: RequestCommand, emit: Emit): void {
    switch (command.type) {
      case 'place':
        return this.#emitPlaceOutcome(answer, command, emit);
      case 'cancel':
        return this.#emitCancelOutcome(answer, command, emit);
      case 'amend':
      case 'decrease':
        return this.#emitAmendOutcome(answer, command, emit);
      case 'read':
        return this.#reads.normalizeRead(answer, command, emit);
    }
  }

  #emitPlaceOutcome({ at, outcome }: Answer, { clientOrderId, qty }: PlaceCommand, emit: Emit): void {
    if (outcome.type === 'not-sent') return emit({ kind: 'order-not-sent', at, clientOrderId, reason: outcome.reason });
    const emitUnknown = (reason: string, isTaken = false): void =>
      emit({ kind: 'order-unknown', at, clientOrderId, reason, ...(isTaken && { isTaken }) });
    if (outcome.type === 'unknown') return emitUnknown(outcome.reason);
    if (!isSuccess(outcome.status)) {
      const error = decodeError(outcome.status, outcome.body);
      // The client order id is taken: an earlier request that seemed lost did arrive.
      const isTaken = outcome.status === CONFLICT && error.code === this.#profile.errors.duplicate;
      // A conflict without a code may also be a duplicate id.
      const isVague = outcome.status === CONFLICT && error.code === codeOfStatus(CONFLICT);
      if (isTaken || isVague || !isDefinite(outcome.status))
        return emitUnknown(describeError(outcome.status, error), isTaken);
      const meaning = meaningOf(this.#profile.errors, error.code);
      const message = [error.message, error.details, meaning].filter((part) => part !== null).join(': ');
      emit({ kind: 'order-rejected', at, clientOrderId, code: error.code, message });
      if (error.code === this.#profile.errors.groupTriggered)
        emit({ kind: 'operator', at, order: GROUP_TRIGGERED_HALT });
      return;
    }
    const written = this.#decode(this.#created, outcome, { at, emit });
    if (written instanceof WireFault) return emitUnknown(`${outcome.status} without an order: ${written.message}`);
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

  #emitCancelOutcome({ at, outcome }: Answer, { clientOrderId }: CancelCommand, emit: Emit): void {
    const emitLost = (reason: string): void => emit({ kind: 'cancel-lost', at, clientOrderId, reason });
    if (outcome.type !== 'answered') return emitLost(outcome.reason);
    const { status, body } = outcome;
    if (!isSuccess(status)) {
      const error = decodeError(status, body);
      if (status === NOT_FOUND) return emit({ kind: 'cancel-refused', at, clientOrderId, code: error.code });
      return emitLost(describeError(status, error));
    }
    const canceled = this.#decode(this.#canceled, outcome, { at, emit });
    // The cancel is sent again, which does no harm.
    if (canceled instanceof WireFault) return emitLost(canceled.message);
    const { filledQty } = canceled.order;
    const { reducedBy } = canceled;
    emit({ kind: 'cancel-accepted', at, clientOrderId, reducedBy, ...(filledQty !== null && { filledQty }) });
  }

  #emitAmendOutcome({ at, outcome }: Answer, command: AmendCommand | DecreaseCommand, emit: Emit): void {
    const { clientOrderId } = command;
    const emitLost = (reason: string): void => emit({ kind: 'amend-lost', at, clientOrderId, reason });
    const emitRefused = (code: string): void => emit({ kind: 'amend-refused', at, clientOrderId, code });
    // Nothing was sent: the old terms hold, as after a refusal.
    if (outcome.type === 'not-sent') return emitRefused('not_sent');
    if (outcome.type === 'unknown') return emitLost(outcome.reason);
    const { status, body } = outcome;
    if (!isSuccess(status)) {
      const error = decodeError(status, body);
      return isDefinite(status) ? emitRefused(error.code) : emitLost(describeError(status, error));
    }
    const codec = command.type === 'amend' ? this.#amended : this.#decreased;
    const written = this.#decode(codec, outcome, { at, emit });
    if (written instanceof WireFault) return emitLost(written.message);
    const { leavesQty, updatedAt: exchangeAt } = written.order;
    // The order's present state must be looked up.
    if (leavesQty === null) return emitLost(`${status} without the remaining quantity`);
    const filledQty = written.order.filledQty ?? filledBefore(command, leavesQty);
    // The requested price applies when the answer has none.
    const price = written.order.price ?? (command.type === 'amend' ? command.price : null);
    const known = { ...(filledQty !== null && { filledQty }), ...(exchangeAt !== null && { exchangeAt }) };
    emit({ kind: 'amend-accepted', at, clientOrderId, price, leavesQty, ...known });
  }

  #decode<T>(
    codec: Codec<T>,
    { body }: AnsweredOutcome,
    { at, emit }: { at: Answer['at']; emit: Emit },
  ): T | WireFault {
    return tryDecode(codec, parseBody(body), (kind, detail) => emit({ kind: 'unrecognized', at, what: kind, detail }));
  }
}

/**
 * Filled quantity of an amended order when the answer gives only the remaining quantity. `null` when it cannot be
 * derived: after a decrease, or when nothing, or more than was requested, remains.
 */
const filledBefore = (command: AmendCommand | DecreaseCommand, leavesQty: Qty): Qty | null =>
  command.type === 'amend' && leavesQty > 0 && leavesQty <= command.qty ? subtractQty(command.qty, leavesQty) : null;
