// The local exchange in a process of its own: ten quiet markets, two rich accounts, limits that are never reached.
import { parseExchangeConfig } from '../../../src/config/exchange-config.ts';
import { startExchange } from '../../../src/exchange/api/exchange-server.ts';
import type { SigningScheme } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { endWithParent, tellParent } from '../companion.ts';
import { tickerOf } from '../frames.ts';
import { processorTime } from '../processor-time.ts';

const MARKETS = 10;
const WIDE = '{ model: token-bucket, refillPerSecond: 1000000, capacity: 1000000 }';

interface Keys {
  readonly scheme: SigningScheme;
  readonly buyer: string;
  readonly seller: string;
}

const markets = Array.from(
  { length: MARKETS },
  (_, number) => `  - { ticker: ${tickerOf(number)}, eventGroup: BENCHMARK, title: A market, closesIn: 2h }`,
);
const config = parseExchangeConfig(
  `seed: 1
accounts:
  - { name: buyer, cash: 1000000 }
  - { name: seller, cash: 1000000 }
series: [{ ticker: BENCH, title: Benchmarks, category: None }]
eventGroups: [{ ticker: BENCHMARK, series: BENCH, title: Benchmarks }]
markets:
${markets.join('\n')}
flow: { enabled: false }
limits: { read: ${WIDE}, trade: ${WIDE}, feed: ${WIDE} }
`,
  'benchmark.yaml',
);

endWithParent();
process.once('message', (keys: Keys) => void open(keys));
tellParent({ markets: MARKETS });

/** Starts the exchange with these public keys; afterwards it answers any message with its fills and processor time. */
async function open({ scheme, ...keys }: Keys): Promise<void> {
  const registered = (['buyer', 'seller'] as const).map((account) => {
    return { id: account, account, scheme, publicPem: keys[account] };
  });
  const exchange = await startExchange({ config, profile: serviceProfile, keys: registered });
  process.on('message', () => tellParent({ fills: exchange.summary().fills, time: processorTime() }));
  tellParent({ url: exchange.url });
}
