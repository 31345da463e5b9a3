// Order group endpoints. A group's orders are canceled together when too many of their contracts trade at once. Must
// never reach across shards: a group belongs to the collateral account it was created in.
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
    const { createGroup: spec, groupCreated } = furtherOf(call);
    const { limit, subaccount, shard } = readBody(call, spec);
    const account = purseFor(call, { ticker: null, subaccount, shard });
    const { group } = ask(call, { type: 'create-group', account, limit }, 'order-group');
    const routing = purseOf(account);
    return codecOf(groupCreated).encode({
      groupId: group.groupId,
      subaccount: routing.subaccount,
      shard: routing.shard,
    });
  },
};

export const groups: Handler = {
  answer(call) {
    const { subaccount, shard } = whereaboutsOf(call);
    const found = pursesFor(call, { subaccount, shard }).flatMap((account) =>
      shownRows(call, { list: (exchange) => exchange.orderGroups(account), idOf: ({ groupId }) => groupId }),
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

/** The group in the path, searched in the collateral accounts that the query selects. */
function groupOf(call: Call): OrderGroupView {
  const groupId = partOf(call, 'groupId');
  const { subaccount, shard } = whereaboutsOf(call);
  for (const account of pursesFor(call, { subaccount, shard })) {
    const found = shownOne(call, (exchange) => exchange.orderGroup(account, groupId));
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

/** Handles a change of the group in the path. Its answer has an empty body. */
const changeHandler = (opOf: (account: AccountName, groupId: string, call: Call) => OrderGroupOp): Handler => ({
  shards: (call) => shardsCharged(call, whereaboutsOf(call)),
  answer(call): JsonRecord {
    const { account, groupId } = groupOf(call);
    ask(call, opOf(account, groupId, call), 'order-group');
    return {};
  },
});

export const deleteGroup = changeHandler((account, groupId) => ({ type: 'delete-group', account, groupId }));
export const resetGroup = changeHandler((account, groupId) => ({ type: 'reset-group', account, groupId }));
export const triggerGroup = changeHandler((account, groupId) => ({ type: 'trigger-group', account, groupId }));
export const limitGroup = changeHandler((account, groupId, call) => {
  const { limit } = readBody(call, furtherOf(call).limitGroup);
  return { type: 'limit-group', account, groupId, limit };
});
