// The order groups of a session, one on each shard where it trades: when so many contracts of a group trade in any fifteen
// seconds, the venue withdraws all its orders, whether we are there or not. Each is made when the first order needs it.
// Must never give a group that the venue has not made, nor ask for one twice at once.
import type { Qty } from '../../domain/units.ts';
import type { AnswerOutcome } from '../../venue.ts';
import { describeError } from './normalize-errors.ts';
import { type WireProfile, endpointOf, pathOf } from './profile.ts';
import { type BuiltRequest, queryOf } from './requests.ts';
import { codecOf, tryDecode } from './wire/codec.ts';
import { parseError } from './wire/errors.ts';
import { WireFault } from './wire/fault.ts';
import { parseBody } from './wire/json.ts';

/** A group; or, in words, why there is none. */
export type MadeGroup = Made | { readonly reason: string };

interface Made {
  readonly groupId: string;
}
interface Found extends Made {
  readonly shard: number;
}

export interface OrderGroupsOptions {
  readonly profile: WireProfile;
  /** Contracts of a group that may trade in any fifteen seconds. */
  readonly limit: Qty;
  readonly subaccount: number | null;
  /** Signs and sends one request. Never rejects. */
  readonly send: (request: BuiltRequest) => Promise<AnswerOutcome>;
}

/** The groups of one session. */
export class OrderGroups {
  readonly #options: OrderGroupsOptions;
  readonly #records: NonNullable<WireProfile['records']['further']>;
  readonly #made = new Map<number, Made>();
  readonly #making = new Map<number, Promise<MadeGroup>>();
  readonly #spent = new Set<number>();

  /** @throws {RangeError} when the dialect has no order groups. */
  constructor(options: OrderGroupsOptions) {
    const { further } = options.profile.records;
    if (further === undefined) throw new RangeError(`dialect ${options.profile.name} has no order groups`);
    this.#options = options;
    this.#records = further;
  }

  /** The group for the orders of a shard: at once where there is one. What failed is tried again by the next order. */
  on(shard: number): MadeGroup | Promise<MadeGroup> {
    const made = this.#made.get(shard);
    if (made !== undefined && !this.#spent.has(shard)) return made;
    const making = this.#making.get(shard) ?? (made === undefined ? this.#make(shard) : this.#reset(shard, made));
    this.#making.set(shard, making);
    return making;
  }

  /** The group of a shard has withdrawn its orders: before another counts for it, it is reset. */
  spent(shard: number): void {
    if (this.#made.has(shard)) this.#spent.add(shard);
  }

  /** Deletes every group, and with it whatever still rests of its orders. */
  async close(): Promise<void> {
    await Promise.all(this.#making.values());
    for (const [shard, { groupId }] of this.#made) await this.#change('deleteGroup', { groupId, shard });
    this.#made.clear();
  }

  #change(name: 'deleteGroup' | 'resetGroup', { groupId, shard }: Found): Promise<AnswerOutcome> {
    const { profile, subaccount, send } = this.#options;
    const path = pathOf(profile, name, { groupId }) + queryOf(profile, name, { subaccount, shard });
    return send({ endpoint: endpointOf(profile, name), path, body: null });
  }

  async #reset(shard: number, made: Made): Promise<MadeGroup> {
    const failure = this.#failureOf(await this.#change('resetGroup', { ...made, shard }));
    this.#making.delete(shard);
    if (failure !== null) return { reason: `the venue did not reset the order group: ${failure}` };
    this.#spent.delete(shard);
    return made;
  }

  async #make(shard: number): Promise<MadeGroup> {
    const { profile, limit, subaccount, send } = this.#options;
    const body = JSON.stringify(codecOf(this.#records.createGroup).encode({ limit, subaccount, shard }));
    const path = pathOf(profile, 'createGroup');
    const outcome = await send({ endpoint: endpointOf(profile, 'createGroup'), path, body });
    const made = this.#read(outcome);
    this.#making.delete(shard);
    if ('groupId' in made) this.#made.set(shard, made);
    return made;
  }

  #read(outcome: AnswerOutcome): MadeGroup {
    const failure = this.#failureOf(outcome);
    const body = outcome.type === 'answered' ? parseBody(outcome.body) : null;
    const created = failure ?? tryDecode(codecOf(this.#records.groupCreated), body);
    if (typeof created === 'object' && !(created instanceof WireFault)) return { groupId: created.groupId };
    const why = created instanceof WireFault ? created.message : created;
    return { reason: `the venue made no order group: ${why}` };
  }

  /** Why a request was not carried out, in words; `null` when it was. */
  #failureOf(outcome: AnswerOutcome): string | null {
    if (outcome.type !== 'answered') return outcome.reason;
    const { status, body } = outcome;
    if (status >= 200 && status < 300) return null;
    const error = parseError(status, body);
    const meaning = this.#options.profile.errors.meanings?.[error.code];
    return describeError(status, error) + (meaning === undefined ? '' : `: ${meaning}`);
  }
}
