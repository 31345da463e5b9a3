// The table that the benchmarks print: which figure of which scenario, against what, and what it should reach.
import type { Row } from './scenario.ts';

/** From a tick to its order: a figure of ours against the naive client's, and then that one's own. */
const tickRows = (label: string, metric: string, goal: { readonly ratioTarget?: number } = {}): readonly Row[] => [
  { label, scenario: 'tick', metric, unit: 'µs', against: 'tick-naive', isLess: true, ...goal },
  { label: `${label}, naive client`, scenario: 'tick-naive', metric, unit: 'µs' },
];

export const rows: readonly Row[] = [
  {
    label: 'book changes applied',
    scenario: 'books',
    metric: 'changesPerSecond',
    unit: '/s',
    against: 'books-bare',
    target: 30_000_000,
  },
  { label: 'the bare loop', scenario: 'books-bare', metric: 'changesPerSecond', unit: '/s' },
  {
    label: 'memory of a full whole-cent book',
    scenario: 'books-memory',
    metric: 'bytesPerMarket',
    unit: 'B',
    isLess: true,
    target: 1100,
  },
  {
    label: 'book changes through the engine',
    scenario: 'engine',
    metric: 'changesPerSecond',
    unit: '/s',
    against: 'books',
  },
  {
    label: 'feed: frames from socket to state',
    scenario: 'feed',
    metric: 'framesPerSecond',
    unit: '/s',
    against: 'feed-naive',
    target: 900_000,
    ratioTarget: 2,
  },
  { label: 'feed: naive client', scenario: 'feed-naive', metric: 'framesPerSecond', unit: '/s' },
  ...tickRows('tick → order, p50', 'p50', { ratioTarget: 10 }),
  ...tickRows('tick → order, p99', 'p99'),
  ...tickRows('  tick sent → frame in, p50', 'frameIn'),
  ...tickRows('  frame in → decided, p50', 'decided'),
  ...tickRows('  decided → signed, p50', 'signed'),
  ...tickRows('  signed → received in full, p50', 'received'),
  {
    label: 'local exchange: signed orders',
    scenario: 'exchange',
    metric: 'ordersPerSecond',
    unit: '/s',
    target: 5000,
  },
  {
    label: 'signatures, ours, P-256',
    scenario: 'sign-p256',
    metric: 'signaturesPerSecond',
    unit: '/s',
    against: 'sign-platform-pem',
  },
  {
    label: 'signatures, ours, secp256k1',
    scenario: 'sign-secp256k1',
    metric: 'signaturesPerSecond',
    unit: '/s',
    against: 'sign-platform-pem',
  },
  {
    label: 'signatures, platform, P-256',
    scenario: 'sign-platform',
    metric: 'signaturesPerSecond',
    unit: '/s',
    against: 'sign-platform-pem',
  },
  {
    label: 'signatures, platform, PEM parsed each time',
    scenario: 'sign-platform-pem',
    metric: 'signaturesPerSecond',
    unit: '/s',
  },
];
