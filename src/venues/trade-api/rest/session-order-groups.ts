// The order groups of a session, one for each shard on which it trades. When contracts up to a group's limit have
// traded within fifteen seconds, the venue cancels the group's orders. Must never return a group that the venue has not
// created, nor use two groups for one shard at the same time.
import type { Qty } from '../../../domain/units.ts';
import type { Scheduler } from '../../../transport/scheduler.ts';
import type { AnswerOutcome } from '../../../venue.ts';
import { type ExtensionRecords, type WireProfile, endpointOf, meaningOf, pathOf } from '../profiles/wire-profile.ts';
import { type BuiltRequest, queryOf } from './request-builder.ts';
import { NOT_FOUND, isDefinite, isSuccess } from '../wire/answer-status.ts';
import { codecOf, tryDecode } from '../wire/codec.ts';
import { describeError, decodeError } from '../wire/error-body.ts';
import { WireFault } from '../wire/wire-fault.ts';
import { parseBody } from '../wire/json-record.ts';
import type { RecordSpec } from '../wire/record-spec.ts';

/** A group, or the reason why there is none. */
export type OrderGroupResult = Group | { readonly reason: string };

interface Group {
  readonly groupId: string;
}
interface LocatedGroup extends Group {
  readonly shard: number;
}

/** A group that stands at the venue, or may stand there. */
export interface LeftGroup {
  /** `null`: the venue did not confirm a creation, and its list of groups could not be read. */
  readonly groupId: string | null;
  /** The failure of the last deletion, or of the creation. */
  readonly reason: string;
}

export interface SessionOrderGroupsOptions {
  readonly profile: WireProfile;
  /** Contracts that a group's orders may trade within any fifteen seconds. */
  readonly limit: Qty;
  readonly subaccount: number | null;
  /** Signs and sends one request. Never rejects. */
  readonly send: (request: BuiltRequest) => Promise<AnswerOutcome>;
  readonly scheduler: Scheduler;
  /** Called at `close` with each group that stands or may stand at the venue. Default: nothing is called. */
  readonly onGroupLeft?: ((group: LeftGroup) => void) | undefined;
}

/** Attempts to delete a group. The cancels of the stop may have used up the rate budget of the first. */
const DELETIONS_MAX = 3;
const DELETE_AGAIN_MS = 500;
/** After this time no further attempt begins: a venue that does not answer must not hold up the stop. Milliseconds. */
const DELETE_WITHIN_MS = 3000;

/** Creates, resets and deletes the groups of one session. */
export class SessionOrderGroups {
  readonly #options: SessionOrderGroupsOptions;
  readonly #records: ExtensionRecords;
  /** Created groups by shard. Removed when deleted at `close`. */
  readonly #groupsByShard = new Map<number, Group>();
  /** Requests in flight that create or reset a group, by shard. Removed when answered. */
  readonly #pendingByShard = new Map<number, Promise<OrderGroupResult>>();
  /** Shards whose group has triggered. Removed when the group is reset. */
  readonly #triggeredShards = new Set<number>();

  /** The latest reason why a creation was not confirmed: its group may stand at the venue, empty. `null`: none. */
  #unconfirmed: string | null = null;

  /** @throws {RangeError} when the dialect has no order groups. */
  constructor(options: SessionOrderGroupsOptions) {
    const { extensions } = options.profile.records;
    if (extensions === undefined) throw new RangeError(`dialect ${options.profile.name} has no order groups`);
    this.#options = options;
    this.#records = extensions;
  }

  /**
   * The group for the orders of a shard: at once if it exists and has not triggered. After a failure the next order
   * tries again.
   */
  groupFor(shard: number): OrderGroupResult | Promise<OrderGroupResult> {
    const made = this.#groupsByShard.get(shard);
    if (made !== undefined && !this.#triggeredShards.has(shard)) return made;
    const pending =
      this.#pendingByShard.get(shard) ?? (made === undefined ? this.#create(shard) : this.#reset(shard, made));
    this.#pendingByShard.set(shard, pending);
    return pending;
  }

  /** Marks a shard's group as triggered: the group must be reset before the next order. */
  markTriggered(shard: number): void {
    if (this.#groupsByShard.has(shard)) this.#triggeredShards.add(shard);
  }

  /** Marks a group as triggered by its id. Does nothing for a group that is not of this session. */
  markGroupTriggered(groupId: string): void {
    for (const [shard, made] of this.#groupsByShard) if (made.groupId === groupId) this.#triggeredShards.add(shard);
  }

  /** True when the venue did not confirm a creation: an empty group may stand there. */
  get isUnconfirmed(): boolean {
    return this.#unconfirmed !== null;
  }

  /** Deletes every group, which also cancels its resting orders. A failed deletion is tried again. */
  async close(): Promise<void> {
    await Promise.all(this.#pendingByShard.values());
    const made = [...this.#groupsByShard];
    await Promise.all(made.map(([shard, { groupId }]) => this.#delete({ groupId, shard })));
    this.#groupsByShard.clear();
    if (this.#unconfirmed !== null)
      await this.#reportUnconfirmed(this.#unconfirmed, new Set(made.map(([, group]) => group.groupId)));
  }

  /**
   * Reports the groups that a creation may have left. The venue's list names no creator, so another program may have
   * made such a group: it is not deleted.
   */
  async #reportUnconfirmed(reason: string, own: ReadonlySet<string>): Promise<void> {
    const { profile, subaccount, send, limit, onGroupLeft } = this.#options;
    const path = pathOf(profile, 'groups') + queryOf(profile, 'groups', { subaccount });
    const outcome = await send({ endpoint: endpointOf(profile, 'groups'), path, body: null });
    const listed = this.#recordIn(outcome, this.#records.groups);
    if (typeof listed === 'string')
      return onGroupLeft?.({ groupId: null, reason: `${reason}; the list of groups cannot be read: ${listed}` });
    for (const { groupId, limit: found } of listed.groups ?? [])
      if (!own.has(groupId) && (found === null || found === limit))
        onGroupLeft?.({ groupId, reason: `it may be of this session: its creation was not confirmed: ${reason}` });
  }

  async #delete(group: LocatedGroup): Promise<void> {
    const { scheduler, onGroupLeft } = this.#options;
    const startedMs = scheduler.now();
    for (let attempt = 1; ; attempt++) {
      const failure = this.#deletionFailureOf(await this.#sendGroupRequest('deleteGroup', group));
      if (failure === null) return;
      if (attempt === DELETIONS_MAX || scheduler.now() - startedMs >= DELETE_WITHIN_MS)
        return onGroupLeft?.({ groupId: group.groupId, reason: failure });
      await new Promise<void>((resolve) => void scheduler.after(DELETE_AGAIN_MS, resolve));
    }
  }

  /** A group that the venue no longer has needs no deletion: an attempt without an answer may have succeeded. */
  #deletionFailureOf(outcome: AnswerOutcome): string | null {
    const isGone =
      outcome.type === 'answered' &&
      outcome.status === NOT_FOUND &&
      decodeError(outcome.status, outcome.body).code === this.#options.profile.errors.notFound;
    return isGone ? null : this.#failureOf(outcome);
  }

  #sendGroupRequest(name: 'deleteGroup' | 'resetGroup', { groupId, shard }: LocatedGroup): Promise<AnswerOutcome> {
    const { profile, subaccount, send } = this.#options;
    const path = pathOf(profile, name, { groupId }) + queryOf(profile, name, { subaccount, shard });
    return send({ endpoint: endpointOf(profile, name), path, body: null });
  }

  async #reset(shard: number, made: Group): Promise<OrderGroupResult> {
    const failure = this.#failureOf(await this.#sendGroupRequest('resetGroup', { ...made, shard }));
    this.#pendingByShard.delete(shard);
    if (failure !== null) return { reason: `the venue did not reset the order group: ${failure}` };
    this.#triggeredShards.delete(shard);
    return made;
  }

  async #create(shard: number): Promise<OrderGroupResult> {
    const { profile, limit, subaccount, send } = this.#options;
    const body = JSON.stringify(codecOf(this.#records.createGroup).encode({ limit, subaccount, shard }));
    const path = pathOf(profile, 'createGroup');
    const outcome = await send({ endpoint: endpointOf(profile, 'createGroup'), path, body });
    const created = this.#recordIn(outcome, this.#records.groupCreated);
    this.#pendingByShard.delete(shard);
    if (typeof created === 'string') {
      if (mayHaveSucceeded(outcome)) this.#unconfirmed = created;
      return { reason: `the venue created no order group: ${created}` };
    }
    const made = { groupId: created.groupId };
    this.#groupsByShard.set(shard, made);
    return made;
  }

  /** Returns the record in an answer, or the reason why there is none. */
  #recordIn<T>(outcome: AnswerOutcome, spec: RecordSpec<T>): T | string {
    const failure = this.#failureOf(outcome);
    if (failure !== null) return failure;
    const record = tryDecode(codecOf(spec), outcome.type === 'answered' ? parseBody(outcome.body) : null);
    return record instanceof WireFault ? record.message : record;
  }

  #failureOf(outcome: AnswerOutcome): string | null {
    if (outcome.type !== 'answered') return outcome.reason;
    const { status, body } = outcome;
    if (isSuccess(status)) return null;
    const error = decodeError(status, body);
    const meaning = meaningOf(this.#options.profile.errors, error.code);
    return describeError(status, error) + (meaning === null ? '' : `: ${meaning}`);
  }
}

/** True when the venue may have carried out a request. */
const mayHaveSucceeded = (outcome: AnswerOutcome): boolean =>
  outcome.type === 'unknown' || (outcome.type === 'answered' && !isDefinite(outcome.status));
