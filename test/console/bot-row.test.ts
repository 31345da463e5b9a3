// A bot's row of the console's overview, for a bot that the console has never seen.
import { expect, it } from 'vitest';
import { type BotRowOptions, botRow } from '../../src/console/bots/bot-row.ts';

const CHANGED_US = 1_796_063_813_000_000;
const NOW_US = CHANGED_US + 60_000_000;

const rowOf = (link: BotRowOptions['source']['link']) =>
  botRow({
    bot: 'demo',
    isPaper: false,
    source: {
      link,
      lastFrameUs: null,
      state: null,
      watchMarkets: () => undefined,
      onFrame: () => undefined,
      close: () => undefined,
    },
    folder: {
      halts: [],
      hasRun: true,
      pid: 4711,
      watchdog: 'running',
      strike: null,
      session: 'mhzc8q2kpl',
      isPaper: false,
      ended: null,
      changedUs: CHANGED_US,
    },
    equity: [],
    nowUs: NOW_US,
  });

it('a bot that hangs since before the console began gave its last sign of life in its data folder', () => {
  expect(rowOf('connected').process).toMatchObject({ state: 'hangs', lastSeenUs: CHANGED_US });
  expect(rowOf('absent').process).toMatchObject({ state: 'dead', lastSeenUs: CHANGED_US });
});

it('a row without figures has no time of figures', () => {
  expect(rowOf('connected')).toMatchObject({ equityMicros: null, asOfUs: null });
});
