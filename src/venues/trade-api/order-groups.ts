// The order groups of a session, one on each shard where it trades: when so many contracts of a group trade in any fifteen
// seconds, the venue withdraws all its orders, whether we are there or not. Each is made when the first order needs it.
// Must never give a group that the venue has not made, nor ask for one twice at once.
import type { Qty } from '../../domain/units.ts';
import type { AnswerOutcome } from '../../venue.ts';
import { describeError } from './normalize-errors.ts';
import { type WireProfile, endpointOf, pathOf } from './profile.ts';
import { type BuiltRequest, NO_QUERY } from './requests.ts';
import { codecOf, tryDecode } from './wire/codec.ts';
import { parseError } from './wire/errors.ts';
import { WireFault } from './wire/fault.ts';
import { parseBody } from './wire/json.ts';

/** A group; or, in words, why there is none. */
export type MadeGroup = { readonly groupId: string } | { readonly reason: string };

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
  readonly #made = new Map<number, MadeGroup & { readonly groupId: string }>();
  readonly #making = new Map<number, Promise<MadeGroup>>();

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
    if (made !== undefined) return made;
    const making = this.#making.get(shard) ?? this.#make(shard);
    this.#making.set(shard, making);
    return making;
  }

  /** Deletes every group, and with it whatever still rests of its orders. */
  async close(): Promise<void> {
    await Promise.all(this.#making.values());
    const { profile, subaccount, send } = this.#options;
    const endpoint = endpointOf(profile, 'deleteGroup');
    for (const [shard, { groupId }] of this.#made) {
      const query = codecOf(this.#records.placeQuery).encodeQuery({ ...NO_QUERY, subaccount, shard });
      await send({ endpoint, path: pathOf(profile, 'deleteGroup', { groupId }) + query, body: null });
    }
    this.#made.clear();
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
    const failed = (why: string): MadeGroup => ({ reason: `the venue made no order group: ${why}` });
    if (outcome.type !== 'answered') return failed(outcome.reason);
    const { status, body } = outcome;
    if (status < 200 || status >= 300) return failed(describeError(status, parseError(status, body)));
    const created = tryDecode(codecOf(this.#records.groupCreated), parseBody(body));
    return created instanceof WireFault ? failed(created.message) : { groupId: created.groupId };
  }
}
