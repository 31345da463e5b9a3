// The table that the benchmarks print: which figure of which scenario, against what, and what it should reach.
import type { Row } from './scenario.ts';

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
