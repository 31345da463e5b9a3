// A session counts once, however many of its copies are named: its recording and its journal hold the same requests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { calibrate } from '../../../src/research/calibration/calibrate.ts';
import { recordDay } from '../../bench/day-session.ts';

const root = mkdtempSync(join(tmpdir(), 'presage-repeated-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

it('counts a session once that two places hold', async () => {
  const folder = join(root, 'bot', 'journal');
  await recordDay({ furtherMarkets: 0, changesPerSecond: 12, tradesPerMinute: 40, folder, hours: 0.01, seed: 3 });
  const once = calibrate([folder]);
  const twice = calibrate([join(root, 'bot'), folder]);
  expect(once.sessions).toHaveLength(1);
  expect(twice.sessions).toEqual(once.sessions);
  expect(twice.latency).toEqual(once.latency);
  expect(twice.leftOut).toEqual([{ name: once.sessions[0]?.name, reason: `${folder} holds it once more` }]);
});
