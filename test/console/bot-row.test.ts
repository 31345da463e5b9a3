// A bot's row of the console's overview, for a bot that the console has never seen.
import { describe, expect, it } from 'vitest';
import { type BotRowOptions, botRow, processOf } from '../../src/console/bots/bot-row.ts';
import { MadeBot, madeSession } from './support/made-bot.ts';

const CHANGED_US = 1_796_063_813_000_000;
const NOW_US = CHANGED_US + 60_000_000;

const FOLDER: BotRowOptions['folder'] = {
  halts: [],
  hasRun: true,
  pid: 4711,
  watchdog: 'running',
  strike: null,
  session: 'mhzc8q2kpl',
  isPaper: false,
  ended: null,
  changedUs: CHANGED_US,
};

type Source = BotRowOptions['source'];

const sourceOf = (link: Source['link'], lastFrameUs: number | null, state: Source['state']): Source => ({
  link,
  lastFrameUs,
  state,
  watchMarkets: () => undefined,
  onFrame: () => undefined,
  close: () => undefined,
});

const rowOf = (link: Source['link'], lastFrameUs: number | null = null, state: Source['state'] = null) =>
  botRow({
    bot: 'demo',
    isPaper: false,
    source: sourceOf(link, lastFrameUs, state),
    folder: FOLDER,
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

describe('a bot with a new session', () => {
  const { state } = new MadeBot();
  const seenUs = NOW_US - 60_000_000;
  const processWith = (source: Source, folder: Partial<BotRowOptions['folder']>) =>
    processOf({ source, folder: { ...FOLDER, ...folder }, nowUs: NOW_US });
  const stateOf = (link: 'absent' | 'silent', folder: Partial<BotRowOptions['folder']>): string =>
    processWith(sourceOf(link, seenUs, state), folder).state;
  const isStarting = { session: 'of today', changedUs: NOW_US - 4_000_000 };

  it('has not answered yet while it starts, and is dead when its files change no more', () => {
    expect(stateOf('absent', isStarting)).toBe('no answer');
    expect(stateOf('silent', isStarting)).toBe('no answer');
    expect(stateOf('absent', { ...isStarting, changedUs: NOW_US - 5_000_000 })).toBe('dead');
    // The clock has stepped back since.
    expect(stateOf('absent', { ...isStarting, changedUs: NOW_US + 3_600_000_000 })).toBe('dead');
    const isUnseen = sourceOf('absent', null, null);
    expect(processWith(isUnseen, isStarting)).toMatchObject({ state: 'no answer', pid: null });
  });

  it('has ended in order when its journal says so, however new it is', () => {
    const ended = { isOrderly: true, text: 'in order', atUs: NOW_US };
    expect(stateOf('absent', { ...isStarting, ended })).toBe('stopped');
  });

  it('is another than that which the console has seen: a seen session is dead at once', () => {
    const { session } = state.hello;
    expect(stateOf('absent', { session, changedUs: NOW_US })).toBe('dead');
    expect(stateOf('silent', { session, changedUs: NOW_US })).toBe('hangs');
  });
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

it('the remarks of a running bot are in its row; a bot of an older version sends none', () => {
  const remarksOf = (link: 'connected' | 'silent', remarks?: string[]) => {
    const session = { atUs: NOW_US, value: madeSession(remarks === undefined ? {} : { remarks }) };
    return rowOf(link, link === 'silent' ? NOW_US - 60_000_000 : NOW_US, { ...new MadeBot().state, session }).remarks;
  };
  expect(remarksOf('connected', ['a group may stand there'])).toEqual(['a group may stand there']);
  expect(remarksOf('silent', ['a group may stand there'])).toEqual([]);
  expect(remarksOf('connected')).toEqual([]);
});

it('a row without figures has no time of figures', () => {
  expect(rowOf('connected')).toMatchObject({ equityMicros: null, asOfUs: null });
});
