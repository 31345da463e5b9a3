// The operator’s commands as text: their arguments, their messages, and the orders that a scope covers at the venue.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { statusLines } from '../../src/cli/show/status-text.ts';
import { cancelLines } from '../../src/cli/show/cancel-text.ts';
import { reasonArgument, resumeHint, scopeArgument } from '../../src/cli/arguments/operator-options.ts';
import { haltText } from '../../src/app/operate/halt-text.ts';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sessionName } from '../../src/domain/orders/client-order-id.ts';
import { type StrategyName, clientOrderId, strategyName, ticker } from '../../src/domain/ids.ts';
import type { HaltScope } from '../../src/domain/operator-order.ts';
import { micros } from '../../src/domain/units.ts';
import { refuseUnknownStrategy, botTroubleText } from '../../src/app/operate/operator-context.ts';
import { haltCommand } from '../../src/cli/halt-command.ts';
import { resumeText } from '../../src/cli/resume-command.ts';
import { flattenCommand, flattenHints } from '../../src/cli/flatten-command.ts';
import { ordersOfOtherSessions, ordersInScope } from '../../src/app/operate/direct-cancel.ts';
import { type StatusRecord, parseStatus } from '../../src/app/session/status-record.ts';
import type { CancelReport } from '../../src/app/operate/cancel-escalation.ts';
import { aHalt, aReport } from '../support/engine/builders.ts';
import { UsageError } from '../../src/app/usage-error.ts';

const STRATEGY: HaltScope = { type: 'strategy', strategy: strategyName('taker') };
const MARKET: HaltScope = { type: 'market', ticker: ticker('M-0') };
const ACCOUNT: HaltScope = { type: 'account' };
const BEGIN_2026 = micros(Date.UTC(2026, 0) * 1000);

describe('a scope on the command line', () => {
  it('is parsed as a strategy, a market, or the account', () => {
    expect(scopeArgument('strategy=taker')).toEqual(STRATEGY);
    expect(scopeArgument('market=M-0')).toEqual(MARKET);
    expect(scopeArgument('account')).toEqual(ACCOUNT);
  });

  it.each(['', 'taker', 'strategy=', 'market', 'all', 'Strategy=a'])(
    'is refused when it is anything else: %j',
    (text) => {
      expect(() => scopeArgument(text)).toThrow(InvalidArgumentError);
    },
  );

  it('is refused when its name is too long', () => {
    expect(scopeArgument(`market=${'M'.repeat(255)}`)).toEqual({ type: 'market', ticker: 'M'.repeat(255) });
    expect(() => scopeArgument(`market=${'M'.repeat(256)}`)).toThrow('at most, found 256');
  });

  const order = (id: string | null) => aReport({ clientOrderId: id === null ? null : clientOrderId(id) });
  const [maker, taker] = ['maker', 'taker'].map(strategyName) as [StrategyName, StrategyName];

  it('covers the orders that it names at the venue', () => {
    const sessions = [{ session: 's', strategies: [maker, taker] }];
    expect(ordersInScope(STRATEGY, sessions)(order('s-1-4'), 'M-0')).toBe(true);
    expect(ordersInScope(STRATEGY, sessions)(order('s-0-1'), 'M-0')).toBe(false);
    expect(ordersInScope(STRATEGY, sessions)(order('s-11-1'), 'M-0')).toBe(false);
    expect(ordersInScope(STRATEGY, sessions)(order(null), 'M-0')).toBe(false);
    expect(ordersInScope(MARKET, sessions)(order(null), 'M-0')).toBe(true);
    expect(ordersInScope(MARKET, sessions)(order('s-1-4'), 'M-1')).toBe(false);
    expect(ordersInScope(ACCOUNT, sessions)(order(null), 'M-1')).toBe(true);
  });

  it('covers a strategy’s orders by the session that placed them, whatever the strategy’s position in today’s config', () => {
    const sessions = [
      { session: 'a', strategies: [taker, maker] },
      { session: 'b', strategies: [maker, taker] },
    ];
    expect(ordersInScope(STRATEGY, sessions)(order('a-0-1'), 'M-0')).toBe(true);
    expect(ordersInScope(STRATEGY, sessions)(order('a-1-1'), 'M-0')).toBe(false);
    expect(ordersInScope(STRATEGY, sessions)(order('b-1-1'), 'M-0')).toBe(true);
    expect(ordersInScope(STRATEGY, sessions)(order('c-1-1'), 'M-0')).toBe(false);
  });

  it('does not cover orders of unknown sessions, which are reported', () => {
    const [known, other] = [sessionName(BEGIN_2026), sessionName(micros(BEGIN_2026 + 1))];
    const isOther = ordersOfOtherSessions([{ session: known, strategies: [maker] }]);
    expect(isOther(order(`${other}-0-1`), 'M-0')).toBe(true);
    expect(isOther(order(`${known}-0-1`), 'M-0')).toBe(false);
    expect(isOther(order('by-0-hand'), 'M-0')).toBe(false);
    expect(isOther(order(null), 'M-0')).toBe(false);
  });
});

describe('a halt by a config that cannot be read', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'presage-halt-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const haltBy = (text: string, ...more: string[]): Promise<unknown> => {
    writeFileSync(join(folder, 'bot.yaml'), text);
    return haltCommand().parseAsync(['--config', join(folder, 'bot.yaml'), ...more], { from: 'user' });
  };

  const printed = vi.spyOn(process.stdout, 'write');
  const exitCode = process.exitCode;
  afterAll(() => {
    printed.mockRestore();
    process.exitCode = exitCode;
  });
  const TEXT = 'limitz: {}\ndataFolder: data\n';

  it.each([
    ['', join('data', 'HALT')],
    ['--paper', join('data', 'paper', 'HALT')],
  ])('halts by the data folder that it names, with "%s"', async (paper, file) => {
    mkdirSync(join(folder, 'data', 'paper'), { recursive: true });
    printed.mockClear().mockReturnValue(true);
    await haltBy(TEXT, '--reason', 'by hand', ...(paper === '' ? [] : [paper]));
    const text = printed.mock.calls.join('');
    expect(readFileSync(join(folder, file), 'utf8')).toBe('by hand\n');
    expect(text).toContain('the account is halted');
    expect(process.exitCode).toBe(2);
    expect(text).toMatch(/could not cancel, nor read/);
    expect(text).toContain('bot.yaml:1:1: expected only known fields, found "limitz"');
  });

  it('halts although its YAML is wrong', async () => {
    mkdirSync(join(folder, 'data'));
    printed.mockClear().mockReturnValue(true);
    await haltBy('dataFolder: data\nstrategies: [\n');
    expect(existsSync(join(folder, 'data', 'HALT'))).toBe(true);
  });

  it('says that nothing is halted where it names no folder of a bot', async () => {
    const way =
      'NOTHING IS HALTED. To halt a bot without its config, create a file named HALT in its data folder, or send';
    await expect(haltBy('a: [')).rejects.toThrow(way);
    await expect(haltBy(TEXT)).rejects.toThrow(way);
  });
});

describe('a strategy on the command line', () => {
  type Known = Parameters<typeof refuseUnknownStrategy>[0];
  const contextOf = (names: readonly string[], halted: readonly HaltScope[] = [], ran: readonly string[] = []): Known =>
    ({
      config: { strategies: names.map((name) => ({ name })) },
      latch: {
        readHalts: () => halted.map((scope) => aHalt({ scope })),
        readSessions: () => [{ session: 'earlier', strategies: ran }],
      },
    }) as unknown as Known;

  it('must be one of the config’s: a misspelled name must not pass for a halt', () => {
    expect(() => refuseUnknownStrategy(contextOf(['taker']), STRATEGY)).not.toThrow();
    expect(() => refuseUnknownStrategy(contextOf([]), MARKET)).not.toThrow();
    expect(() => refuseUnknownStrategy(contextOf(['maker', 'take']), STRATEGY)).toThrow(UsageError);
    expect(() => refuseUnknownStrategy(contextOf(['maker', 'take']), STRATEGY)).toThrow(
      '--scope: expected one of maker, take, found "taker"',
    );
  });

  it('needs no data folder that can be read where the config has it', () => {
    const unreadable = (): never => {
      throw new Error('no disk');
    };
    const known = contextOf(['taker']);
    const latch = { readHalts: unreadable, readSessions: unreadable } as unknown as Known['latch'];
    expect(() => refuseUnknownStrategy({ ...known, latch }, STRATEGY)).not.toThrow();
  });

  it('may be missing from a config that has changed since a session began', () => {
    expect(() => refuseUnknownStrategy(contextOf(['maker'], [], ['other', 'taker']), STRATEGY)).not.toThrow();
    expect(() => refuseUnknownStrategy(contextOf(['maker'], [], ['other']), STRATEGY)).toThrow(UsageError);
  });

  it('may be missing from the config while it is halted', () => {
    expect(() => refuseUnknownStrategy(contextOf(['maker'], [STRATEGY]), STRATEGY)).not.toThrow();
    expect(() => refuseUnknownStrategy(contextOf(['maker'], [ACCOUNT]), STRATEGY)).toThrow(UsageError);
  });
});

describe('a reason on the command line', () => {
  it('must not be empty, nor too long', () => {
    expect(reasonArgument('thin books')).toBe('thin books');
    expect(() => reasonArgument('  ')).toThrow(InvalidArgumentError);
    expect(() => reasonArgument('x'.repeat(501))).toThrow(InvalidArgumentError);
  });

  it.each(['two\nlines', 'a\ttab', '\u001B[31mred', 'a\u2028break'])('must be one line of plain text: %j', (text) => {
    expect(() => reasonArgument(text)).toThrow('Expected a reason of one line, without control characters.');
  });
});

describe('the result of a resume', () => {
  const text = (
    lifted: readonly ReturnType<typeof aHalt>[] | null,
    wasHalted: boolean,
    trouble: string | null = null,
  ) => resumeText(ACCOUNT, { lifted, wasHalted, trouble });

  it('says whether a halt was there', () => {
    expect(text(null, true)).toBe('the account is resumed');
    expect(text(null, false)).toBe('the account was not halted');
    expect(text([], false)).toBe('the account was not halted');
    expect(text([aHalt()], true)).toBe('the account is resumed; no bot runs now');
  });

  it('says why a halt is left, and claims none where none was', () => {
    expect(text(null, true, 'the bot does not answer')).toBe('the account is STILL HALTED: the bot does not answer');
    expect(text(null, false, 'the bot does not answer')).toBe('the account was not halted; the bot does not answer');
  });
});

describe('the help of a command', () => {
  it('describes defaults in words', () => {
    expect(haltCommand().helpInformation()).toMatch(/default: the whole\s+account/);
    expect(haltCommand().helpInformation()).toContain('(default: 10s)');
    expect(flattenCommand().helpInformation()).toContain('(default: 30s)');
  });
});

describe('cancelLines', () => {
  const done: CancelReport = {
    isDone: true,
    by: ['watchdog', 'command'],
    left: [],
    isSeenAtVenue: true,
    isPaperOver: false,
    canceledCount: 1,
    halts: [],
    remarks: ['the bot runs and does not answer'],
    venueFault: null,
    elapsedMs: 1234,
  };

  it('say who canceled, and how that is known, when it is done', () => {
    expect(cancelLines(done)).toEqual([
      'the exchange’s own list shows nothing left; canceled by the watchdog and this command itself (1.2 s)',
      'the bot runs and does not answer',
    ]);
    expect(cancelLines({ ...done, by: ['bot'], isSeenAtVenue: false, remarks: [] })).toEqual([
      'the bot reports that nothing is left; canceled by the bot (1.2 s)',
    ]);
  });

  it('say first that it is not done, and list what may rest', () => {
    const left = [{ ticker: 'M-0', venueOrderId: 'v-1', clientOrderId: 's-0-1', state: 'working' }];
    expect(cancelLines({ ...done, isDone: false, left, remarks: [] })).toEqual([
      'NOT DONE after 1.2 s: 1 orders MAY STILL REST',
      '  M-0  v-1  working',
    ]);
    expect(cancelLines({ ...done, isDone: false, left: null, remarks: [] })[0]).toBe(
      'NOT DONE after 1.2 s: it is not known what rests',
    );
  });
});

describe('the hints after a flatten', () => {
  const hint = (isAbsent: boolean, isHalted: boolean): string =>
    flattenHints({ file: 'bot.yaml', isPaper: false }, { isAbsent, isHalted }).join('\n');

  it('say that the account is halted only when it is', () => {
    expect(hint(false, true)).toBe('the account is halted; to lift it: presage resume --config bot.yaml --reason "…"');
    expect(hint(false, false)).toBe(
      'the account is NOT HALTED; to halt it without the bot’s help: presage halt --config bot.yaml',
    );
    expect(hint(true, false)).toContain('start a bot on this config first');
    expect(hint(true, false)).toContain('NOT HALTED');
  });
});

describe('the hints for a paper session', () => {
  const paper = { file: 'bot.yaml', isPaper: true };

  it('name the paper session in every command', () => {
    expect(resumeHint(paper, STRATEGY)).toBe(
      'to lift it: presage resume --config bot.yaml --paper --scope strategy=taker --reason "…"',
    );
    expect(flattenHints(paper, { isAbsent: true, isHalted: false })).toEqual([
      'no paper session runs: its positions ended with it',
      'the account is NOT HALTED; to halt it without the bot’s help: presage halt --config bot.yaml --paper',
    ]);
  });
});

describe('the messages on a bot', () => {
  it('distinguish no bot, a silent bot and a refusal', () => {
    expect(botTroubleText({ type: 'absent' })).toBe('no bot runs on this data folder');
    expect(botTroubleText({ type: 'silent', wasHeard: false })).toBe('the bot runs and does not answer');
    expect(botTroubleText({ type: 'silent', wasHeard: true })).toBe(
      'the bot received the request and has not finished',
    );
    expect(botTroubleText({ type: 'answered', reply: { type: 'refused', why: 'it ends' } })).toBe(
      'the bot refused: it ends',
    );
  });

  it('show a halt with its time, and how to lift it', () => {
    expect(haltText(aHalt())).toBe('strategy maker is HALTED by fault since 1970-01-01T00:16:40.000Z: Error: boom');
    const file = 'bot.yaml';
    expect(resumeHint({ file, isPaper: false }, ACCOUNT)).toBe(
      'to lift it: presage resume --config bot.yaml --reason "…"',
    );
    expect(resumeHint({ file: 'my bots/run.yaml', isPaper: true }, ACCOUNT)).toContain(
      " --config 'my bots/run.yaml' --paper --reason",
    );
    expect(resumeHint({ file, isPaper: false }, STRATEGY)).toContain(' --scope strategy=taker --reason');
  });

  it('show its status line by line', () => {
    const status: StatusRecord = {
      session: 's',
      phase: 'trading',
      elapsedMs: 61_000,
      halts: [{ scope: 'the account', by: 'risk', reason: 'too much', since: '2026-11-21T08:00:00.000Z' }],
      overrides: [
        { limit: 'orderQtyMax', strategy: null, value: '5', until: '2026-11-21T09:00:00.000Z', reason: 'thin' },
        { limit: 'bookAgeMax', strategy: 'maker', value: '250ms', until: '2026-11-21T09:30:00.000Z', reason: 'slow' },
      ],
      orders: { working: 3, waiting: 1, inFlight: 2 },
      feed: { isUp: true, ageMs: 12, fault: 'the clocks disagree' },
      budgets: { read: { available: 1, capacity: 2 }, trade: { available: 3, capacity: 4 } },
      clock: { offsetMs: -3, boundMs: 5, loopLateMs: 1 },
      drift: { ageMs: 2000, contracts: '0.00', cash: '0.000000', isDrift: false },
      losses: { day: '2026-11-21', sinceDayBegan: '-0.50', sincePeak: '-0.75' },
      account: { isOpen: true, equity: '10.00', cash: '9.00', pledged: '1.00', profit: '-0.50' },
      positions: [{ ticker: 'M-0', qty: '-3.00' }],
      unclosed: ['M-0: the other side is empty'],
      alarms: { drift: 2 },
      remarks: ['an empty order group may stand there'],
    };
    expect(parseStatus(JSON.parse(JSON.stringify(status)))).toEqual(status);
    expect(parseStatus({ phase: 'trading' })).toBeNull();
    const { overrides: _none, ...older } = status;
    expect(parseStatus(older)?.overrides).toEqual([]);
    const unread = { ...status, account: { ...status.account, isOpen: false } };
    expect(statusLines(unread)).toContain('account  not read yet');
    expect(statusLines(status)).toEqual([
      'session s: trading, for 61 s',
      'the account is HALTED by risk since 2026-11-21T08:00:00.000Z: too much',
      'override orderQtyMax is 5 until 2026-11-21T09:00:00.000Z: thin',
      'override bookAgeMax of strategy maker is 250ms until 2026-11-21T09:30:00.000Z: slow',
      'orders   3 working, 1 waiting, 2 in flight',
      'feed     up, 12 ms old; the clocks disagree',
      'clock    -3 ms off, give or take 5; the loop is 1 ms late',
      'budgets  reads 1/2, trades 3/4',
      'account  equity $10.00, cash $9.00, reserved $1.00, profit −$0.50',
      'holds    −3 M-0',
      'today    −$0.50 at marks, from the peak −$0.75 if sold now',
      'drift    0 contracts, $0.00: as compared 2 s ago',
      'closing  M-0: the other side is empty',
      'alarms   drift 2',
      'remark   an empty order group may stand there',
    ]);
  });
});
