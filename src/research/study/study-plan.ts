// A study made ready: its config, strategy, tapes and event groups, with the hashes that name its trials. Must never run a
// trial, and must refuse whatever would fail in every trial.
import { dirname, join } from 'node:path';
import { applyOverrides } from '../../app/backtest/backtest-overrides.ts';
import { refuseUnusableSetup } from '../../app/backtest/backtest-session.ts';
import { openTapeAt } from '../../app/tape-place.ts';
import { UsageError } from '../../app/usage-error.ts';
import { nearestName } from '../../base/near-name.ts';
import { type BacktestConfig, readBacktestConfig } from '../../config/backtest-config.ts';
import { configErrorOf, withConfigLines } from '../../config/yaml.ts';
import type { PluginBundle } from '../../runtime/plugins/plugin-bundle.ts';
import { loadFrom, readFiles, refuseParams } from '../../runtime/plugins/strategy-binding.ts';
import { paramsFromConfig } from '../../runtime/plugins/config-params.ts';
import { type LoadedPlugin, loadPlugin } from '../../runtime/plugins/strategy-loader.ts';
import { paramsOf } from '../../runtime/plugins/strategy-params.ts';
import type { Strategy } from '../../strategy/strategy-definition.ts';
import { BakedFault } from '../../tape/baked/baked-fault.ts';
import { TapeFault } from '../../tape/format/tape-fault.ts';
import { type GroupSpan, groupSpans } from '../runs/group-spans.ts';
import type { SpaceParam } from '../search/search-space.ts';
import { countValues, valueAt, valueFromUnit } from '../search/space/param-values.ts';
import type { ParamValue, TrialParams } from '../trial/study-trial.ts';
import { engineHash } from './engine-identity.ts';
import type { StudySplit } from '../splits/split-shape.ts';
import { GROUP_FIGURE_NAMES } from '../trial/trial-figures.ts';
import type { StudyFile } from './study-file.ts';
import { writeStrategyCode } from './study-folder.ts';
import { splitStudy } from './study-split.ts';
import { canonicalHash, trialHash } from './trial-identity.ts';

/** A tape of a study. */
export interface StudyTape {
  /** A baked file, or the folder of a tape with a baked copy. */
  readonly place: string;
  readonly hash: string;
  readonly spans: readonly GroupSpan[];
}

/** Event groups of one tape that one run trades, with an account of its own. */
export interface TapePart {
  readonly tape: StudyTape;
  readonly spans: readonly GroupSpan[];
  /** `search`: objectives and constraints see the run. `held`: its results by event group are kept, and nothing else. */
  readonly role: 'search' | 'held';
  /** True when the part is the whole tape, as the config selects it. */
  readonly isWhole: boolean;
}

/** All that a worker needs besides a trial's parameters: plain data, sent once. */
export interface TrialSetup {
  /** The config, with the studied strategy alone. */
  readonly config: BacktestConfig;
  readonly bundle: PluginBundle;
  /** The file that holds the bundle's code. */
  readonly code: string;
  readonly parts: readonly TapePart[];
  readonly study: Pick<StudyFile, 'file' | 'folder' | 'objectives' | 'constraints'>;
}

/** A study, ready to run. */
export interface StudyPlan {
  readonly study: StudyFile;
  readonly setup: TrialSetup;
  readonly tapes: readonly StudyTape[];
  /** `null` when objectives see every event group. */
  readonly split: StudySplit | null;
  /** The hashes by which two studies differ, by what they cover. */
  readonly parts: Readonly<Record<string, string>>;
  readonly hash: string;
  /** Files that parameters name, as the study writes them: relative to the study's file, or absolute. */
  readonly paramFiles: readonly string[];
  /** Name of the trial with these parameters. */
  hashOf(params: TrialParams): string;
}

export interface PlanStudyOptions {
  /** File of the studied strategy. @default the one that the study or its config names */
  readonly strategyFile?: string;
}

/**
 * Makes a study ready: bundles its strategy once, bakes its tapes, and checks its space by the strategy's own schema.
 * @throws {ConfigError} when the study's file or config cannot be used, a tape is not there, or an event group is on two
 *   tapes.
 * @throws {StrategyFileError} when the strategy cannot be used.
 */
export function planStudy(study: StudyFile, options: PlanStudyOptions = {}): Promise<StudyPlan> {
  return withConfigLines(study.file, () => planOf(study, options));
}

async function planOf(study: StudyFile, options: PlanStudyOptions): Promise<StudyPlan> {
  const config = studiedConfig(study);
  await withConfigLines(study.config, () => refuseUnusableSetup(config));
  const [named] = config.strategies;
  if (named === undefined) throw new UsageError(`${study.config}: expected a strategy, found none`);
  const use = { ...named, file: options.strategyFile ?? named.file };
  const { strategy, bundle } = await loadStudied(study, named, options.strategyFile);
  const completeParams = (params: TrialParams): unknown =>
    parsedParams(strategy, fileParams(study, strategy, { ...use, params: { ...use.params, ...params } }));
  refuseMisfits(study, strategy, use.params);
  refuseFixed(study, strategy, use);
  const tapes = openStudyTapes(study, config);
  const split = splitStudy(
    study,
    tapes.flatMap(({ spans }) => spans),
  );
  refuseMisfitsOfParts(study, split?.shape?.kind ?? null);
  const code = join(study.folder, `strategy-${bundle.sha256.slice(0, 16)}.mjs`);
  writeStrategyCode(code, bundle.code);
  const engine = engineHash();
  const tape = canonicalHash(tapes.map(({ hash }) => hash));
  const setupHash = canonicalHash(decidingMembers(config));
  const splitHash = split && canonicalHash([split.search, split.held]);
  const identity = {
    strategy: bundle.sha256,
    tape,
    setup: setupHash,
    engine,
    seed: config.seed,
    ...(splitHash !== null && { split: splitHash }),
  };
  const parts = {
    strategy: bundle.sha256,
    tapes: tape,
    config: setupHash,
    program: engine,
    fixed: canonicalHash(use.params),
    space: canonicalHash(study.space),
    objective: canonicalHash([study.objectives, study.constraints]),
    sampler: canonicalHash([study.sampler, study.seed, study.lag, config.seed]),
    ...(split && { split: canonicalHash(split) }),
    ...(study.pruner && { pruner: canonicalHash(study.pruner) }),
  };
  return {
    study,
    setup: { config, bundle, code, parts: tapeParts(tapes, split), study: setupOf(study) },
    tapes,
    split,
    parts,
    hash: canonicalHash(parts),
    paramFiles: paramFilesOf(study, strategy, use.params),
    hashOf: (params) => trialHash({ ...identity, params: completeParams(params) }),
  };
}

const setupOf = ({ file, folder, objectives, constraints }: StudyFile): TrialSetup['study'] => ({
  file,
  folder,
  objectives,
  constraints,
});

/** The runs of a trial: one for each tape and each part of it that has event groups. */
function tapeParts(tapes: readonly StudyTape[], split: StudySplit | null): TapePart[] {
  if (split === null) return tapes.map((tape) => ({ tape, spans: tape.spans, role: 'search', isWhole: true }));
  return [...partsOn(tapes, split.search, 'search'), ...partsOn(tapes, split.held, 'held')];
}

function partsOn(tapes: readonly StudyTape[], groups: readonly string[], role: TapePart['role']): TapePart[] {
  const wanted = new Set(groups);
  return tapes.flatMap((tape) => {
    const spans = tape.spans.filter(({ group }) => wanted.has(group));
    return spans.length === 0 ? [] : [{ tape, spans, role, isWhole: false }];
  });
}

/**
 * Makes the set-up of a run over the sealed test; `null` without one. Objectives and constraints see it as they see the search.
 * The caller records the look first.
 */
export const sealedSetup = ({ setup, tapes, split }: StudyPlan): TrialSetup | null =>
  split === null || split.sealed.length === 0 ? null : { ...setup, parts: partsOn(tapes, split.sealed, 'search') };

/** Samplers whose proposals depend on results. */
const LEARNING_SAMPLERS: readonly string[] = ['tpe', 'cma'];

/** @throws {ConfigError} when the winner of a part cannot be found, or the sampler or pruner would learn from the test parts. */
function refuseMisfitsOfParts({ file, objectives, sampler, pruner }: StudyFile, kind: string | null): void {
  const [first] = objectives;
  if (kind === null && pruner === null) return;
  if (first && !GROUP_FIGURE_NAMES.some((name) => name === first.figure)) {
    const reason = kind === null ? 'the pruner compares trials' : 'the split chooses winners';
    const names = GROUP_FIGURE_NAMES.join(', ');
    const message = `the first objective to be one of ${names}, because ${reason} by the results of event groups`;
    throw configErrorOf(file, [{ code: 'custom', path: ['objective'], message, input: first.figure }]);
  }
  if (kind === 'folds' && LEARNING_SAMPLERS.includes(sampler.name)) {
    const message =
      'grid, random or sobol with folds: every event group is tested, so a sampler that learns has seen it';
    throw configErrorOf(file, [{ code: 'custom', path: ['sampler'], message, input: sampler.name }]);
  }
  if (kind === 'folds' && pruner !== null) {
    const message = 'no pruner with folds: every event group is tested, and the pruner would judge by it';
    throw configErrorOf(file, [{ code: 'custom', path: ['pruner'], message, input: pruner.name }]);
  }
}

/** The config with the studied strategy alone, and the study's fixed parameters. */
function studiedConfig(study: StudyFile): BacktestConfig {
  const config = readBacktestConfig(study.config);
  const { strategy, fixed } = study;
  if (typeof strategy === 'object') {
    const replaced = applyOverrides(config, { strategy: strategy.use, params: fixed });
    return { ...replaced, report: {} };
  }
  const named = strategy === undefined ? config.strategies : config.strategies.filter(({ name }) => name === strategy);
  const [only, ...others] = named;
  if (only === undefined || others.length > 0) {
    const names = config.strategies.map(({ name }) => name).join(', ');
    const message = `the name of one strategy of the config: ${names}`;
    throw configErrorOf(study.file, [{ code: 'custom', path: ['strategy'], message, input: strategy }]);
  }
  return { ...config, strategies: [{ ...only, params: { ...only.params, ...fixed } }], report: {} };
}

/** Members of the config that decide results and are not named otherwise. */
function decidingMembers(config: BacktestConfig): unknown {
  const { tape: _tape, report: _report, seed: _seed, strategies, ...rest } = config;
  const uses = strategies.map(({ file: _file, params: _params, ...use }) => use);
  return { ...rest, strategies: uses };
}

type Use = BacktestConfig['strategies'][number];

/**
 * Loads the studied strategy.
 * @throws {ConfigError} when the place that the study or its config names holds none.
 */
function loadStudied(study: StudyFile, { name, file }: Use, given?: string): Promise<LoadedPlugin> {
  if (given !== undefined) return loadPlugin(given);
  if (typeof study.strategy === 'object') {
    const errorOf = (issues: Parameters<typeof configErrorOf>[1]): Error =>
      configErrorOf(
        study.file,
        issues.map((issue) => ({ ...issue, path: ['strategy', 'use'] })),
      );
    return loadFrom(file, { lines: { index: 0, errorOf } }, loadPlugin);
  }
  return loadFrom(file, paramsFromConfig(study.config)(strategyIndex(study, name)), loadPlugin);
}

/** Parameters with the texts of files that they name. */
const fileParams = (study: StudyFile, strategy: Strategy, use: Use): Readonly<Record<string, unknown>> =>
  readFiles(strategy, use, { folder: paramsFolder(study), lines: null });

/** Files that the fixed parameters and the options of the space name. */
function paramFilesOf(study: StudyFile, strategy: Strategy, fixed: Readonly<Record<string, unknown>>): string[] {
  const members = paramsOf(strategy).filter(({ isFile }) => isFile);
  const values = members.flatMap(({ name }) => [
    fixed[name],
    ...study.space.filter((param) => param.name === name).flatMap(valuesOf),
  ]);
  return [...new Set(values.filter((value) => typeof value === 'string'))];
}

/** Folder of files that parameters name. */
export const paramsFolder = ({ file }: Pick<StudyFile, 'file'>): string => dirname(file);

/**
 * Parameters after defaults and coercion. A member that is no plain data after parsing counts as it was given, and so do
 * parameters that the strategy refuses together: their trial fails.
 */
function parsedParams(strategy: Strategy, params: Readonly<Record<string, unknown>>): unknown {
  const { data }: { readonly data?: unknown } = strategy.params.safeParse(params);
  if (!isMapping(data)) return params;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, isPlain(value) ? value : (params[name] ?? null)]),
  );
}

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain);
  if (isMapping(value)) return Object.values(value).every(isPlain);
  return value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
}

/**
 * Tries both ends of each range and a value within, and each option of each choice, with the first values of the other
 * parameters.
 * @throws {ConfigError} when the strategy's schema refuses one, or does not know the parameter.
 */
function refuseMisfits(study: StudyFile, strategy: Strategy, fixed: Readonly<Record<string, unknown>>): void {
  const known = paramsOf(strategy).map(({ name }) => name);
  const first = Object.fromEntries(study.space.map((param) => [param.name, valuesOf(param)[0]]));
  const issues = study.space.flatMap((param) => {
    const { name } = param;
    const path = ['space', name];
    if (known.length > 0 && !known.includes(name)) {
      const nearest = nearestName(name, known);
      const message = `a parameter of the strategy: ${nearest ?? known.join(', ')}`;
      return [{ code: 'custom' as const, path, message, input: name }];
    }
    const wrong = triedValuesOf(param).find((value) =>
      isRefused(strategy, { ...fixed, ...first, [name]: value }, name),
    );
    if (wrong === undefined) return [];
    const message = `values that the strategy accepts; it refuses ${name} = ${JSON.stringify(wrong)}`;
    return [{ code: 'custom' as const, path, message, input: wrong }];
  });
  if (issues.length > 0) throw configErrorOf(study.file, issues);
}

/**
 * Refuses the study's fixed parameters, and the config's, where the strategy does.
 * @throws {ConfigError} with the line in the study's file or in its config.
 */
function refuseFixed(study: StudyFile, strategy: Strategy, use: Use): void {
  const first = Object.fromEntries(study.space.map((param) => [param.name, valuesOf(param)[0]]));
  const params = fileParams(study, strategy, { ...use, params: { ...use.params, ...first } });
  const errorOf = (issues: Parameters<typeof configErrorOf>[1]): Error => {
    const ofParams = issues.map((issue) => ({ ...issue, path: issue.path.slice(PARAMS_DEPTH) }));
    const own = ofParams.filter(({ path: [name] }) => name !== undefined && Object.hasOwn(study.fixed, name));
    return own.length > 0
      ? configErrorOf(
          study.file,
          own.map((issue) => ({ ...issue, path: ['fixed', ...issue.path] })),
        )
      : configErrorOf(study.config, issues);
  };
  const source = { folder: paramsFolder(study), lines: { index: strategyIndex(study, use.name), errorOf } };
  refuseParams(strategy, { ...use, params }, source);
}

/** Names in the path of a strategy's parameters in a config: the list, its index, and `params`. */
const PARAMS_DEPTH = 3;

const strategyIndex = (study: StudyFile, name: string): number =>
  readBacktestConfig(study.config).strategies.findIndex((each) => each.name === name);

function valuesOf({ domain }: SpaceParam): readonly ParamValue[] {
  return domain.kind === 'choice' ? domain.options : [domain.low, domain.high];
}

/** A place within a range without a step: a whole number is hardly ever there. */
const WITHIN = 0.382;

/** Both ends may be whole numbers where the strategy wants whole numbers, and the values between them may not. */
function triedValuesOf({ domain, ...param }: SpaceParam): readonly ParamValue[] {
  const count = countValues(domain);
  const within = count === Infinity ? valueFromUnit(domain, WITHIN) : valueAt(domain, Math.min(1, count - 1));
  return [...valuesOf({ domain, ...param }), within];
}

function isRefused(strategy: Strategy, params: Readonly<Record<string, unknown>>, name: string): boolean {
  const parsed = strategy.params.safeParse(params);
  return !parsed.success && parsed.error.issues.some(({ path }) => path[0] === name);
}

/** @throws {ConfigError} when a tape cannot be used, or an event group is on two: it would count twice. */
function openStudyTapes(study: StudyFile, config: BacktestConfig): StudyTape[] {
  const placeOf = new Map<string, string>();
  const named = study.tapes?.map((place, index) => ({ place, file: study.file, path: ['tapes', index] }));
  return (named ?? [{ place: config.tape, file: study.config, path: ['tape'] }]).map(({ place, file, path }) => {
    const refused = (expected: string) =>
      configErrorOf(file, [{ code: 'custom', path, message: expected, input: place }]);
    const tape = openStudyTape(place, config, refused);
    for (const { group } of tape.spans) {
      const other = placeOf.get(group);
      if (other !== undefined) throw refused(`each event group on one tape (${group} is on ${other}, too)`);
      placeOf.set(group, place);
    }
    return tape;
  });
}

function openStudyTape(place: string, config: BacktestConfig, refused: (expected: string) => Error): StudyTape {
  const source = readable(refused, () => openTapeAt(place));
  try {
    const spans = readable(refused, () => groupSpans(source, config.markets));
    if (spans.length === 0) throw refused('a tape with a market of the config');
    const { sourceHash, bakerVersion } = source.facts;
    return { place, hash: canonicalHash([sourceHash, bakerVersion]), spans };
  } finally {
    source.close();
  }
}

/** Reads a tape, all of it or its groups: of a damaged one, either may be the first to fail. */
function readable<Read>(refused: (expected: string) => Error, read: () => Read): Read {
  try {
    return read();
  } catch (fault) {
    const isOfTape = fault instanceof UsageError || fault instanceof BakedFault || fault instanceof TapeFault;
    throw isOfTape ? refused(`a tape that can be read (${fault.message})`) : fault;
  }
}
