// The `service` profile under the contract, over real sockets, against the local exchange.
import { serviceProfile } from '../../src/venues/trade-api/profiles/service-profile.ts';
import { batchContract } from './batches.ts';
import { feedContract } from './feed.ts';
import { gatewayContract } from './gateway.ts';
import { localSubject } from './local-exchange.ts';

const contracted = { make: localSubject({ profile: serviceProfile, scheme: 'ecdsa-p256' }) };
gatewayContract('the service profile at the local exchange', contracted);
feedContract('the service profile at the local exchange', contracted);
batchContract('the service profile at the local exchange', contracted);
