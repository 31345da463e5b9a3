// Order groups: orders of one purse that the exchange withdraws together when too many of their contracts trade at once.
// Must never reach across shards: a group is of the purse it was made in.
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import type { JsonRecord } from '../../venues/trade-api/wire/codec.ts';
import type { AccountName, OrderGroupOp } from '../input.ts';
import type { OrderGroupView } from '../output.ts';
import { purseOf } from '../purses.ts';
import { ask } from './asking.ts';
import type { Call, Handler } from './call.ts';
import { shownOne, shownRows } from './lagging-reads.ts';
import { furtherOf, notFound, partOf } from './market-endpoints.ts';
import { readBody } from './body-reading.ts';
import { purseFor, pursesFor, shardsCharged, whereaboutsOf } from './whereabouts.ts';

export const createGroup: Handler = {
  shards: (call) => shardsCharged(call, { ticker: null, ...readBody(call, furtherOf(call).createGroup) }),
  answer(call) {
    const { createGroup: asked, groupCreated } = furtherOf(call);
    const { limit, subaccount, shard } = readBody(call, asked);
    const account = purseFor(call, { ticker: null, subaccount, shard });
    const { group } = ask(call, { type: 'create-group', account, limit }, 'order-group');
    const place = purseOf(account);
    return codecOf(groupCreated).encode({
      groupId: group.groupId,
      subaccount: place.subaccount,
      shard: place.shard,
    });
  },
};

export const groups: Handler = {
  answer(call) {
    const { subaccount, shard } = whereaboutsOf(call);
    const found = pursesFor(call, { subaccount, shard }).flatMap((purse) =>
      shownRows(call, { list: (exchange) => exchange.orderGroups(purse), idOf: ({ groupId }) => groupId }),
    );
    const rows = found.map(({ groupId, limit, isArmed, account }) => ({
      groupId,
      limit,
      isArmed,
      shard: purseOf(account).shard,
    }));
    return codecOf(furtherOf(call).groups).encode({ groups: rows });
  },
};

/** The group that a path names, in whichever of the purses that the query leaves. */
function groupOf(call: Call): OrderGroupView {
  const groupId = partOf(call, 'groupId');
  const { subaccount, shard } = whereaboutsOf(call);
  for (const purse of pursesFor(call, { subaccount, shard })) {
    const found = shownOne(call, (exchange) => exchange.orderGroup(purse, groupId));
    if (found !== undefined) return found;
  }
  throw notFound(call);
}

export const group: Handler = {
  answer(call) {
    const { account, limit, isArmed, orderIds } = groupOf(call);
    return codecOf(furtherOf(call).group).encode({ limit, isArmed, orderIds, shard: purseOf(account).shard });
  },
};

/** A change of the group that a path names, which is answered with nothing but its success. */
const change = (opOf: (account: AccountName, groupId: string, call: Call) => OrderGroupOp): Handler => ({
  shards: (call) => shardsCharged(call, whereaboutsOf(call)),
  answer(call): JsonRecord {
    const { account, groupId } = groupOf(call);
    ask(call, opOf(account, groupId, call), 'order-group');
    return {};
  },
});

export const deleteGroup = change((account, groupId) => ({ type: 'delete-group', account, groupId }));
export const resetGroup = change((account, groupId) => ({ type: 'reset-group', account, groupId }));
export const triggerGroup = change((account, groupId) => ({ type: 'trigger-group', account, groupId }));
export const limitGroup = change((account, groupId, call) => {
  const { limit } = readBody(call, furtherOf(call).limitGroup);
  return { type: 'limit-group', account, groupId, limit };
});
