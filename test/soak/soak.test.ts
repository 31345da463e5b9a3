// A short soak: hundreds of markets come and go, and the session holds as much afterwards as after the first few.
import { expect, it } from 'vitest';
import { type SoakSample, runSoak } from './soak.ts';
import { growthPerThousand, whyNot } from './verdict.ts';

it('a soak holds no more after three hundred markets than after one hundred, and ends without position drift', async () => {
  const samples: SoakSample[] = [];
  const { end, differences, last } = await runSoak({
    seed: 7,
    markets: 300,
    lifetimeMinutes: 3,
    hours: 0.6,
    sampleCount: 12,
    cutEveryMinutes: 17,
    onSample: (look) => samples.push(look),
  });
  expect(end).toEqual({ type: 'stopped', isReconciled: true, hadAccount: true });
  expect(differences).toEqual([]);
  expect(last.drifts).toBe(0);
  expect(last.opened).toBeGreaterThan(280);
  expect(last.forgotten).toBeGreaterThan(220);
  expect(last.fills).toBeGreaterThan(50);
  const most = (from: number, to: number, what: string): number =>
    Math.max(...samples.slice(from, to).map((look) => look.retained[what] ?? 0));
  for (const what of Object.keys(last.retained))
    expect(most(8, 12, what), what).toBeLessThanOrEqual(Math.ceil(most(2, 6, what) * 1.5) + 30);
});

it('growthPerThousand distinguishes a growing heap from a fluctuating one', () => {
  const points = (heapOf: (i: number) => number) =>
    Array.from({ length: 24 }, (_, i) => ({ markets: i * 400, heapBytes: 30_000_000 + heapOf(i) }));
  const scatter = (i: number): number => ((i * 7919) % 13) * 500_000;
  expect(Math.abs(growthPerThousand(points(scatter)))).toBeLessThan(300_000);
  expect(growthPerThousand(points((i) => scatter(i) + i * 400 * 1024))).toBeGreaterThan(600_000);
  expect(growthPerThousand([])).toBe(0);
});

it('a soak passes only when it ended well, without a difference, and after trading', () => {
  const last = { elapsedHours: 1, opened: 1, settled: 1, forgotten: 1, fills: 1, drifts: 0, retained: {} };
  const well = { end: { type: 'stopped', isReconciled: true, hadAccount: true }, differences: [], last } as const;
  expect(whyNot(well, 0)).toEqual([]);
  expect(whyNot(well, 1_000_000)).toEqual(['MEMORY GROWS by 977 KiB per 1000 markets']);
  expect(whyNot({ ...well, end: { ...well.end, isReconciled: false } }, 0)).toHaveLength(1);
  expect(whyNot({ ...well, last: { ...last, drifts: 2, fills: 0 } }, 0)).toHaveLength(2);
});
