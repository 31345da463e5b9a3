// Reads of an account's own keys and of its public id.
// Must never send either half of a key.
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import { nameId } from '../../venues/trade-api/wire/name-id.ts';
import type { Handler } from './call.ts';
import { furtherOf } from './market-endpoints.ts';
import { accountOf } from './whereabouts.ts';

/** The scopes of every key. */
const SCOPES = ['read', 'write'];

export const apiKeys: Handler = {
  answer(call) {
    const keys = call.keyIdsOf(accountOf(call)).map((id) => ({ id, name: id, scopes: SCOPES }));
    return codecOf(furtherOf(call).apiKeys).encode({ keys });
  },
};

export const communicationsId: Handler = {
  answer: (call) => codecOf(furtherOf(call).communicationsId).encode({ id: nameId(accountOf(call)) }),
};
