// Creates and lists subaccounts, and transfers cash between an owner's collateral accounts. Must never move money to
// another owner, nor open a collateral account on a shard that does not exist.
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import type { ShardTransferRow } from '../../venues/trade-api/wire/wire-records.ts';
import type { AccountName } from '../machine/exchange-input.ts';
import type { TransferView } from '../machine/exchange-output.ts';
import {
  SUBACCOUNT_MAX,
  collateralAccountName,
  parseCollateralAccount,
  collateralAccountsOf,
} from '../accounts/collateral-accounts.ts';
import { submitFor } from './submitted-answers.ts';
import { EMPTY_RECORD, type EndpointCall, type EndpointHandler } from '../api/endpoint-call.ts';
import { furtherRecordsOf, notFound, pathPart } from './market-endpoints.ts';
import { pageOf } from './list-pages.ts';
import { readBody } from './body-reading.ts';
import { readQuery } from './query-reading.ts';
import { refuseCall, invalidParameters } from '../api/api-errors.ts';
import { callerAccount, collateralAccountsFor } from './shard-routing.ts';

const accountsOfSubaccount = (
  { session, settings }: EndpointCall,
  owner: AccountName,
  subaccount: number,
): AccountName[] =>
  collateralAccountsOf(session.exchange, owner, { shards: settings.shards, only: { subaccount, shard: null } });

const allCollateralAccounts = (call: EndpointCall): AccountName[] =>
  collateralAccountsFor(call, { subaccount: null, shard: null });

function checkShard(call: EndpointCall, shard: number): number {
  const { shards } = call.settings;
  if (shards.includes(shard)) return shard;
  throw invalidParameters(call, `exchange shard: expected one of ${shards.join(', ')}, found ${shard}`);
}

export const createSubaccount: EndpointHandler = {
  answer(call) {
    const { createSubaccount: spec, subaccountCreated } = furtherRecordsOf(call);
    const shard = checkShard(call, call.request.body === '' ? 0 : (readBody(call, spec).shard ?? 0));
    const owner = callerAccount(call);
    let subaccount = 1;
    while (subaccount <= SUBACCOUNT_MAX && accountsOfSubaccount(call, owner, subaccount).length > 0) subaccount++;
    if (subaccount > SUBACCOUNT_MAX) throw invalidParameters(call, `expected at most ${SUBACCOUNT_MAX} subaccounts`);
    const account = collateralAccountName({ owner, subaccount, shard });
    call.session.submit({ type: 'open-account', account, keepsHistory: true });
    return codecOf(subaccountCreated).encodeText({ subaccount });
  },
};

interface Routing {
  readonly subaccount: number;
  readonly shard: number;
}
interface CashMove {
  readonly from: Routing;
  readonly to: Routing;
  readonly amount: TransferView['amount'];
  /** Id given by the client. A repeated id moves nothing more. */
  readonly id: string | null;
}

/** Moves money. The first transfer to an existing subaccount on a shard opens a collateral account there. */
function moveCash(call: EndpointCall, { from, to, amount, id }: CashMove): TransferView {
  const owner = callerAccount(call);
  const source = collateralAccountName({ owner, ...from });
  if (!call.session.exchange.hasAccount(source) || accountsOfSubaccount(call, owner, to.subaccount).length === 0)
    throw refuseCall(call, { status: 404, code: 'user_not_found' });
  const shard = checkShard(call, to.shard);
  const target = collateralAccountName({ owner, subaccount: to.subaccount, shard });
  const opens = call.session.exchange.hasAccount(target) ? {} : ({ opensTarget: true } as const);
  const op = { type: 'transfer', account: source, to: target, amount, id, ...opens } as const;
  return submitFor(call, op, 'transferred').transfer;
}

export const subaccountTransfer: EndpointHandler = {
  answer(call) {
    const { transferId, from, to, amount, shard } = readBody(call, furtherRecordsOf(call).subaccountTransfer);
    const on = shard ?? 0;
    moveCash(call, {
      from: { subaccount: from, shard: on },
      to: { subaccount: to, shard: on },
      amount,
      id: transferId,
    });
    return EMPTY_RECORD;
  },
};

export const shardTransfer: EndpointHandler = {
  answer(call) {
    const request = readBody(call, furtherRecordsOf(call).shardTransfer);
    if (request.source !== 'event_contract' || request.destination !== 'event_contract')
      throw invalidParameters(call, 'source and destination: expected event_contract, the only one there is');
    const { id } = moveCash(call, {
      from: { subaccount: request.fromSubaccount ?? 0, shard: request.fromShard ?? 0 },
      to: { subaccount: request.toSubaccount ?? 0, shard: request.toShard ?? 0 },
      amount: request.amount,
      id: null,
    });
    return codecOf(furtherRecordsOf(call).shardTransferred).encodeText({ transferId: id });
  },
};

const isBetweenShards = ({ account, to }: TransferView): boolean =>
  parseCollateralAccount(account).shard !== parseCollateralAccount(to).shard;

const transfersOf = (call: EndpointCall): TransferView[] =>
  allCollateralAccounts(call)
    .flatMap((account) => call.exchange.transfers(account))
    .sort((a, b) => b.at - a.at);

/** An id of a client's own may name a transfer out of each of its accounts. */
const keyOfTransfer = ({ account, id }: TransferView): string => `${account} ${id}`;

export const subaccountTransfers: EndpointHandler = {
  answer(call) {
    const query = readQuery(call);
    const transfers = transfersOf(call).filter((transfer) => !isBetweenShards(transfer));
    const page = pageOf(transfers, { query, list: call.request.endpoint, keyOf: keyOfTransfer });
    const rows = page.rows.map(({ id, account, to, amount, at }) => {
      const { subaccount: from, shard } = parseCollateralAccount(account);
      return { transferId: id, from, to: parseCollateralAccount(to).subaccount, amount, at, shard };
    });
    return codecOf(furtherRecordsOf(call).subaccountTransfers).encodeText({ ...page, rows });
  },
};

export const subaccountBalances: EndpointHandler = {
  answer(call) {
    const { exchange } = call;
    const balances = allCollateralAccounts(call).flatMap((account) => {
      const balance = exchange.balance(account);
      if (balance === undefined) return [];
      const { subaccount, shard } = parseCollateralAccount(account);
      return [{ subaccount, shard, available: balance.available, updatedAt: exchange.now }];
    });
    return codecOf(furtherRecordsOf(call).subaccountBalances).encodeText({ balances });
  },
};

/** This exchange never nets the positions of an event group. */
export const netting: EndpointHandler = {
  answer(call) {
    const numbers = new Set(allCollateralAccounts(call).map((account) => parseCollateralAccount(account).subaccount));
    const subaccounts = [...numbers].map((subaccount) => ({ subaccount, isOn: false }));
    return codecOf(furtherRecordsOf(call).netting).encodeText({ subaccounts });
  },
};

/** The wire's row of a transfer. Its status is always `complete`, because transfers complete at once. */
function shardRow({ id, account, to, amount, at }: TransferView): ShardTransferRow {
  const [from, target] = [parseCollateralAccount(account), parseCollateralAccount(to)];
  return {
    transferId: id,
    source: 'event_contract',
    destination: 'event_contract',
    amount,
    fromShard: from.shard,
    toShard: target.shard,
    fromSubaccount: from.subaccount,
    toSubaccount: target.subaccount,
    status: 'complete',
    at,
  };
}

export const shardTransfers: EndpointHandler = {
  answer(call) {
    const query = readQuery(call);
    const page = pageOf(transfersOf(call).filter(isBetweenShards), {
      query,
      list: call.request.endpoint,
      keyOf: keyOfTransfer,
    });
    return codecOf(furtherRecordsOf(call).shardTransfers).encodeText({ ...page, rows: page.rows.map(shardRow) });
  },
};

export const shardTransferOf: EndpointHandler = {
  answer(call) {
    const transferId = pathPart(call, 'transferId');
    const found = transfersOf(call).find((transfer) => transfer.id === transferId && isBetweenShards(transfer));
    if (found === undefined) throw notFound(call);
    return codecOf(furtherRecordsOf(call).shardTransferOf).encodeText({ transfer: shardRow(found) });
  },
};
