// Comparisons of two runs: the verdict, the sentences, the differences by event group, and the first order at which they
// part, with what differs before it.
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/app/usage-error.ts';
import { micros } from '../../../src/domain/units.ts';
import type { ComparedRun, RunStep } from '../../../src/research/compare/compared-run.ts';
import {
  comparisonHeadline,
  comparisonSentences,
  factText,
  figureRows,
  partingLines,
  stepText,
} from '../../../src/research/compare/comparison-text.ts';
import { renderComparison } from '../../../src/research/compare/comparison-page.ts';
import { firstParting } from '../../../src/research/compare/first-parting.ts';
import { compareRuns } from '../../../src/research/compare/group-comparison.ts';
import type { GroupResult } from '../../../src/research/trial/study-trial.ts';

const DOLLAR = 1_000_000;
const group = (index: number, profit: number, more: Partial<GroupResult> = {}): GroupResult => ({
  group: `G${index}`,
  cluster: `G${index}`,
  from: micros(0),
  known: micros(index + 1),
  profit,
  fees: 0,
  qty: 100,
  fills: 1,
  lockedDollarDays: 1,
  ...more,
});
const NO_TRADE = { qty: 0, fills: 0, lockedDollarDays: 0 } as const;
const order = (at: number, price = 5000, market = 'M'): RunStep => ({
  type: 'order',
  at,
  strategy: 's',
  market,
  terms: { side: 'buy', price, qty: 100 },
  code: null,
  reason: 'cheap',
});
const denial = (at: number, reason: string, code = 'self-cross'): RunStep => ({
  type: 'denial',
  at,
  strategy: 's',
  market: 'M',
  terms: null,
  code,
  reason,
});
const run = (more: Partial<ComparedRun> = {}): ComparedRun => ({
  name: 'run',
  kind: 'backtest',
  decisionHash: 'ab',
  isPartial: false,
  seed: 1,
  strategies: [{ name: 's', file: 's.ts', params: { edge: 1, series: ['A'] } }],
  groups: [],
  steps: [],
  fills: [],
  hasDenials: true,
  ...more,
});
const groupsOf = (profits: readonly number[]): GroupResult[] =>
  profits.map((profit, index) => group(index, profit * DOLLAR));
const SEED = { seed: 1 };

describe('a comparison', () => {
  it('of a run with itself has no difference at all, and p = 1', () => {
    const own = run({ groups: groupsOf([1, -2, 3, 0.5]), steps: [order(1), denial(2, 'x')] });
    const comparison = compareRuns(own, own, SEED);
    expect(comparison).toMatchObject({ verdict: 'same', parting: null, test: { sum: 0, twoSided: 1 } });
    for (const { first, second, difference } of comparison.figures) {
      expect(first).toBe(second);
      expect(difference?.value).toBe(0);
    }
    expect(comparisonHeadline(comparison)).toMatch(/^The same/);
    expect(comparisonSentences(comparison)).toEqual(['Their decision hashes are equal, too.']);
  });

  it.each([
    ['first', 1, 'A made $10.00 more than B over 10 event groups; luck hardly explains it (p = 0.002).'],
    ['second', -1, 'B made $10.00 more than A over 10 event groups; luck hardly explains it (p = 0.002).'],
  ])('names the %s side when it gains in every event group', (verdict, sign, headline) => {
    const first = run({ groups: groupsOf(Array.from({ length: 10 }, () => sign)) });
    const second = run({ groups: groupsOf(Array.from({ length: 10 }, () => 0)) });
    const comparison = compareRuns(first, second, SEED);
    expect(comparison.verdict).toBe(verdict);
    expect(comparisonHeadline(comparison)).toBe(headline);
  });

  it('does not call a difference real that one event group makes, and says what so few groups could show', () => {
    const comparison = compareRuns(
      run({ groups: groupsOf([100, -1, 1, 0]) }),
      run({ groups: groupsOf([0, 0, 0, 0]) }),
      SEED,
    );
    expect(comparisonHeadline(comparison)).toBe(
      'Not shown to differ: A made $100.00 more over 4 event groups, and luck may explain it (p = 0.750).',
    );
    expect(comparisonSentences(comparison)).toContain(
      'Too few event groups differ: no result over them could have had a p below 0.250.',
    );
  });

  it('of the same orders with the same profit does not speak of different decisions', () => {
    const own = run({ groups: groupsOf([1, -2]), steps: [order(1)] });
    const more = { ...own, groups: [...own.groups, group(9, 0, NO_TRADE)] };
    const later = { ...own, steps: [order(2)] };
    expect(comparisonHeadline(compareRuns(own, more, SEED))).toBe(
      'A and B made the same over 2 event groups, by the same orders.',
    );
    expect(comparisonHeadline(compareRuns(own, later, SEED))).toBe(
      'A and B made the same over 2 event groups, by different decisions.',
    );
  });

  it('leaves out the event groups of one side alone, and names those without a result', () => {
    const first = run({ groups: [group(1, DOLLAR), group(2, 2 * DOLLAR), group(3, 9 * DOLLAR)] });
    const second = run({ groups: [group(1, 0), group(2, 0, { known: null }), group(4, -DOLLAR)] });
    const comparison = compareRuns(first, second, SEED);
    expect(comparison.firstOnly).toEqual(['G3']);
    expect(comparison.secondOnly).toEqual(['G4']);
    expect(comparison.test.sum).toBe(3 * DOLLAR);
    expect(comparison.groups.map(({ isSettled }) => isSettled)).toEqual([true, false]);
    expect(comparisonSentences(comparison)).toEqual(
      expect.arrayContaining([
        '1 event group of A alone (+$9.00) and 1 of B alone (−$1.00): left out.',
        '1 event group without a result: profit at marks.',
      ]),
    );
  });

  it('is refused for runs without a common event group: it would compare nothing', () => {
    const first = run({ name: 'run-a', groups: groupsOf([1, 2, 3, 4, 5]) });
    const second = run({ name: 'run-b', groups: [group(8, DOLLAR)] });
    const refusal = 'nothing to compare: expected event groups that both sides have, found ';
    expect(() => compareRuns(first, second, SEED)).toThrow(
      new UsageError(`${refusal}G0, G1, G2 and 2 more in run-a, and G8 in run-b`),
    );
    expect(() => compareRuns(first, run({ name: 'idle' }), SEED)).toThrow(
      `${refusal}G0, G1, G2 and 2 more in run-a, and none in idle`,
    );
  });

  it('has the same intervals, however many event groups neither side traded', () => {
    const idle = Array.from({ length: 100 }, (_, index) => group(index + 3, 0, { ...NO_TRADE }));
    const [first, second] = [groupsOf([1, 1.2, 1.4]), groupsOf([0, 0, 0])];
    const few = compareRuns(run({ groups: first }), run({ groups: second }), SEED);
    const many = compareRuns(run({ groups: [...first, ...idle] }), run({ groups: [...second, ...idle] }), SEED);
    expect(many.figures).toEqual(few.figures);
    expect(few.figures[0]?.difference?.lead.method).toBe('student');
    expect(comparisonHeadline(many)).toMatch(/over 3 event groups, and luck may explain it \(p = 0\.250\)/);
    expect(comparisonSentences(many)).toContain('100 event groups that neither A nor B traded: in no interval.');
  });

  it('has a wide interval where few of many event groups differ, as the test does', () => {
    const own = [1, 1.2, 1.4, ...Array.from({ length: 57 }, () => 0)];
    const comparison = compareRuns(run({ groups: groupsOf(own) }), run({ groups: groupsOf(own.map(() => 0)) }), SEED);
    const lead = comparison.figures[0]?.difference?.lead;
    expect(comparison.test.twoSided).toBe(0.25);
    expect(lead?.method).toBe('student');
    // Standard error 2.0627 dollars over 60 event groups; 4.3027 is the 97.5th percentile of Student's t for 3 that differ.
    expect(lead?.low).toBeCloseTo((3.6 - 4.30265 * 2.062745) * DOLLAR, -4);
  });

  it('states a difference in one event group, without an interval', () => {
    const comparison = compareRuns(run({ groups: groupsOf([3]) }), run({ groups: groupsOf([1]) }), SEED);
    expect(figureRows(comparison.figures)[1]).toEqual(['profit after fees', '+$3.00', '+$1.00', '+$2.00', '–']);
  });

  it('takes a ratio of sums, not a mean of ratios', () => {
    const first = run({ groups: [group(1, DOLLAR, { qty: 100 }), group(2, DOLLAR, { qty: 900 })] });
    const second = run({ groups: [group(1, 0, { qty: 0 }), group(2, 0, { qty: 0 })] });
    const figure = compareRuns(first, second, SEED).figures.find(({ name }) => name === 'perContract');
    expect(figure).toMatchObject({ first: 0.2, second: null, difference: null });
  });

  it('escapes what comes from outside on its page, and allows no script', () => {
    const first = run({ name: '<script>alert(1)</script>', groups: groupsOf([1, 2]) });
    const page = renderComparison(compareRuns(first, run({ groups: groupsOf([0, 0]) }), SEED), { sha256: () => 'x' });
    expect(page).toContain('&lt;script&gt;');
    expect(page).not.toContain('<script');
    expect(page).toContain('default-src &#39;none&#39;; style-src');
  });
});

describe('the parting of two runs', () => {
  it('is the first order that differs', () => {
    const parting = firstParting(
      run({ steps: [order(1), order(2), order(3)] }),
      run({ steps: [order(1), order(2, 4900), order(3)] }),
    );
    expect(parting).toMatchObject({ index: 1, first: { terms: { price: 5000 } }, second: { terms: { price: 4900 } } });
    expect(partingLines(parting)).toContain('They part after 1 equal order (denials included):');
  });

  it('counts a single contract as one', () => {
    expect(stepText(order(1))).toMatch(/buy 1 contract of M at /);
    expect(stepText({ ...order(1), terms: { side: 'buy', qty: 200, price: 5000 } })).toMatch(
      /buy 2 contracts of M at /,
    );
  });

  it('does not say that denials are equal where those of a session are unknown', () => {
    const session = run({ kind: 'live', steps: [order(10), order(20)], hasDenials: false });
    const comparison = compareRuns(
      { ...session, groups: groupsOf([1]) },
      run({ steps: [order(1), denial(2, 'x'), order(3, 4900)], groups: groupsOf([2]) }),
      SEED,
    );
    const lines = partingLines(comparison.parting);
    expect(lines[0]).toBe('They part after 1 equal order (denials left out):');
    expect(lines.at(-1)).toBe(
      'No fill or parameter differs before: denials, tapes, limits, the venue’s models or the code of a strategy may.',
    );
    expect(renderComparison(comparison, { sha256: () => 'x' })).toContain('after 1 equal order, denials left out');
  });

  it('is the end of the shorter one', () => {
    const parting = firstParting(run({ steps: [order(1)] }), run({ steps: [order(1), order(2)] }));
    expect(parting).toMatchObject({ index: 1, first: null, second: { at: 2 } });
    expect(partingLines(parting)).toContain('  A  no further order');
  });

  it('does not rule out the code where nothing else that is known differs', () => {
    const parting = firstParting(run({ steps: [order(1)] }), run({ steps: [order(1, 4900)] }));
    expect(partingLines(parting).at(-1)).toBe(
      'No fill, denial, parameter or seed differs before: tapes, limits, the venue’s models or the code of a strategy may.',
    );
  });

  it('ignores the reason of a denial, which may name the ids of orders', () => {
    const first = run({ steps: [denial(1, 'crosses b1-0-1')] });
    expect(firstParting(first, run({ steps: [denial(1, 'crosses b2-0-1')] }))).toBeNull();
    expect(firstParting(first, run({ steps: [denial(1, 'crosses b1-0-1', 'price-distance')] }))).not.toBeNull();
  });

  it('ignores times and denials beside a session', () => {
    const session = run({ kind: 'live', steps: [order(10), order(20)], hasDenials: false });
    expect(firstParting(session, run({ steps: [order(1), denial(1, 'x'), order(2)] }))).toBeNull();
    expect(firstParting(run({ steps: [order(1)] }), run({ steps: [order(2)] }))).not.toBeNull();
  });

  it.each<[string, Partial<ComparedRun>, Partial<ComparedRun>, string[]]>([
    [
      'parameters',
      { strategies: [{ name: 's', file: 's.ts', params: { edge: 2, more: true } }] },
      {},
      [
        'Parameter edge of s differs: A has 2, B has 1.',
        'Parameter more of s differs: A has true, B has absent.',
        'Parameter series of s differs: A has absent, B has ["A"].',
      ],
    ],
    [
      'files of a strategy',
      { strategies: [{ name: 's', file: 'new.ts', params: { edge: 1, series: ['A'] } }] },
      {},
      ['Files of strategy s differ: A runs new.ts, B runs s.ts.'],
    ],
    ['strategies', { strategies: [] }, {}, ['Strategies differ: A runs , B runs s.']],
    ['seeds', { seed: 2 }, {}, ['Seeds differ: A has 2, B has 1.']],
    ['a denial', { steps: [denial(1, 'price 40¢ is too far')] }, {}, ['Risk denied only A: price 40¢ is too far']],
    [
      'a fill before',
      { fills: [{ at: 1, market: 'M', side: 'buy', price: 5000, qty: 100 }] },
      {},
      ['A fill before that differs: A has buy 1 contract of M at 50¢, 1970-01-01T00:00:00.000001Z; B has no fill.'],
    ],
    ['nothing that is known', { fills: [{ at: 9, market: 'M', side: 'buy', price: 5000, qty: 100 }] }, {}, []],
  ])('names differences before it: %s', (_, first, second, facts) => {
    const parting = firstParting(run({ steps: [order(1)], ...first }), run({ steps: [order(1, 4900)], ...second }));
    expect(parting?.before.map(factText)).toEqual(facts);
  });
});
