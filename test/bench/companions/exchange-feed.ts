// The local exchange with simulated traders in twenty markets, in a process of its own. They change the books as often as
// the benchmark's number of messages needs; subscribers and reads come from other processes.
import { parseExchangeConfig } from '../../../src/config/exchange-config.ts';
import { startExchange } from '../../../src/exchange/api/exchange-server.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { endWithParent, tellParent } from '../companion.ts';
import { FOLLOWED_MARKETS } from '../feed-load.ts';
import { tickerOf } from '../frames.ts';
import { processorTime } from '../processor-time.ts';

const WIDE = '{ model: token-bucket, refillPerSecond: 1000000, capacity: 1000000 }';

const marketOf = (_: unknown, number: number): string =>
  `  - { ticker: ${tickerOf(number)}, eventGroup: BENCHMARK, title: A market, closesIn: 2h, probability: 0.5 }`;

const configOf = (changesPerSecond: number) =>
  parseExchangeConfig(
    `seed: 1
accounts: [{ name: reader, cash: 1000 }]
series: [{ ticker: BENCH, title: Benchmarks, category: None }]
eventGroups: [{ ticker: BENCHMARK, series: BENCH, title: Benchmarks }]
markets:
${Array.from({ length: FOLLOWED_MARKETS }, marketOf).join('\n')}
flow: { changesPerSecond: ${changesPerSecond} }
limits: { read: ${WIDE}, trade: ${WIDE}, feed: ${WIDE} }
`,
    'benchmark.yaml',
  );

endWithParent();
process.once('message', (changesPerSecond: number) => void open(changesPerSecond));
tellParent('ready');

/** Starts the exchange; afterwards it answers any message with the messages that it sent, and its processor time. */
async function open(changesPerSecond: number): Promise<void> {
  const exchange = await startExchange({ config: configOf(changesPerSecond), profile: serviceProfile });
  process.on('message', () => tellParent({ messages: exchange.summary().feedMessages, time: processorTime() }));
  tellParent({ url: exchange.url });
}
