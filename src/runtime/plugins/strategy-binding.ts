// Creates the strategies of a config: loads them, reads the files that their parameters name, and checks the
// parameters. Errors in a config show its lines. Must never read files for parameters from a journal: these hold the
// files' texts themselves.
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { strategyName } from '../../domain/ids.ts';
import { thrownAt } from '../../strategy/fault-place.ts';
import { describeFault } from '../../strategy/fault-text.ts';
import type { BoundStrategy, Strategy } from '../../strategy/strategy-definition.ts';
import { type CodeCheck, loadPlugin, loadStrategy } from './strategy-loader.ts';
import { type ParamInfo, paramsOf } from './strategy-params.ts';
import { parsePluginLocation } from './plugin-location.ts';
import { describeIssue, splitUnknownNames } from './schema-faults.ts';
import { NoStrategyError, StrategyFileError } from './strategy-file-error.ts';

/** A strategy as a config or a manifest names it. */
export interface StrategyUse {
  readonly name: string;
  /** Absolute path of its file, or its package in the form that `parsePluginLocation` parses. */
  readonly file: string;
  readonly params: Readonly<Record<string, unknown>>;
}

type Issue = z.core.$ZodIssue;

/** The origin of parameters. */
export interface ParamsSource {
  /** Folder from which the file names in parameters are resolved. */
  readonly folder: string;
  /** The place in a config; `null` when the command line gave the parameters. */
  readonly lines: {
    /** The strategy's index in the config. */
    readonly index: number;
    /** Makes an error that shows the lines of the config. The paths of the issues begin at the config. */
    readonly errorOf: (issues: readonly Issue[]) => Error;
  } | null;
}

/** A strategy that is ready. Its parameters are in the form for a journal, with texts in place of file names. */
export interface BoundUse<Use extends StrategyUse = StrategyUse> {
  readonly bound: BoundStrategy;
  readonly use: Use;
}

/**
 * Creates several strategies, with parameters from a config or from the command line.
 * @throws {StrategyFileError} when a file or package cannot be used, its setup fails, or parameters of the command line
 *   do not fit.
 * @throws {ConfigError} when the place in a config holds no strategy, or its parameters do not fit.
 */
export async function bindStrategies<Use extends StrategyUse>(
  uses: readonly Use[],
  sourceOf: (index: number) => ParamsSource,
  load: StrategyLoading = loadStrategy,
): Promise<BoundUse<Use>[]> {
  const all: BoundUse<Use>[] = [];
  for (const [index, use] of uses.entries()) all.push(await bindFrom(use, sourceOf(index), load));
  return all;
}

/** Loads the strategy of a file or package. */
export type StrategyLoading = (file: string) => Promise<Strategy>;

async function bindFrom<Use extends StrategyUse>(
  use: Use,
  source: ParamsSource,
  load: StrategyLoading,
): Promise<BoundUse<Use>> {
  const strategy = await loadFrom(use.file, source, load);
  const params = readFiles(strategy, use, source);
  return { bound: bind(strategy, { ...use, params }, source), use: { ...use, params } };
}

/**
 * Loads a strategy.
 * @throws {ConfigError} when the place that a config names holds none.
 */
export async function loadFrom<Loaded>(
  file: string,
  { lines }: Pick<ParamsSource, 'lines'>,
  load: (file: string) => Promise<Loaded>,
): Promise<Loaded> {
  try {
    return await load(file);
  } catch (fault) {
    if (!(fault instanceof NoStrategyError) || lines === null) throw fault;
    const member = parsePluginLocation(file).type;
    const message = `a ${member} with a strategy (${member === 'file' ? `${file}: ` : ''}${fault.problem})`;
    const path = ['strategies', lines.index, member];
    throw lines.errorOf([{ code: 'custom', path, message, input: file }]);
  }
}

/**
 * Creates one strategy from complete parameters, as a manifest holds them.
 * @param checkHash Called with the SHA-256 of the code before it runs. Throws to refuse the code.
 * @throws {StrategyFileError} when the file cannot be used, the parameters do not fit, or its setup fails.
 */
export async function bindStrategy(use: StrategyUse, checkHash?: CodeCheck): Promise<BoundStrategy> {
  return bind((await loadPlugin(use.file, checkHash)).strategy, use, null);
}

/**
 * Refuses parameters that do not fit a strategy.
 * @throws {StrategyFileError} with each fault; {ConfigError} when the parameters come from a config.
 */
export function refuseParams(strategy: Strategy, use: StrategyUse, source: ParamsSource | null): void {
  const parsed = strategy.params.safeParse(use.params);
  if (!parsed.success) throw wrongParams({ strategy, ...use, issues: parsed.error.issues }, source);
}

function bind(strategy: Strategy, use: StrategyUse, source: ParamsSource | null): BoundStrategy {
  refuseParams(strategy, use, source);
  const { name, file, params } = use;
  try {
    return strategy.bind(strategyName(name), params);
  } catch (fault) {
    // A plugin may carry its own copy of this package. Our error class is therefore recognized by its name.
    const isOurs = fault instanceof Error && fault.name === 'AssertionFault';
    const message = isOurs ? fault.message : describeFault(fault);
    const place = thrownAt(fault);
    throw new StrategyFileError(file, `strategy ${name}: its setup failed: ${message}${place}`, { cause: fault });
  }
}

interface Misfit {
  readonly strategy: Strategy;
  readonly name: string;
  readonly file: string;
  readonly params: unknown;
  readonly issues: readonly Issue[];
}

function wrongParams({ strategy, name, file, params, issues }: Misfit, source: ParamsSource | null): Error {
  const known = paramsOf(strategy);
  const misfit = { schema: strategy.params, value: params, issues };
  const reworded = splitUnknownNames(misfit, 'parameter').map((issue) => rewordFileIssue(issue, known));
  if (source === null || source.lines === null) {
    const lines = reworded.map((issue) => `  ${describeIssue(issue, params, 'params')}`);
    return new StrategyFileError(file, `strategy ${name}: its params do not fit\n${lines.join('\n')}`);
  }
  const before = ['strategies', source.lines.index, 'params'];
  return source.lines.errorOf(reworded.map((issue) => ({ ...issue, path: [...before, ...issue.path] })));
}

function rewordFileIssue(issue: Issue, known: readonly ParamInfo[]): Issue {
  const isInFile = known.some(({ name, isFile }) => isFile && name === issue.path[0]);
  if (isInFile && issue.code === 'invalid_type')
    return { code: 'custom', path: issue.path, message: 'the name of a file', input: undefined };
  if (isInFile && issue.code === 'custom')
    return { ...issue, message: `a file that the strategy can use (${issue.message})` };
  return issue;
}

const FILE_BYTES_MAX = 10_000_000;

/**
 * Returns the parameters with file names replaced by the files' texts.
 * @throws {StrategyFileError} when a file cannot be read; {ConfigError} when the parameters come from a config.
 */
export function readFiles(
  strategy: Strategy,
  { name, file, params }: StrategyUse,
  source: ParamsSource,
): StrategyUse['params'] {
  const read: Record<string, unknown> = { ...params };
  for (const { name: member, isFile } of paramsOf(strategy)) {
    const value = params[member];
    if (!isFile || typeof value !== 'string') continue;
    const text = readText(resolve(source.folder, value));
    if (text.type === 'text') read[member] = text.text;
    else {
      const issues: Issue[] = [{ code: 'custom', path: [member], message: text.why, input: value }];
      throw wrongParams({ strategy, name, file, params, issues }, source);
    }
  }
  return read;
}

type Text = { readonly type: 'text'; readonly text: string } | { readonly type: 'unreadable'; readonly why: string };

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'it cannot be read: permission denied',
  EISDIR: 'it is a folder',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not text in UTF-8',
};

function readText(path: string): Text {
  try {
    const { size } = statSync(path);
    if (size > FILE_BYTES_MAX) {
      const why = `${path}: it has ${size} bytes, at most ${FILE_BYTES_MAX / 1_000_000} MB can be read`;
      return { type: 'unreadable', why };
    }
    return { type: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)) };
  } catch (fault) {
    const code = fault instanceof Error && 'code' in fault ? String(fault.code) : String(fault);
    return { type: 'unreadable', why: `${path}: ${UNREADABLE[code] ?? code}` };
  }
}
