// Order group endpoints. A group's orders are canceled once they have traded its limit of contracts within fifteen
// seconds. Must never reach across shards: a group belongs to one collateral account.
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import type { AccountName, OrderGroupOp } from '../machine/exchange-input.ts';
import type { OrderGroupView } from '../machine/exchange-output.ts';
import { parseCollateralAccount } from '../accounts/collateral-accounts.ts';
import { submitFor } from './submitted-answers.ts';
import { EMPTY_RECORD, type EndpointCall, type EndpointHandler } from '../api/endpoint-call.ts';
import { visibleItem, visibleRows } from './lagging-reads.ts';
import { furtherRecordsOf, notFound, pathPart } from './market-endpoints.ts';
import { readBody } from './body-reading.ts';
import { collateralAccountFor, collateralAccountsFor, chargedShards, routingOf } from './shard-routing.ts';

export const createGroup: EndpointHandler = {
  shards: (call) => chargedShards(call, { ticker: null, ...readBody(call, furtherRecordsOf(call).createGroup) }),
  answer(call) {
    const { createGroup: spec, groupCreated } = furtherRecordsOf(call);
    const { limit, subaccount, shard } = readBody(call, spec);
    const account = collateralAccountFor(call, { ticker: null, subaccount, shard });
    const { group } = submitFor(call, { type: 'create-group', account, limit }, 'order-group');
    const routing = parseCollateralAccount(account);
    return codecOf(groupCreated).encodeText({
      groupId: group.groupId,
      subaccount: routing.subaccount,
      shard: routing.shard,
    });
  },
};

export const groups: EndpointHandler = {
  answer(call) {
    const { subaccount, shard } = routingOf(call);
    const found = collateralAccountsFor(call, { subaccount, shard }).flatMap((account) =>
      visibleRows(call, { list: (exchange) => exchange.orderGroups(account), idOf: ({ groupId }) => groupId }),
    );
    const rows = found.map(({ groupId, limit, isArmed, account }) => ({
      groupId,
      limit,
      isArmed,
      shard: parseCollateralAccount(account).shard,
    }));
    return codecOf(furtherRecordsOf(call).groups).encodeText({ groups: rows });
  },
};

function groupOf(call: EndpointCall): OrderGroupView {
  const groupId = pathPart(call, 'groupId');
  const { subaccount, shard } = routingOf(call);
  for (const account of collateralAccountsFor(call, { subaccount, shard })) {
    const found = visibleItem(call, (exchange) => exchange.orderGroup(account, groupId));
    if (found !== undefined) return found;
  }
  throw notFound(call);
}

export const group: EndpointHandler = {
  answer(call) {
    const { account, limit, isArmed, orderIds } = groupOf(call);
    return codecOf(furtherRecordsOf(call).group).encodeText({
      limit,
      isArmed,
      orderIds,
      shard: parseCollateralAccount(account).shard,
    });
  },
};

/** Handles a change of the group in the path. Its answer has an empty body. */
const changeHandler = (
  opOf: (account: AccountName, groupId: string, call: EndpointCall) => OrderGroupOp,
): EndpointHandler => ({
  shards: (call) => chargedShards(call, routingOf(call)),
  answer(call): string {
    const { account, groupId } = groupOf(call);
    submitFor(call, opOf(account, groupId, call), 'order-group');
    return EMPTY_RECORD;
  },
});

export const deleteGroup = changeHandler((account, groupId) => ({ type: 'delete-group', account, groupId }));
export const resetGroup = changeHandler((account, groupId) => ({ type: 'reset-group', account, groupId }));
export const triggerGroup = changeHandler((account, groupId) => ({ type: 'trigger-group', account, groupId }));
export const limitGroup = changeHandler((account, groupId, call) => {
  const { limit } = readBody(call, furtherRecordsOf(call).limitGroup);
  return { type: 'limit-group', account, groupId, limit };
});
