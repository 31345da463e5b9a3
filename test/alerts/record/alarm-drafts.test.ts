// Texts of alarms for people: complete for every code, and readable as a file.
import { describe, expect, it } from 'vitest';
import { ALARM_TEXTS, draftOfAlarm } from '../../../src/alerts/record/alarm-drafts.ts';
import { draftOfEnd } from '../../../src/alerts/record/session-drafts.ts';
import type { AlertRecord } from '../../../src/alerts/record/alert-record.ts';
import { wholeText } from '../../../src/alerts/record/alert-text.ts';
import { presageProgram } from '../../../src/cli/program.ts';
import type { Alarm, AlarmCode } from '../../../src/domain/alarm.ts';
import { micros } from '../../../src/domain/units.ts';
import { aRecord } from '../../support/alerts/alert-drafts.ts';

/** An alarm of each code, with the figures and the words that the engine gives it. */
const ALARMS: Readonly<Record<AlarmCode, Pick<Alarm, 'text' | 'figures'>>> = {
  'rejects-per-minute': {
    text: '31 orders rejected within a minute, rejectsPerMinuteMax is 30: the last for post_only_would_cross',
    figures: { rejects: 31, rejectsPerMinuteMax: 30 },
  },
  'fee-unexpected': { text: 'trade T1 in RAIN-A was charged 0.02, expected 0.01', figures: { ticker: 'RAIN-A' } },
  'unknown-too-long': {
    text: 'order A1 (buy 5 contracts of RAIN-A at 45¢) has been unknown for 30001 ms, at most 30000: no new order in this market until the venue reports it',
    figures: { ticker: 'RAIN-A', forMs: 30_001 },
  },
  drift: {
    text: '5 contracts of RAIN-A are held here and 4 at the venue, and neither fills nor settlements explain it',
    figures: { ours: 500, theirs: 400 },
  },
  'feed-age': {
    text: 'the last message of the feed was 15001 ms ago, bookAgeMsMax is 15000',
    figures: { ageMs: 15_001 },
  },
  'feed-down': { text: 'the feed is down for 31000 ms: ECONNREFUSED', figures: { downMs: 31_000 } },
  'feed-lag': {
    text: 'the feed is 900 ms late: it comes late from the venue (our own timers are 2 ms late)',
    figures: { lagMs: 900 },
  },
  'book-unanswered': {
    text: 'the book of RAIN-A has not been live for 9000 ms after 4 requests',
    figures: { ticker: 'RAIN-A', forMs: 9000, attempts: 4, books: 1 },
  },
  'private-feed': { text: 'the private feed is down for 20000 ms: closed', figures: { forMs: 20_000, attempts: 2 } },
  'clock-offset': { text: 'our clock is 2.4 s ahead; offsetWarn is 2000 ms', figures: { provenMs: 2400 } },
  'clock-step': {
    text: 'our clock leapt forward by 7200000 ms: it was set, or the machine slept',
    figures: { byMs: 7_200_000 },
  },
  'touch-jump': {
    text: 'RAIN-A: the mid jumped by 30¢ without a trade, touchJumpMax is 25¢',
    figures: { ticker: 'RAIN-A' },
  },
  'repeated-execution': {
    text: 'RAIN-A: 301 fills within a minute, fillsPerMinuteMax is 300',
    figures: { scope: 'market', of: 'RAIN-A' },
  },
  'other-session': {
    text: 'another session of Presage trades on this account: s7k2, by its order s7k2-0-1 in RAIN-A',
    figures: { session: 's7k2' },
  },
  'canceled-elsewhere': {
    text: 'order A1 in RAIN-A was canceled on this account, and not by this session: 1 so far. Look for another program or person with a key of this account',
    figures: { clientOrderId: 'A1', ticker: 'RAIN-A', count: 1 },
  },
};

const CODES = Object.keys(ALARM_TEXTS) as AlarmCode[];
const draftOf = (code: AlarmCode) =>
  draftOfAlarm({ type: 'alarm', code, at: micros(0), ...ALARMS[code] }, 'demo', 'demo.yaml');
const recordOf = (code: AlarmCode): AlertRecord => {
  const { scope: _scope, ...draft } = draftOf(code);
  return aRecord(draft);
};

describe('texts of alarms', () => {
  it('say for every code what happened, what the bot did and what to do', async () => {
    const text = CODES.map((code) => `[${code}]\n${wholeText(recordOf(code))}\n`).join('\n');
    await expect(text).toMatchFileSnapshot('alarm-texts.txt');
  });

  it.each(CODES)('consist of whole sentences with nothing left to fill in: %s', (code) => {
    const { happened, did, do: advice, title } = draftOf(code);
    for (const part of [happened, did, advice]) {
      expect(part).toMatch(/^[A-Z0-9`].*[.…]$/s);
      expect(part).not.toMatch(/CONFIG|SCOPE|undefined/);
    }
    expect(title).toMatch(/^demo: /);
  });

  it('name commands that exist', async () => {
    const known = new Set((await presageProgram()).commands.map((command) => command.name()));
    const named = CODES.flatMap((code) =>
      [...draftOf(code).do.matchAll(/`presage ([\w-]+)/g)].map(([, name = '']) => name),
    );
    expect(named.length).toBeGreaterThan(5);
    for (const name of named) expect(known).toContain(name);
  });

  it('become critical when the feed has been down for more than a quarter of an hour', () => {
    const at = micros(0);
    const alarm = (downMs: number): Alarm => ({
      type: 'alarm',
      code: 'feed-down',
      at,
      text: 'down',
      figures: { downMs },
    });
    expect(draftOfAlarm(alarm(900_000), 'demo', 'x').severity).toBe('warning');
    expect(draftOfAlarm(alarm(900_001), 'demo', 'x').severity).toBe('critical');
  });

  it('distinguish two markets, sessions and differences', () => {
    const scopes = CODES.map((code) => [code, draftOf(code).scope] as const).filter(([, scope]) => scope !== '');
    expect(Object.fromEntries(scopes)).toEqual({
      'fee-unexpected': 'RAIN-A',
      'unknown-too-long': 'RAIN-A',
      drift: '500/400',
      'touch-jump': 'RAIN-A',
      'repeated-execution': 'market/RAIN-A',
      'other-session': 's7k2',
    });
  });

  it('name a config in a folder with a dollar sign as it is', () => {
    const draft = draftOfAlarm(
      { type: 'alarm', at: micros(0), ...ALARMS['other-session'], code: 'other-session' },
      'demo',
      'a$&b.yaml',
    );
    const end = draftOfEnd({ type: 'refused', reason: 'x' }, { bot: 'demo', configFile: 'a$&b.yaml' });
    for (const { do: advice } of [draft, end]) expect(advice).toContain('--config a$&b.yaml');
  });
});
