// The file of a study: strategy, space, tapes, objectives, sampler, budget. Must never guess what to search for: a study
// without an objective or a budget is refused.
import { dirname, resolve } from 'node:path';
import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { durationField, nameField } from '../../config/fields.ts';
import { SEED_MAX } from '../../config/backtest-config.ts';
import { configErrorOf, readYaml } from '../../config/yaml.ts';
import { MONEY_DECIMALS, QTY_DECIMALS, parseScaled } from '../../domain/units.ts';
import type { Domain, SearchSpace, SpaceParam } from '../search/search-space.ts';
import { REPORT_FIGURE_PATHS, REPORT_PREFIX } from '../trial/report-figures.ts';
import { clustersSchema, sealedSchema, splitSchema } from './study-split.ts';
import {
  type Constraint,
  FIGURE_NAMES,
  type Objective,
  TRIAL_FIGURES,
  isFigure,
  isFigureName,
} from '../trial/trial-figures.ts';

const valueSchema = z.union([z.number(), z.string(), z.boolean()]);
const whenSchema = z.record(z.string(), valueSchema).optional();
const stepSchema = z.number().positive().optional();
const rangeSchema = <Bound extends z.ZodType<number>>(bound: Bound) =>
  z
    .tuple([bound, bound])
    .refine(([low, high]) => Number(low) <= Number(high), { error: 'a range [low, high], low not above high' });

const paramSchema = z
  .union(
    [
      z.strictObject({
        int: rangeSchema(z.int()),
        step: z.int().positive().optional(),
        log: z.boolean().optional(),
        when: whenSchema,
      }),
      z.strictObject({
        float: rangeSchema(z.number()),
        step: stepSchema,
        log: z.boolean().optional(),
        when: whenSchema,
      }),
      z.strictObject({ oneOf: z.array(valueSchema).min(1), when: whenSchema }),
    ],
    { error: 'one of int, float and oneOf, such as { int: [1, 5] }' },
  )
  .superRefine((param, context) => {
    if (!('log' in param) || param.log !== true) return;
    const [low] = 'int' in param ? param.int : param.float;
    if (low > 0) return;
    context.addIssue({ code: 'custom', path: [], message: 'a lowest value above 0, because log is true' });
  });

const figureSchema = z.string().refine(isFigure, { error: ({ input }) => expectedFigure(String(input)) });

const NEAREST = 3;

/** The paths of figures of the report nearest to a misspelled one, the nearest first. */
function nearestPaths(wrong: string): string[] {
  const ranked = REPORT_FIGURE_PATHS.map((path) => ({ path, far: distance(wrong.toLowerCase(), path.toLowerCase()) }));
  return ranked
    .sort((a, b) => a.far - b.far)
    .slice(0, NEAREST)
    .map(({ path }) => path);
}

function expectedFigure(found: string): string {
  if (found.startsWith(REPORT_PREFIX)) return `a figure of the report, such as ${nearestPaths(found).join(', ')}`;
  return `one of ${FIGURE_NAMES.join(', ')}, or a figure of the report such as report.capital.returnPerYear`;
}

const objectiveSchema = z.union(
  [z.strictObject({ maximize: figureSchema }), z.strictObject({ minimize: figureSchema })],
  { error: 'one of maximize and minimize, such as { maximize: profit }' },
);

const boundSchema = z.union([z.number(), z.string().regex(/^-?\d+(?:\.\d{1,6})?usd$/)], {
  error: 'a number, or dollars such as 50usd',
});
const constraintSchema = z
  .strictObject({ figure: figureSchema, atMost: boundSchema.optional(), atLeast: boundSchema.optional() })
  .refine(({ atMost, atLeast }) => (atMost === undefined) !== (atLeast === undefined), {
    error: 'one of atMost and atLeast',
  })
  .superRefine(({ figure, atMost, atLeast }, context) => {
    const isMoney = !isFigureName(figure) || TRIAL_FIGURES[figure].unit === 'money';
    if (isMoney || ![atMost, atLeast].some((bound) => typeof bound === 'string')) return;
    const member = typeof atMost === 'string' ? 'atMost' : 'atLeast';
    context.addIssue({
      code: 'custom',
      path: [member],
      message: `a number, because ${figure} is not an amount of money`,
    });
  });

const optionsSchema = z.record(z.string(), z.number());
/** A sampler by name, with options: `tpe`, or `tpe: { startup: 10 }`. */
const namedSchema = z.union([
  z.string(),
  z.record(z.string(), optionsSchema.nullable()).refine((value) => Object.keys(value).length === 1, {
    error: 'one name, with its options',
  }),
]);

/** A time in which something may happen. */
const timeSchema = durationField.refine((time) => time > 0, { error: 'a time above 0, such as 10m' });

/** The whole file. */
export const studyFileSchema = z.strictObject({
  /** Name of the study, and of its folder. */
  study: nameField,
  /** The backtest's config: cash, markets, limits, budgets, simulation. Relative to this file. */
  config: z.string().min(1),
  /** Name of the config's strategy that is studied, or a file in its place. Default: the config's only strategy. */
  strategy: z.union([nameField, z.strictObject({ use: z.string().min(1) })]).optional(),
  /** Parameters that every trial has, in addition to the config's. */
  fixed: z.record(z.string(), z.unknown()).default({}),
  /** Parameters that trials choose. */
  space: z.record(z.string(), paramSchema).refine((space) => Object.keys(space).length > 0, {
    error: 'at least one parameter',
  }),
  /** Tapes that every trial runs over. Default: the config's. Relative to this file. */
  tapes: z.array(z.string().min(1)).min(1).optional(),
  /** Parts of the tapes: what objectives see, and what tests their choice. Default: objectives see all. */
  split: splitSchema.optional(),
  /** The last part of the tapes, which no trial trades. */
  sealed: sealedSchema.optional(),
  clusters: clustersSchema,
  objective: z.union([objectiveSchema, z.array(objectiveSchema).min(1)], {
    error: 'one of maximize and minimize, such as { maximize: profit }, or a list of such objectives',
  }),
  constraints: z.array(constraintSchema).default([]),
  sampler: namedSchema.default('tpe'),
  /** Ends bad trials early: `median` or `asha`. Default: every trial runs to its end. */
  pruner: namedSchema.optional(),
  /** Seed of the proposals. */
  seed: z.int().min(0).max(SEED_MAX).default(1),
  /** Number of proposals that may be open at once: at least the number of workers. */
  lag: z.int().min(1).max(10_000).default(4),
  /** Trials, and time in which the study runs, after which no trial begins. A stop of the process does not count. */
  budget: z
    .strictObject({ trials: z.int().min(1).optional(), time: timeSchema.optional() })
    .refine(({ trials, time }) => trials !== undefined || time !== undefined, { error: 'trials, or time, or both' }),
  /** Lets the strategy's code travel to workers on other machines that allow this hash. Default: it does not travel. */
  code: z
    .strictObject({
      travel: z.literal(true),
      sha256: z.string().regex(/^[0-9a-f]{64}$/, { error: 'the strategy’s hash, 64 hexadecimal digits' }),
    })
    .optional(),
  /** Time that one trial may take: a strategy that hangs ends then. */
  trialTime: timeSchema.prefault('10m'),
});

type StudyInput = z.output<typeof studyFileSchema>;
type ParamInput = StudyInput['space'][string];

/** A sampler, with its options. */
export interface NamedOptions {
  readonly name: string;
  readonly options: Readonly<Record<string, number>>;
}

/** A study as its file describes it, with absolute paths. */
export interface StudyFile extends Omit<
  StudyInput,
  'space' | 'objective' | 'constraints' | 'sampler' | 'pruner' | 'config'
> {
  /** The study's file. */
  readonly file: string;
  /** The folder of the study's results. */
  readonly folder: string;
  readonly config: string;
  readonly space: SearchSpace;
  readonly objectives: readonly Objective[];
  readonly constraints: readonly Constraint[];
  readonly sampler: NamedOptions;
  /** `null` without one. */
  readonly pruner: NamedOptions | null;
}

/**
 * Reads a study's file.
 * @throws {ConfigError} when it cannot be used.
 */
export function readStudyFile(file: string): StudyFile {
  const { tapes, strategy, objective, ...study } = readYaml(file, studyFileSchema);
  const folder = dirname(resolve(file));
  const space = Object.entries(study.space).map(([name, param]) => spaceParam(name, param));
  refuseConditions(file, space);
  refuseFixedChoices(file, space, study.fixed);
  return {
    ...study,
    file: resolve(file),
    folder: resolve('var/studies', study.study),
    config: resolve(folder, study.config),
    ...(tapes && { tapes: tapes.map((tape) => resolve(folder, tape)) }),
    ...(strategy !== undefined && {
      strategy: typeof strategy === 'string' ? strategy : { use: resolve(folder, strategy.use) },
    }),
    space,
    objectives: [objective].flat().map(objectiveOf),
    constraints: study.constraints.map(constraintOf),
    sampler: namedOptions(study.sampler),
    pruner: study.pruner === undefined ? null : namedOptions(study.pruner),
  };
}

function spaceParam(name: string, param: ParamInput): SpaceParam {
  return { name, domain: domainOf(param), ...(param.when && { when: param.when }) };
}

function domainOf(param: ParamInput): Domain {
  if ('oneOf' in param) return { kind: 'choice', options: param.oneOf };
  const [low, high] = 'int' in param ? param.int : param.float;
  const { step, log } = param;
  const shape = { low, high, ...(step !== undefined && { step }), ...(log !== undefined && { log }) };
  return { kind: 'int' in param ? 'int' : 'float', ...shape };
}

/** @throws {ConfigError} when a condition names a parameter that is not above it. */
function refuseConditions(file: string, space: SearchSpace): void {
  const issues = space.flatMap(({ name, when = {} }, index) => {
    const earlier = space.slice(0, index).map((param) => param.name);
    return Object.keys(when).flatMap((other) => {
      if (earlier.includes(other)) return [];
      const message = `a parameter of the space above ${name}`;
      return [{ code: 'custom' as const, path: ['space', name, 'when', other], message, input: other }];
    });
  });
  if (issues.length > 0) throw configErrorOf(file, issues);
}

/** @throws {ConfigError} when a parameter is both fixed and chosen: one of the two would be ignored. */
function refuseFixedChoices(file: string, space: SearchSpace, fixed: StudyInput['fixed']): void {
  const issues = space
    .filter(({ name }) => Object.hasOwn(fixed, name))
    .map(({ name }) => {
      const message = `each parameter in fixed or in space, not in both (space.${name})`;
      return { code: 'custom' as const, path: ['fixed', name], message, input: fixed[name] };
    });
  if (issues.length > 0) throw configErrorOf(file, issues);
}

const objectiveOf = (objective: z.output<typeof objectiveSchema>): Objective =>
  'maximize' in objective
    ? { figure: objective.maximize, isMaximized: true }
    : { figure: objective.minimize, isMaximized: false };

const constraintOf = ({ figure, atMost, atLeast }: z.output<typeof constraintSchema>): Constraint => ({
  figure,
  atMost: boundOf(figure, atMost),
  atLeast: boundOf(figure, atLeast),
});

/** A bound in the figure's unit: dollars become millionths, contracts hundredths. Money of the report is in millionths, too. */
function boundOf(figure: string, bound: number | string | undefined): number | null {
  if (bound === undefined) return null;
  const unit = isFigureName(figure) ? TRIAL_FIGURES[figure].unit : typeof bound === 'string' ? 'money' : 'number';
  const text = String(bound).replace('usd', '');
  if (unit === 'money') return parseScaled(text, MONEY_DECIMALS) ?? Math.round(Number(text) * 1e6);
  // A product such as 1.1 × 100 lies above the whole number that a trial can have.
  return unit === 'qty' ? (parseScaled(text, QTY_DECIMALS) ?? Number(text) * 100) : Number(text);
}

function namedOptions(named: z.output<typeof namedSchema>): NamedOptions {
  if (typeof named === 'string') return { name: named, options: {} };
  const [[name, options] = ['', null]] = Object.entries(named);
  return { name, options: options ?? {} };
}
