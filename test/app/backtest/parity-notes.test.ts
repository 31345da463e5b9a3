// The notes of a parity report: what the session had, and the backtest has not.
import { expect, it } from 'vitest';
import { notesOn } from '../../../src/app/backtest/parity-run.ts';
import { strategyName } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/units.ts';

it('names positions and halts of the session, and changed code', () => {
  const since = micros(Date.UTC(2026, 10, 30, 7, 45, 40) * 1000);
  const notes = notesOn({
    openingTickers: new Set(['A']),
    simulatedHalts: [{ scope: { type: 'account' }, by: 'risk', reason: 'a loss', since }],
    halts: [
      {
        halt: { scope: { type: 'strategy', strategy: strategyName('quoter') }, by: 'operator', reason: 'news', since },
        isOutside: true,
      },
      { halt: { scope: { type: 'account' }, by: 'risk', reason: 'a loss', since }, isOutside: false },
    ],
    codeDiffersAt: since,
    isOnOtherModels: false,
  });
  expect(notes).toEqual([
    'the session had a halt of strategy quoter by operator, of 2026-11-30T07:45:40.000000Z (news); the backtest trades on',
    'the session had a halt of the account by risk, of 2026-11-30T07:45:40.000000Z (a loss)',
    'the backtest had a halt of the account by risk, of 2026-11-30T07:45:40.000000Z (a loss)',
    'the session began with positions in 1 market; the backtest begins with none',
    'the journal itself replays differently from 2026-11-30T07:45:40.000000Z on: the code has changed, and only what came before is compared',
  ]);
});

it('says that a paper session was simulated by models that its journal, of an earlier version, does not hold', () => {
  const none = { openingTickers: new Set<string>(), simulatedHalts: [], halts: [], codeDiffersAt: null };
  expect(notesOn({ ...none, isOnOtherModels: true })).toEqual([
    'the session was on paper, and its journal, of an earlier version, does not hold its models: the backtest has the defaults; --simulation gives those of the session',
  ]);
});
