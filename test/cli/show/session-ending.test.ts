// The result of a session, for people and as data.
import { describe, expect, it } from 'vitest';
import { hasStrategyFailed } from '../../../src/app/session/session-result.ts';
import { endingRecord, renderEnding } from '../../../src/cli/show/session-ending.ts';
import { strategyName } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/units.ts';
import type { SessionEnd } from '../../../src/runtime/session/live-session.ts';
import { aHalt } from '../../support/engine/builders.ts';
import { aSnapshot, aTally } from '../../support/sessions/session-snapshot.ts';

const ending = (end: SessionEnd) => ({
  snapshot: aSnapshot(),
  tally: aTally(),
  end,
  logFile: '/var/bot.log',
  journal: '/var/bot/journal',
  differences: null,
});

describe('the ending of a session', () => {
  it('shows the account, line by line, and what each strategy did', () => {
    const lines = renderEnding(ending({ type: 'stopped', isReconciled: true, hadAccount: true }));
    expect(`\n${lines.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      session of 1:05, nothing of ours rests; cash and positions equal the exchange to the last millionth

      the account, its profit and fees since its first trade at the exchange:
      market  status  held   cost    value  realized       fees
      M-0     active    −3  $1.68  $1.6275    +$0.25  $0.017325

      cash                      $998.302675
      positions at their marks      $1.6275
      equity                    $999.930175
      realized                       +$0.25
      unrealized                   −$0.0525
      fees                        $0.017325
      profit                     +$0.180175

      maker: 7 orders, 1 fills, 3.5 contracts, 0 rejected; denied: stopping 2, book-stale 1
      taker: 0 orders, 0 fills, 0 contracts, 0 rejected; denied: none; HALTED: TypeError: no such market
      fees of 1 fills: $0.017325 charged, $0.0173 by the venue's schedules
      surprises: feed-gap 2
      refused for rate: 0 reads, 1 trades
      log: /var/bot.log
      journal: /var/bot/journal
      "
    `);
  });

  it('shows no figures of an account that was not read', () => {
    const snapshot = aSnapshot();
    const unread = { ...snapshot, account: { ...snapshot.account, isOpen: false } };
    const lines = renderEnding({ ...ending({ type: 'refused', reason: 'the key is wrong' }), snapshot: unread });
    expect(lines.slice(0, 5)).toEqual([
      'session of 1:05, but it COULD NOT BEGIN: the key is wrong',
      '',
      'the account was not read: its cash, positions and profit are not known',
      '',
      'maker: 7 orders, 1 fills, 3.5 contracts, 0 rejected; denied: stopping 2, book-stale 1',
    ]);
    expect(lines.join('\n')).not.toContain('equity');
  });

  it.each([
    [
      { type: 'stopped', isReconciled: true, hadAccount: false },
      'session of 1:05, no account was opened, and nothing traded',
    ],
    [
      { type: 'stopped', isReconciled: false, hadAccount: false },
      'session of 1:05, no account was opened; earlier orders MAY STILL REST: the list was not read',
    ],
    [
      { type: 'stopped', isReconciled: false, hadAccount: true },
      'session of 1:05, but cash or positions DIFFER from the exchange',
    ],
    [{ type: 'timed-out', ordersLeft: 3 }, 'session of 1:05, but 3 orders MAY STILL REST: stopping took too long'],
    [
      { type: 'timed-out', ordersLeft: 0 },
      'session of 1:05, but the last figures were NOT COMPARED with the exchange: stopping took too long',
    ],
    [
      { type: 'fault', fault: new RangeError('boom'), ordersLeft: null },
      'session of 1:05, ended by a FAULT, after which orders MAY STILL REST: RangeError: boom',
    ],
    [
      { type: 'fault', fault: new RangeError('boom'), ordersLeft: 2 },
      'session of 1:05, ended by a FAULT, after which 2 orders MAY STILL REST: RangeError: boom',
    ],
    [
      { type: 'fault', fault: new RangeError('boom'), ordersLeft: 0 },
      'session of 1:05, ended by a FAULT; the exchange’s own list shows none of its orders: RangeError: boom',
    ],
  ] as const)('says first how the session ended: %o', (end, line) => {
    expect(renderEnding(ending(end))[0]).toBe(line);
  });

  it('wraps at the terminal’s width, and leaves lines to copy whole', () => {
    const good = {
      ...ending({ type: 'stopped', isReconciled: true, hadAccount: true }),
      logFile: `/${'l'.repeat(99)}`,
    };
    const lines = renderEnding(good, 60);
    expect(lines.slice(0, 2)).toEqual([
      'session of 1:05, nothing of ours rests; cash and positions',
      'equal the exchange to the last millionth',
    ]);
    expect(lines.filter((line) => line.length > 60)).toEqual([`log: ${good.logFile}`]);
    expect(lines.join(' ')).toBe(renderEnding(good).join(' '));
  });

  it('says whether the exchange’s own ledger agrees, when it can be read', () => {
    const good = ending({ type: 'stopped', isReconciled: true, hadAccount: true });
    const agreed = renderEnding({ ...good, differences: [] });
    expect(agreed).toContain('the exchange’s own ledger agrees: cash, every position, every fee');
    const differences = [{ what: 'cash', ours: '$1.00', theirs: '$1.000001' }];
    const differing = renderEnding({ ...good, differences });
    expect(differing).toContain('LEDGER DIFFERS in cash: ours $1.00, theirs $1.000001');
  });

  it('says first which strategy failed, where in its file, and whether in this session', () => {
    const halt = aHalt({
      scope: { type: 'strategy', strategy: strategyName('taker') },
      by: 'fault',
      reason: "TypeError: Cannot read properties of undefined (reading 'x') (taker.ts:12)",
      since: micros(1_000_060_000_000),
    });
    const good = ending({ type: 'stopped', isReconciled: true, hadAccount: true });
    const failed = {
      ...good,
      snapshot: aSnapshot({ halts: [halt, aHalt({ scope: { type: 'account' }, by: 'operator', reason: 'enough' })] }),
    };
    const lines = renderEnding(failed);
    expect(lines.slice(0, 2)).toEqual([
      "Strategy taker was halted at 1970-01-12 13:47:40: TypeError: Cannot read properties of undefined (reading 'x') (taker.ts:12). It stays halted until `presage resume`.",
      'session of 1:05, nothing of ours rests; cash and positions equal the exchange to the last millionth',
    ]);
    expect(lines).toContain('the account IS HALTED by operator until `presage resume`: enough');
    expect(endingRecord(failed)).toMatchObject({ faults: [{ reason: halt.reason }] });
    expect(hasStrategyFailed(failed.snapshot)).toBe(true);
    const left = aSnapshot({ halts: [{ ...halt, since: micros(999_000_000_000) }] });
    expect(hasStrategyFailed(left)).toBe(false);
    expect(hasStrategyFailed(good.snapshot)).toBe(false);
  });

  it('omits surprises when there were none', () => {
    const quiet = {
      ...ending({ type: 'stopped', isReconciled: true, hadAccount: true }),
      snapshot: aSnapshot({ surprises: {} }),
    };
    expect(renderEnding(quiet).some((line) => line.startsWith('surprises'))).toBe(false);
  });

  it('is one record of plain data', () => {
    const told = JSON.stringify(endingRecord(ending({ type: 'fault', fault: new RangeError('boom'), ordersLeft: 1 })));
    expect(JSON.parse(told)).toMatchObject({
      type: 'end',
      end: { type: 'fault', fault: 'RangeError: boom', ordersLeft: 1 },
      elapsedMs: 65_000,
      account: { profit: 180_175 },
      strategies: [{ name: 'maker', fills: 1, denials: { stopping: 2 } }, { name: 'taker' }],
      rateLimited: { read: 0, trade: 1 },
      surprises: { 'feed-gap': 2 },
    });
  });
});
