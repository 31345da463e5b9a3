// A short soak: hundreds of markets come and go, and what is kept afterwards is as much as it was after the first few.
import { expect, it } from 'vitest';
import { type Look, runSoak } from './soak.ts';

it('keeps no more after three hundred markets than after one hundred, and ends without drift', async () => {
  const looks: Look[] = [];
  const { end, differences, last } = await runSoak({
    seed: 7,
    markets: 300,
    lifetimeMinutes: 3,
    hours: 0.6,
    looks: 12,
    cutEveryMinutes: 17,
    onLook: (look) => looks.push(look),
  });
  expect(end).toEqual({ type: 'stopped', isReconciled: true, hadAccount: true });
  expect(differences).toEqual([]);
  expect(last.drifts).toBe(0);
  expect(last.opened).toBeGreaterThan(280);
  expect(last.forgotten).toBeGreaterThan(220);
  expect(last.fills).toBeGreaterThan(50);
  const most = (from: number, to: number, what: string): number =>
    Math.max(...looks.slice(from, to).map((look) => look.retained[what] ?? 0));
  for (const what of Object.keys(last.retained))
    expect(most(8, 12, what), what).toBeLessThanOrEqual(Math.ceil(most(2, 6, what) * 1.3) + 10);
});
