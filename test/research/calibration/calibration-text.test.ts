// The verdict of a calibration: a table that does not describe the later delays is named as such.
import { expect, it } from 'vitest';
import type { Calibration } from '../../../src/research/calibration/calibrate.ts';
import { calibrationHeadline, calibrationSentences } from '../../../src/research/calibration/calibration-text.ts';
import type { FittedRow, LatencyFit } from '../../../src/research/calibration/latency-fit.ts';

const row = (distance: number): FittedRow => ({
  quantiles: [],
  count: 300,
  quality: { fitted: 210, judged: 90, distance, byChance: 0.17 },
});
const fitOf = (distances: readonly number[]): LatencyFit => ({
  order: distances.map(row),
  answer: [row(0.05)],
  feed: null,
  feedModel: 'recorded',
  separated: 1,
  division: 'ranks',
  clock: 'tape',
  offsetWithin: null,
  roundTrips: [],
  untilShown: [],
  feedDelays: null,
});
const calibrationOf = (fit: LatencyFit): Calibration => ({
  sessions: [{ name: 's', from: 0, to: 1, requests: 300, resting: 0 }],
  leftOut: [],
  latency: { fit, refused: null },
  queue: { fit: null, refused: 'too few' },
  block: '',
});
const headlineOf = (distances: readonly number[]): string => calibrationHeadline(calibrationOf(fitOf(distances)));

it('says how many tables differ from the later delays by more than chance explains', () => {
  expect(headlineOf([0.1])).toContain('delays (largest distance from later ones 0.100)');
  expect(headlineOf([0.3, 0.1])).toContain(
    'delays (largest distance from later ones 0.300; 1 of 3 tables differs from them by more than chance explains)',
  );
  const drawn = calibrationHeadline(calibrationOf({ ...fitOf([0.1]), feed: [row(0.4)], feedModel: 'drawn' }));
  expect(drawn).toContain('0.400; 1 of 3 tables differs');
  expect(headlineOf([0.3, 0.2])).toContain('; 2 of 3 tables differ from them by more than chance explains)');
});

it.each([
  ['ranks', 0.67, 'for 67% of the requests; the others are divided like those of the same rank by round trip.'],
  ['halves', 0.02, 'for 2% of the requests; the others are halved.'],
  ['ranks', 1, 'for 100% of the requests.'],
] as const)('says how the other requests are divided: %s where %d are separated', (division, separated, end) => {
  const [first] = calibrationSentences(calibrationOf({ ...fitOf([0.1]), division, separated }));
  expect(first).toContain(`${end} They are compared with`);
});
