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
];
