// The `kalshi` profile under the contract, over real sockets, against the local exchange, with each kind of key.
import { kalshiProfile } from '../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { batchContract } from './batches.ts';
import { feedContract } from './feed.ts';
import { gatewayContract } from './gateway.ts';
import { localSubject } from './local-exchange.ts';

const lacks = { 'watching-without-key': 'the feed of this dialect needs a key' };
for (const scheme of kalshiProfile.signing.schemes) {
  const contracted = { make: localSubject({ profile: kalshiProfile, scheme }), lacks };
  gatewayContract(`the kalshi profile at the local exchange, by ${scheme}`, contracted);
  feedContract(`the kalshi profile at the local exchange, by ${scheme}`, contracted);
  batchContract(`the kalshi profile at the local exchange, by ${scheme}`, contracted);
}
