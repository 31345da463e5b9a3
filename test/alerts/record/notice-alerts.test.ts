// Which notices people are alerted of, and the text of each.
import { describe, expect, it } from 'vitest';
import { strategyName, ticker } from '../../../src/domain/ids.ts';
import type { HaltScope, HaltedBy } from '../../../src/domain/operator-order.ts';
import { dollars, micros, qty } from '../../../src/domain/units.ts';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import type { AlertAct } from '../../../src/alerts/record/alert-record.ts';
import { type AlertSource, alertsOfNotice } from '../../../src/alerts/record/notice-alerts.ts';
import { draftOfDisk, draftOfEnd } from '../../../src/alerts/record/session-drafts.ts';
import { draftOfStrike } from '../../../src/alerts/record/strike-drafts.ts';
import { M0 } from '../../support/engine/builders.ts';

const SOURCE: AlertSource = {
  bot: 'demo',
  configFile: 'demo.yaml',
  accountFigures: () => ({ orders: 14, positions: 3, dayProfit: dollars(-50.12) }),
  tickerOf: () => 'RAIN-A',
};

const SINCE = micros(Date.UTC(2026, 10, 23, 13, 41, 7) * 1000);
const LOSS = "the day's loss $50.12 is above dailyLossMax $50.00";
const halt = (scope: HaltScope, by: HaltedBy, isCarried = false): Notice => ({
  type: 'halt',
  halt: { scope, by, reason: by === 'risk' ? LOSS : 'a reason', since: SINCE },
  isCarried,
});
const ACCOUNT: HaltScope = { type: 'account' };
const STRATEGY: HaltScope = { type: 'strategy', strategy: strategyName('quoter') };
const MARKET: HaltScope = { type: 'market', ticker: ticker('RAIN-A') };

const OVERRIDE = { limit: 'dailyLossMax', value: 80_000_000, strategy: null, until: SINCE, reason: 'r' };
const UNCLOSED = { market: M0, qty: qty(500), why: 'no bid' };

/** A notice of each kind that people are alerted of. */
const NOTICES: readonly (readonly [string, Notice])[] = [
  ['halt of the account by risk', halt(ACCOUNT, 'risk')],
  ['halt of the account by the watchdog', halt(ACCOUNT, 'watchdog')],
  ['halt of the account by an operator', halt(ACCOUNT, 'operator')],
  ['halt of the account from an earlier session', halt(ACCOUNT, 'risk', true)],
  ['halt of a strategy after a fault', halt(STRATEGY, 'fault')],
  ['halt of a market by risk', halt(MARKET, 'risk')],
  ['resume', { type: 'resumed', scope: ACCOUNT, reason: 'looked at', lifted: [] }],
  ['feed up', { type: 'feed', isUp: true, reason: 'connection 2' }],
  ['private feed up', { type: 'private-feed', isUp: true, reason: 'subscribed' }],
  ['trading', { type: 'phase', phase: 'trading', why: 'the account is open' }],
  ['cancel all', { type: 'withdrawn', scope: ACCOUNT, reason: 'news', orders: 3 }],
  ['flatten', { type: 'flattening', reason: 'weekend', positions: 2 }],
  ['flattened', { type: 'flattened', why: 'every position is zero', unclosed: [] }],
  ['not flattened', { type: 'flattened', why: 'the time is over', unclosed: [UNCLOSED] }],
  ['override', { type: 'override', at: SINCE, change: 'begun', override: OVERRIDE, why: 'r' }],
  ['refused override', { type: 'override', at: SINCE, change: 'refused', override: OVERRIDE, why: 'no such limit' }],
];

function textOf(act: AlertAct): string {
  if (act.type === 'over-except') return `over ${act.code} except ${act.scopes.join(', ')}: ${act.happened}`;
  if (act.type === 'over') return `over ${act.code} ${act.scope}: ${act.happened}`;
  const { severity, code, scope, title, happened, did, do: advice } = act.draft;
  return [`${severity} ${code} ${scope}`.trim(), title, happened, did, advice].join('\n');
}

describe('alerts of notices', () => {
  it('say for each kind what happened, what the bot did and what to do', async () => {
    const text = NOTICES.map(
      ([name, notice]) => `[${name}]\n${alertsOfNotice(notice, SOURCE).map(textOf).join('\n')}\n`,
    );
    await expect(text.join('\n')).toMatchFileSnapshot('notice-texts.txt');
  });

  it('wake a person for a halt of the account that no operator asked for, and for no other halt', () => {
    const severity = (notice: Notice) => {
      const [act] = alertsOfNotice(notice, SOURCE);
      return act?.type === 'firing' ? act.draft.severity : null;
    };
    for (const by of ['risk', 'watchdog', 'fault'] as const) expect(severity(halt(ACCOUNT, by))).toBe('critical');
    expect(severity(halt(ACCOUNT, 'operator'))).toBe('warning');
    expect(severity(halt(STRATEGY, 'risk'))).toBe('warning');
    expect(severity(halt(ACCOUNT, 'risk', true))).toBe('warning');
  });

  it('advise an override only for a loss of the day: a resume begins the drawdown again', () => {
    const advice = (reason: string): string => {
      const notice: Notice = {
        type: 'halt',
        halt: { scope: ACCOUNT, by: 'risk', reason, since: SINCE },
        isCarried: false,
      };
      const [act] = alertsOfNotice(notice, SOURCE);
      return act?.type === 'firing' ? act.draft.do : '';
    };
    expect(advice(LOSS)).toContain('unless `presage override` changes dailyLossMax first');
    expect(advice('the loss from the peak $201.00 is above drawdownMax $200.00')).toBe(
      'Look at orders and positions, then `presage resume --config demo.yaml --reason …`. The drawdown then counts from the equity at that time.',
    );
  });

  it('end a flatten that left positions with the one that closes them, which is another condition', () => {
    const acts = (unclosed: readonly (typeof UNCLOSED)[]) =>
      alertsOfNotice({ type: 'flattened', why: 'x', unclosed }, SOURCE).map((act) =>
        act.type === 'firing' ? `firing ${act.draft.code}/${act.draft.scope}` : `${act.type} ${act.code}`,
      );
    expect(acts([UNCLOSED])).toEqual(['firing flattened/']);
    expect(acts([])).toEqual(['over flattened', 'firing flattened/done']);
  });

  it('return one shared list for ordinary notices, and allocate nothing', () => {
    const saved: Notice = { type: 'reconciled', why: 'equal' };
    const limited: Notice = { type: 'rate-limited', budget: 'trade', retryAfter: null };
    expect(alertsOfNotice(saved, SOURCE)).toEqual([]);
    expect(alertsOfNotice(saved, SOURCE)).toBe(alertsOfNotice(limited, SOURCE));
  });

  it('clean control characters out of reasons', () => {
    const notice: Notice = { type: 'withdrawn', scope: ACCOUNT, reason: 'a\u001b[31m\u0007b\nc\u202ed', orders: 1 };
    const [act] = alertsOfNotice(notice, SOURCE);
    expect(act && textOf(act)).toContain('a [31m b c d');
  });
});

describe('alerts of a session and its watchdog', () => {
  it('say how it ended, and what is left of its orders', async () => {
    const bot = { bot: 'demo', configFile: 'demo.yaml' };
    const strike = { ...bot, pid: 4711, session: 's1', silentMs: 20_400, at: '2026-11-23T03:12:11.000Z' };
    const done = { isDone: true, canceled: 9, left: [], trouble: null };
    const stuck = {
      isDone: false,
      canceled: 2,
      left: [{ clientOrderId: null, venueOrderId: 'v', ticker: 'RAIN-A' }],
      trouble: 'ECONNREFUSED',
    };
    const drafts = {
      stopped: draftOfEnd({ type: 'stopped', isReconciled: true, hadAccount: true }, bot),
      'stopped with differences': draftOfEnd({ type: 'stopped', isReconciled: false, hadAccount: true }, bot),
      refused: draftOfEnd({ type: 'refused', reason: 'the venue refused the key' }, bot),
      'timed out': draftOfEnd({ type: 'timed-out', ordersLeft: 2 }, bot),
      fault: draftOfEnd({ type: 'fault', fault: new Error('a book crossed'), ordersLeft: 0 }, bot),
      'fault with orders': draftOfEnd({ type: 'fault', fault: new Error('a book crossed'), ordersLeft: 3 }, bot),
      'fault with unknown orders': draftOfEnd({ type: 'fault', fault: 'x', ordersLeft: null }, bot),
      disk: draftOfDisk({ freeMegabytes: 700, minMegabytes: 1000 }, 'demo'),
      'full disk': draftOfDisk({ freeMegabytes: 70, minMegabytes: 1000 }, 'demo'),
      'dead, canceling': draftOfStrike({ ...strike, cause: 'died' }, null),
      dead: draftOfStrike({ ...strike, cause: 'died' }, done),
      'dead, orders left': draftOfStrike({ ...strike, cause: 'died' }, stuck),
      hangs: draftOfStrike({ ...strike, cause: 'hung' }, done),
    };
    const text = Object.entries(drafts).map(
      ([name, draft]) => `[${name}]\n${draft && textOf({ type: 'firing', draft })}\n`,
    );
    await expect(text.join('\n')).toMatchFileSnapshot('session-texts.txt');
  });

  it('say that the disk is full when that ended the session, and to make room first', () => {
    const fault = new Error('00000001.tape, entry 9: var/journal/00000001.tape: cannot be written: ENOSPC');
    const draft = draftOfEnd({ type: 'fault', fault, ordersLeft: 0 }, { bot: 'demo', configFile: 'demo.yaml' });
    expect(draft.title).toBe('demo ended: the disk is full');
    expect(draft.happened).toBe(`The disk is full: ${fault.message}.`);
    expect(draft.do).toBe(
      'Make room on the disk of the data folder, then start the bot again. It resolves what was in flight before it trades.',
    );
    const left = draftOfEnd({ type: 'fault', fault, ordersLeft: null }, { bot: 'demo', configFile: 'demo.yaml' });
    expect(left.do).toMatch(/^Run `presage halt --config demo.yaml`/);
  });

  it('say nothing of a disk with enough space', () => {
    expect(draftOfDisk({ freeMegabytes: 1000, minMegabytes: 1000 }, 'demo')).toBeNull();
  });
});
