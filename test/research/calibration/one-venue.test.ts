// Sessions of two venues are refused: one table would describe neither.
import { expect, it } from 'vitest';
import { UsageError } from '../../../src/app/usage-error.ts';
import { refuseOtherVenues } from '../../../src/research/calibration/read-sessions.ts';

it('refuses sessions of two venues, and names both', () => {
  const [kalshi, service] = [
    { name: 'a1', profile: 'kalshi' },
    { name: 'b2', profile: 'service' },
  ];
  expect(() => refuseOtherVenues([])).not.toThrow();
  expect(() => refuseOtherVenues([kalshi, kalshi])).not.toThrow();
  expect(() => refuseOtherVenues([kalshi, kalshi, service])).toThrow(
    new UsageError('expected sessions of one venue, found a1 of kalshi and b2 of service'),
  );
});
