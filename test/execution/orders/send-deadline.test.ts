// The latest time at which a waiting order is sent.
import { expect, it } from 'vitest';
import { sendDeadline } from '../../../src/execution/orders/send-deadline.ts';
import { micros } from '../../../src/domain/units.ts';

const LATEST = micros(5_000_000);

it.each([
  ['without a time of its own', {}, 5_000_000],
  ['that the strategy wants earlier', { validUntil: micros(4_000_000) }, 4_000_000],
  ['that expires before', { expiresAt: micros(4_500_000) }, 4_499_999],
  [
    'that expires before, at a venue of whole seconds',
    { expiresAt: micros(4_500_000), expiryStep: 1_000_000 },
    3_999_999,
  ],
  ['that expires later', { expiresAt: micros(6_500_000), expiryStep: 1_000_000 }, 5_000_000],
])('is right for an order %s', (_case, times, deadline) => {
  expect(sendDeadline({ expiryStep: 1, ...times }, LATEST)).toBe(deadline);
});
