// Splits the tapes of a study as its file says. Must never choose a cut by results: a split depends on times alone.
import { z } from 'zod';
import { durationField, momentField, nameField, scalarField } from '../../config/fields.ts';
import { ConfigValueFault } from '../../base/config-value-fault.ts';
import { configErrorOf } from '../../config/yaml.ts';
import { durationText } from '../../report/text/figure-text.ts';
import type { GroupSpan } from '../runs/group-spans.ts';
import { type SplitSides, lookAheadIn } from '../splits/look-ahead.ts';
import { foldSplits } from '../splits/purged-folds.ts';
import type { SplitShape, StudySplit } from '../splits/split-shape.ts';
import { type SplitUnit, groupsOfUnits, periodOf, splitUnits } from '../splits/split-unit.ts';
import { splitAtTime } from '../splits/time-split.ts';
import { walkForwardWindows } from '../splits/walk-forward.ts';

const shareField = scalarField('a share such as 20%, from 1% to 99%', (text) =>
  /^[1-9]\d?%$/.test(text) ? Number(text.slice(0, -1)) / 100 : null,
);
const embargoField = durationField.optional();
const lengthField = durationField.refine((length) => length > 0, { error: 'a time above 0, such as 3d' });
const groupsSchema = z.array(nameField).min(1);

/** `split:` of a study's file. Without `embargo`, it is 1% of the period of the tapes. */
export const splitSchema = z.union(
  [
    /** Training before the cut, validation after it. */
    z.strictObject({ time: z.strictObject({ cut: z.union([shareField, momentField]), embargo: embargoField }) }),
    z.strictObject({
      walkForward: z
        .strictObject({
          train: lengthField,
          test: lengthField,
          /** Default: `test`. */
          step: lengthField.optional(),
          /** Every training part begins with the tapes. */
          anchored: z.boolean().default(false),
          embargo: embargoField,
        })
        .refine(({ test, step = test }) => step >= test, {
          error: 'a step at least as long as test, so that no event group is tested twice',
          path: ['step'],
        }),
    }),
    /** Purged folds: each block is tested once. */
    z.strictObject({ folds: z.strictObject({ blocks: z.int().min(2).max(50), embargo: embargoField }) }),
    /** Combinatorial purged cross-validation: every choice of `test` blocks is tested. */
    z.strictObject({
      combinatorial: z
        .strictObject({ blocks: z.int().min(3).max(16), test: z.int().min(1).max(8), embargo: embargoField })
        .refine(({ blocks, test }) => test < blocks, { error: 'fewer test blocks than blocks', path: ['test'] }),
    }),
    /** Event groups by name. */
    z.strictObject({ groups: z.strictObject({ train: groupsSchema, validation: groupsSchema }) }),
  ],
  { error: 'one of time, walkForward, folds, combinatorial and groups, such as { folds: { blocks: 5 } }' },
);

/** `sealed:` of a study's file: the part that no trial may see. */
export const sealedSchema = z.union([z.strictObject({ last: shareField }), z.strictObject({ from: momentField })], {
  error: 'last: a share of the period such as 20%, or from: a moment',
});

/** `clusters:` of a study's file: event groups that settle together, in place of series and scheduled close. */
export const clustersSchema = z.array(z.array(nameField).min(2)).default([]);

const count = z.int().min(0);

/** A split with its moments, as the study's first line keeps it. Microseconds. */
export const splitShapeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('time'), cut: z.number(), embargo: z.number() }),
  z.strictObject({
    kind: z.literal('walk-forward'),
    start: z.number(),
    end: z.number(),
    train: z.number(),
    test: z.number(),
    step: z.number(),
    isAnchored: z.boolean(),
    embargo: z.number(),
  }),
  z.strictObject({ kind: z.literal('folds'), blocks: count, test: count, embargo: z.number() }),
  z.strictObject({ kind: z.literal('groups') }),
]);

/** The members of a study's file that split it. */
export interface SplitTerms {
  readonly file: string;
  readonly split?: z.output<typeof splitSchema> | undefined;
  readonly sealed?: z.output<typeof sealedSchema> | undefined;
  readonly clusters: readonly (readonly string[])[];
}

/** Embargo where the study names none, as a share of the period. */
const EMBARGO_SHARE = 0.01;

/**
 * Splits the event groups of a study's tapes. Returns `null` for a study without a split and without a sealed part.
 * @throws {ConfigError} when a part has no event group, or the file names a group that the tapes do not have.
 * @throws {ConfigValueFault} when an event group or a cluster is on both sides.
 */
export function splitStudy(terms: SplitTerms, spans: readonly GroupSpan[]): StudySplit | null {
  const { file, split, sealed, clusters } = terms;
  if (split === undefined && sealed === undefined) return null;
  refuseUnknownGroups(terms, spans);
  const units = splitUnits(spans, clusters);
  const period = periodOf(units);
  const span = period.end - period.start;
  const embargo = embargoOf(split) ?? Math.round(span * EMBARGO_SHARE);
  const sealedFrom =
    sealed === undefined ? null : 'from' in sealed ? sealed.from : Math.round(period.end - sealed.last * span);
  const whole = { before: units.filter(({ known }) => known !== null), after: [], neither: [] };
  const open = sealedFrom === null ? whole : splitAtTime(units, { cut: sealedFrom, embargo });
  const shape = split === undefined ? null : shapeOf(split, { ...period, end: sealedFrom ?? period.end, embargo });
  refuseWindows(file, shape);
  const { search, held } = partsOf(shape, open.before, split);
  if (shape?.kind === 'walk-forward' && search.length === 0) throw noWindow(file, shape);
  refuseEmpty(file, [
    ['split', search, 'an event group to train on'],
    ...(split === undefined || shape?.kind === 'folds' ? [] : [['split', held, 'an event group to test on'] as const]),
    ...(sealed === undefined ? [] : [['sealed', open.after, 'an event group in the sealed part'] as const]),
  ]);
  const used = new Set(groupsOfUnits([...search, ...held, ...open.after]));
  return {
    shape,
    together: clusters,
    search: groupsOfUnits(search),
    held: groupsOfUnits(held),
    sealed: groupsOfUnits(open.after),
    sealedFrom,
    left: spans.flatMap(({ group }) => (used.has(group) ? [] : [group])),
  };
}

type WalkForward = Extract<SplitShape, { kind: 'walk-forward' }>;

/** A study has far fewer: more windows than event groups say nothing, and take ever longer to fill. */
const WINDOWS_MAX = 10_000;

/** @throws {ConfigError} when the period has more windows than a study can use. */
function refuseWindows(file: string, shape: SplitShape | null): void {
  if (shape?.kind !== 'walk-forward') return;
  const { start, end, step } = shape;
  if ((end - start) / step <= WINDOWS_MAX) return;
  const message = `a step with at most ${WINDOWS_MAX} windows over ${durationText(end - start)}, the period of the tapes`;
  throw configErrorOf(file, [
    { code: 'custom', path: ['split', 'walkForward'], message, input: `a step of ${durationText(step)}` },
  ]);
}

/** The error of a study whose period has no window with both parts. */
function noWindow(file: string, { start, end, train, test }: WalkForward): Error {
  const period = durationText(end - start);
  const message = `a window with an event group whose result is known within train, and one that begins within test; the tapes cover ${period} to search in`;
  const input = `train ${durationText(train)}, test ${durationText(test)}`;
  return configErrorOf(file, [{ code: 'custom', path: ['split', 'walkForward'], message, input }]);
}

type SplitInput = z.output<typeof splitSchema>;

function embargoOf(split: SplitInput | undefined): number | undefined {
  if (split === undefined || 'groups' in split) return undefined;
  if ('time' in split) return split.time.embargo;
  if ('walkForward' in split) return split.walkForward.embargo;
  return 'folds' in split ? split.folds.embargo : split.combinatorial.embargo;
}

interface Period {
  readonly start: number;
  readonly end: number;
  readonly embargo: number;
}

function shapeOf(split: SplitInput, { start, end, embargo }: Period): SplitShape {
  if ('time' in split) {
    const { cut } = split.time;
    return { kind: 'time', cut: cut < 1 ? Math.round(start + cut * (end - start)) : cut, embargo };
  }
  if ('walkForward' in split) {
    const { train, test, step = test, anchored } = split.walkForward;
    return { kind: 'walk-forward', start, end, train, test, step, isAnchored: anchored, embargo };
  }
  if ('groups' in split) return { kind: 'groups' };
  return 'folds' in split
    ? { kind: 'folds', blocks: split.folds.blocks, test: 1, embargo }
    : { kind: 'folds', blocks: split.combinatorial.blocks, test: split.combinatorial.test, embargo };
}

interface Parts {
  readonly search: readonly SplitUnit[];
  readonly held: readonly SplitUnit[];
}

/** The part that objectives see, and the rest that every trial trades. */
function partsOf(shape: SplitShape | null, units: readonly SplitUnit[], split: SplitInput | undefined): Parts {
  switch (shape?.kind) {
    case undefined:
      return { search: units, held: [] };
    case 'time': {
      const { before, after } = splitAtTime(units, shape);
      return checked({ search: before, held: after });
    }
    case 'walk-forward': {
      const [first] = walkForwardWindows(units, shape).windows;
      const search = first?.train ?? [];
      return checked({ search, held: units.filter((unit) => !search.includes(unit)) });
    }
    case 'folds': {
      const { blocks } = shape;
      if (blocks <= units.length)
        for (const { train, test } of foldSplits(units, shape)) refuseLookAhead({ train, test });
      return { search: units.length < blocks ? [] : units, held: [] };
    }
    case 'groups':
      return split !== undefined && 'groups' in split
        ? checked(namedParts(units, split.groups))
        : { search: [], held: [] };
  }
}

/** @throws {ConfigValueFault} when the split looks ahead. */
function refuseLookAhead(sides: SplitSides): void {
  const fault = lookAheadIn(sides);
  if (fault !== null) throw new ConfigValueFault({ place: 'split', value: fault.found }, fault.expected);
}

function checked(parts: Parts): Parts {
  refuseLookAhead({ train: parts.search, test: parts.held });
  return parts;
}

/** Parts by name: a cluster of which a part names some groups alone is cut down to those. */
function namedParts(
  units: readonly SplitUnit[],
  { train, validation }: { readonly train: readonly string[]; readonly validation: readonly string[] },
): Parts {
  const partOf = (names: readonly string[]): SplitUnit[] =>
    units.flatMap((unit) => {
      const groups = unit.groups.filter((group) => names.includes(group));
      return groups.length === 0 ? [] : [{ ...unit, groups }];
    });
  return { search: partOf(train), held: partOf(validation) };
}

function refuseUnknownGroups({ file, split, clusters }: SplitTerms, spans: readonly GroupSpan[]): void {
  const known = new Set(spans.map(({ group }) => group));
  const named: [(string | number)[], readonly string[]][] = clusters.map((names, at) => [['clusters', at], names]);
  if (split !== undefined && 'groups' in split) {
    named.push([['split', 'groups', 'train'], split.groups.train]);
    named.push([['split', 'groups', 'validation'], split.groups.validation]);
  }
  const issues = named.flatMap(([path, names]) => {
    const at = names.findIndex((name) => !known.has(name));
    const issue = { code: 'custom' as const, path: [...path, at], message: 'an event group of the tapes' };
    return at < 0 ? [] : [{ ...issue, input: names[at] }];
  });
  if (issues.length > 0) throw configErrorOf(file, issues);
}

function refuseEmpty(file: string, parts: readonly (readonly [string, readonly SplitUnit[], string])[]): void {
  const issues = parts.flatMap(([path, units, message]) =>
    units.length > 0 ? [] : [{ code: 'custom' as const, path: [path], message, input: 'none' }],
  );
  if (issues.length > 0) throw configErrorOf(file, issues);
}
