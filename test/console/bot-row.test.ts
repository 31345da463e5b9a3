// A bot's row of the console's overview, for a bot that the console has never seen.
import { expect, it } from 'vitest';
import { type BotRowOptions, botRow } from '../../src/console/bots/bot-row.ts';
import { MadeBot, madeSession } from './support/made-bot.ts';

const CHANGED_US = 1_796_063_813_000_000;
const NOW_US = CHANGED_US + 60_000_000;

const rowOf = (
  link: BotRowOptions['source']['link'],
  lastFrameUs: number | null = null,
  state: BotRowOptions['source']['state'] = null,
) =>
  botRow({
    bot: 'demo',
    isPaper: false,
    source: {
      link,
      lastFrameUs,
      state,
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

it('a bot that has not answered since the console began gave its last sign of life in its data folder', () => {
  expect(rowOf('silent').process).toMatchObject({ state: 'no answer', lastSeenUs: CHANGED_US });
  expect(rowOf('absent').process).toMatchObject({ state: 'dead', lastSeenUs: CHANGED_US });
});

it('a bot that answered and no longer does hangs; one without a first answer may as well start', () => {
  expect(rowOf('silent', NOW_US - 60_000_000).process.state).toBe('hangs');
  expect(rowOf('connected', NOW_US).process.state).toBe('running');
});

it.each([
  [true, false],
  [false, true],
  [undefined, false],
])('an exchange that trades: %s is paused: %s', (isExchangeTrading, isExchangePaused) => {
  const session = { atUs: NOW_US, value: madeSession(isExchangeTrading === undefined ? {} : { isExchangeTrading }) };
  const state = { ...new MadeBot().state, session };
  expect(rowOf('connected', NOW_US, state)).toMatchObject({ isExchangePaused });
  expect(rowOf('silent', NOW_US - 60_000_000, state)).toMatchObject({ isExchangePaused: false });
});

it('a row without figures has no time of figures', () => {
  expect(rowOf('connected')).toMatchObject({ equityMicros: null, asOfUs: null });
});
