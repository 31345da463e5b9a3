// Subaccounts, and money between an owner's purses: from one subaccount to another, and from one shard to another.
// Must never move money out of the owner's hands, nor open a purse on a shard there is not.
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import type { ShardTransferRow } from '../../venues/trade-api/wire/records.ts';
import type { AccountName } from '../input.ts';
import type { TransferView } from '../output.ts';
import { SUBACCOUNT_MAX, purseName, purseOf, pursesOf } from '../purses.ts';
import { ask } from './asking.ts';
import type { Call, Handler } from './call.ts';
import { furtherOf, notFound, partOf } from './market-endpoints.ts';
import { pageOf } from './pages.ts';
import { readBody } from './body-reading.ts';
import { readQuery } from './query-reading.ts';
import { refuse, senseless } from './refusals.ts';
import { accountOf, pursesFor } from './whereabouts.ts';

/** The purses of one subaccount as they are now, on every shard. */
const partsOf = ({ session, premises }: Call, owner: AccountName, subaccount: number): AccountName[] =>
  pursesOf(session.exchange, owner, { shards: premises.shards, only: { subaccount, shard: null } });

const everyPurse = (call: Call): AccountName[] => pursesFor(call, { subaccount: null, shard: null });

function checkShard(call: Call, shard: number): number {
  const { shards } = call.premises;
  if (shards.includes(shard)) return shard;
  throw senseless(call, `exchange shard: expected one of ${shards.join(', ')}, found ${shard}`);
}

export const createSubaccount: Handler = {
  answer(call) {
    const { createSubaccount: asked, subaccountCreated } = furtherOf(call);
    const shard = checkShard(call, call.request.body === '' ? 0 : (readBody(call, asked).shard ?? 0));
    const owner = accountOf(call);
    let subaccount = 1;
    while (subaccount <= SUBACCOUNT_MAX && partsOf(call, owner, subaccount).length > 0) subaccount++;
    if (subaccount > SUBACCOUNT_MAX) throw senseless(call, `expected ${SUBACCOUNT_MAX} subaccounts at the most`);
    open(call, purseName({ owner, subaccount, shard }));
    return codecOf(subaccountCreated).encode({ subaccount });
  },
};

/** Opens a purse that is not yet open. */
function open({ session }: Call, account: AccountName): AccountName {
  if (!session.exchange.hasAccount(account)) session.submit({ type: 'open-account', account, keepsHistory: true });
  return account;
}

interface Place {
  readonly subaccount: number;
  readonly shard: number;
}
interface Move {
  readonly from: Place;
  readonly to: Place;
  readonly amount: TransferView['amount'];
  /** Named by the client: the same one again moves nothing more. */
  readonly id: string | null;
}

/** Moves money. A subaccount that exists gets a purse on a shard when the first money comes there. */
function move(call: Call, { from, to, amount, id }: Move): TransferView {
  const owner = accountOf(call);
  const source = purseName({ owner, ...from });
  if (!call.session.exchange.hasAccount(source) || partsOf(call, owner, to.subaccount).length === 0)
    throw refuse(call, { status: 404, code: 'user_not_found' });
  const { shard } = { shard: checkShard(call, to.shard) };
  const target = open(call, purseName({ owner, subaccount: to.subaccount, shard }));
  return ask(call, { type: 'transfer', account: source, to: target, amount, id }, 'transferred').transfer;
}

export const subaccountTransfer: Handler = {
  answer(call) {
    const { transferId, from, to, amount, shard } = readBody(call, furtherOf(call).subaccountTransfer);
    const on = shard ?? 0;
    move(call, {
      from: { subaccount: from, shard: on },
      to: { subaccount: to, shard: on },
      amount,
      id: transferId,
    });
    return {};
  },
};

export const shardTransfer: Handler = {
  answer(call) {
    const asked = readBody(call, furtherOf(call).shardTransfer);
    if (asked.source !== 'event_contract' || asked.destination !== 'event_contract')
      throw senseless(call, 'source and destination: expected event_contract, the only one there is');
    const { id } = move(call, {
      from: { subaccount: asked.fromSubaccount ?? 0, shard: asked.fromShard ?? 0 },
      to: { subaccount: asked.toSubaccount ?? 0, shard: asked.toShard ?? 0 },
      amount: asked.amount,
      id: null,
    });
    return codecOf(furtherOf(call).shardTransferred).encode({ transferId: id });
  },
};

const isBetweenShards = ({ account, to }: TransferView): boolean => purseOf(account).shard !== purseOf(to).shard;

/** The owner's transfers, newest first. */
const transfersOf = (call: Call): TransferView[] =>
  everyPurse(call)
    .flatMap((purse) => call.exchange.transfers(purse))
    .sort((a, b) => b.at - a.at);

export const subaccountTransfers: Handler = {
  answer(call) {
    const query = readQuery(call);
    const moved = transfersOf(call).filter((transfer) => !isBetweenShards(transfer));
    const page = pageOf(moved, { query, keyOf: ({ id }) => id });
    const rows = page.rows.map(({ id, account, to, amount, at }) => {
      const { subaccount: from, shard } = purseOf(account);
      return { transferId: id, from, to: purseOf(to).subaccount, amount, at, shard };
    });
    return codecOf(furtherOf(call).subaccountTransfers).encode({ ...page, rows });
  },
};

export const subaccountBalances: Handler = {
  answer(call) {
    const { exchange } = call;
    const balances = everyPurse(call).flatMap((purse) => {
      const held = exchange.balance(purse);
      if (held === undefined) return [];
      const { subaccount, shard } = purseOf(purse);
      return [{ subaccount, shard, available: held.available, updatedAt: exchange.now }];
    });
    return codecOf(furtherOf(call).subaccountBalances).encode({ balances });
  },
};

/** Positions of one event group never reduce each other's collateral here. */
export const netting: Handler = {
  answer(call) {
    const numbers = new Set(everyPurse(call).map((purse) => purseOf(purse).subaccount));
    const subaccounts = [...numbers].map((subaccount) => ({ subaccount, isOn: false }));
    return codecOf(furtherOf(call).netting).encode({ subaccounts });
  },
};

/** What is moved is there at once. */
function shardRow({ id, account, to, amount, at }: TransferView): ShardTransferRow {
  const [from, target] = [purseOf(account), purseOf(to)];
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

export const shardTransfers: Handler = {
  answer(call) {
    const query = readQuery(call);
    const page = pageOf(transfersOf(call).filter(isBetweenShards), { query, keyOf: ({ id }) => id });
    return codecOf(furtherOf(call).shardTransfers).encode({ ...page, rows: page.rows.map(shardRow) });
  },
};

export const shardTransferOf: Handler = {
  answer(call) {
    const wanted = partOf(call, 'transferId');
    const found = transfersOf(call).find((transfer) => transfer.id === wanted && isBetweenShards(transfer));
    if (found === undefined) throw notFound(call);
    return codecOf(furtherOf(call).shardTransferOf).encode({ transfer: shardRow(found) });
  },
};
