// Alerts of a paper session: no advice acts on the live bot of the same config.
import { describe, expect, it } from 'vitest';
import { ALARM_TEXTS, draftOfAlarm } from '../../../src/alerts/record/alarm-drafts.ts';
import type { AlertDraft } from '../../../src/alerts/record/alert-record.ts';
import { type AlertSource, alertsOfNotice } from '../../../src/alerts/record/notice-alerts.ts';
import { draftOnPaper } from '../../../src/alerts/record/paper-drafts.ts';
import { draftOfEnd } from '../../../src/alerts/record/session-drafts.ts';
import type { AlarmCode } from '../../../src/domain/alarm.ts';
import { strategyName } from '../../../src/domain/ids.ts';
import type { HaltScope } from '../../../src/domain/operator-order.ts';
import { micros } from '../../../src/domain/units.ts';

const BOT = { bot: 'demo (paper)', configFile: 'demo.yaml' };
const SOURCE: AlertSource = {
  ...BOT,
  accountFigures: () => ({ orders: 0, positions: 0, dayProfit: null }),
  tickerOf: () => 'RAIN-A',
};

const adviceOf = (draft: AlertDraft): string => draftOnPaper(draft, 'demo.yaml').do;

function haltAdvice(scope: HaltScope, reason: string): string {
  const halt = { scope, by: 'risk', reason, since: micros(0) } as const;
  const [act] = alertsOfNotice({ type: 'halt', halt, isCarried: false }, SOURCE);
  return act?.type === 'firing' ? adviceOf(act.draft) : '';
}

describe('the advice of an alert on paper', () => {
  it('lifts a halt of the paper session', () => {
    expect(haltAdvice({ type: 'account' }, 'the day’s loss is above dailyLossMax')).toBe(
      'Look at orders and positions, then `presage resume --paper --config demo.yaml --reason …`. It halts again at once unless `presage override --paper` changes dailyLossMax first.',
    );
    expect(haltAdvice({ type: 'strategy', strategy: strategyName('quoter') }, 'slow')).toBe(
      'Look at orders and positions, then `presage resume --paper --config demo.yaml --scope strategy=quoter --reason …`.',
    );
  });

  it('names no command that changes the live bot', () => {
    const alarms = Object.keys(ALARM_TEXTS).map((code) =>
      // tidy: as (the keys of the table are the codes)
      draftOfAlarm(
        { type: 'alarm', code: code as AlarmCode, at: micros(0), text: 'x', figures: {} },
        BOT.bot,
        BOT.configFile,
      ),
    );
    const ends = [
      draftOfEnd({ type: 'timed-out', ordersLeft: 2 }, BOT),
      draftOfEnd({ type: 'fault', fault: 'x', ordersLeft: null }, BOT),
      draftOfEnd({ type: 'refused', reason: 'x' }, BOT),
    ];
    for (const draft of [...alarms, ...ends]) {
      const commands = adviceOf(draft).match(/`presage [^`]*`/g) ?? [];
      for (const command of commands)
        expect(command).toMatch(/^`presage (?:(?:status|resume|halt|override) --paper|doctor)[ `]/);
    }
  });
});
