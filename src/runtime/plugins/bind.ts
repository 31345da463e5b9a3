// Strategies as a config asks for them: loaded, their files read, their parameters checked. What does not fit is told by the
// config's own lines. Must never read a file that a journal's parameters only seem to name: those hold the text itself.
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { z } from 'zod';
import { namesAt } from '../../config/known-names.ts';
import { expectedBy, misfit } from '../../config/yaml.ts';
import { strategyName } from '../../domain/ids.ts';
import { nearestName } from '../../domain/near-name.ts';
import { describeFault } from '../../strategy/fault-text.ts';
import type { BoundStrategy, Strategy } from '../../strategy/strategy.ts';
import { loadStrategy } from './load.ts';
import { type ParamInfo, paramsOf } from './params.ts';
import { placeOf } from './place.ts';
import { NoStrategyError, StrategyFileError } from './strategy-file-error.ts';

/** A strategy as a config or a manifest names it. */
export interface StrategyUse {
  readonly name: string;
  /** Its file, or its package as `placeOf` reads it; absolute. */
  readonly file: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Where parameters come from. */
export interface ParamsSource {
  /** What parameters name is read from it. */
  readonly folder: string;
  /** The config's file that has them, and the member of its `strategies`; `null` when the command line gave them. */
  readonly lines: { readonly file: string; readonly index: number } | null;
}

/** The parameters of a config's strategies, one by one. */
export const inConfig =
  (file: string) =>
  (index: number): ParamsSource => ({ folder: dirname(resolve(file)), lines: { file, index } });

/** A strategy that is ready, with its parameters as a journal should have them: texts in the place of files. */
export interface Bound<Use extends StrategyUse = StrategyUse> {
  readonly bound: BoundStrategy;
  readonly use: Use;
}

/**
 * Several strategies, with parameters from a config or from the command line.
 * @throws {StrategyFileError} when a file or package cannot be used, its setup fails, or parameters of the command line
 * do not fit.
 * @throws {ConfigError} when parameters of a config do not fit.
 */
export async function bindStrategies<Use extends StrategyUse>(
  uses: readonly Use[],
  sourceOf: (index: number) => ParamsSource,
): Promise<Bound<Use>[]> {
  const all: Bound<Use>[] = [];
  for (const [index, use] of uses.entries()) all.push(await bindFrom(use, sourceOf(index)));
  return all;
}

async function bindFrom<Use extends StrategyUse>(use: Use, source: ParamsSource): Promise<Bound<Use>> {
  const strategy = await loadFrom(use, source);
  const params = readFiles(strategy, use, source);
  return { bound: bind(strategy, { ...use, params }, source), use: { ...use, params } };
}

/** Loads a strategy. The error about one that is not there names the line of the config. */
async function loadFrom({ file }: StrategyUse, { lines }: ParamsSource): Promise<Strategy> {
  try {
    return await loadStrategy(file);
  } catch (fault) {
    if (!(fault instanceof NoStrategyError) || lines === null) throw fault;
    const member = placeOf(file).type;
    const message = `a ${member} with a strategy (${member === 'file' ? `${file}: ` : ''}${fault.problem})`;
    const path = ['strategies', lines.index, member];
    throw misfit(lines.file, [{ code: 'custom', path, message, input: file }]);
  }
}

/**
 * One strategy, with parameters that hold all they need, as a manifest's do.
 * @throws {StrategyFileError} when the file cannot be used, the parameters do not fit, or its setup fails.
 */
export async function bindStrategy(use: StrategyUse): Promise<BoundStrategy> {
  return bind(await loadStrategy(use.file), use, null);
}

function bind(strategy: Strategy, { name, file, params }: StrategyUse, source: ParamsSource | null): BoundStrategy {
  const parsed = strategy.params.safeParse(params);
  if (!parsed.success) throw wrongParams({ strategy, name, file, params, issues: parsed.error.issues }, source);
  try {
    return strategy.bind(strategyName(name), params);
  } catch (fault) {
    // A plugin may carry a copy of this package: what that found is known by its name.
    const isOurs = fault instanceof Error && fault.name === 'AssertionFault';
    const message = isOurs ? fault.message : describeFault(fault);
    throw new StrategyFileError(file, `strategy ${name}: its setup failed: ${message}`, { cause: fault });
  }
}

type Issue = z.core.$ZodIssue;

interface Misfit {
  readonly strategy: Strategy;
  readonly name: string;
  readonly file: string;
  readonly params: unknown;
  readonly issues: readonly Issue[];
}

function wrongParams({ strategy, name, file, params, issues }: Misfit, source: ParamsSource | null): Error {
  const known = paramsOf(strategy);
  const namesOf = (path: Issue['path']): string[] => namesAt(strategy.params, { path, value: params });
  const named = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? unknownNames(issue, namesOf(issue.path)) : [inFile(issue, known)],
  );
  if (source === null || source.lines === null) {
    const lines = named.map((issue) => {
      const member = issue.path.map(String).join('.') || 'params';
      return `  ${member}: expected ${expectedBy(issue)}, found ${foundIn(params, issue.path)}`;
    });
    return new StrategyFileError(file, `strategy ${name}: its params do not fit\n${lines.join('\n')}`);
  }
  const before = ['strategies', source.lines.index, 'params'];
  return misfit(
    source.lines.file,
    named.map((issue) => ({ ...issue, path: [...before, ...issue.path] })),
  );
}

/** What is at a path of the parameters, shown as JSON, and only its kind where it may be long. */
function foundIn(params: unknown, path: Issue['path']): string {
  let found = params;
  for (const key of path) found = typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined;
  if (found === undefined || found === null) return 'nothing';
  if (typeof found === 'object') return Array.isArray(found) ? `a list of ${found.length}` : 'a mapping';
  return shortened(JSON.stringify(found));
}

const SHOWN_MAX = 60;
const shortened = (text: string): string => (text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`);

/** An issue as a file's, where it is about what is in one. */
function inFile(issue: Issue, known: readonly ParamInfo[]): Issue {
  const isInFile = known.some(({ name, isFile }) => isFile && name === issue.path[0]);
  if (isInFile && issue.code === 'invalid_type')
    return { code: 'custom', path: issue.path, message: 'the name of a file', input: undefined };
  if (isInFile && issue.code === 'custom')
    return { ...issue, message: `a file that the strategy can use (${issue.message})` };
  return issue;
}

/** One issue for each name that is not known, with the name that was meant. */
const unknownNames = (
  { keys, path }: Extract<Issue, { code: 'unrecognized_keys' }>,
  names: readonly string[],
): Issue[] =>
  keys.map((key) => {
    const nearest = nearestName(key, names);
    const message = nearest === null ? `one of the parameters ${names.join(', ')}` : `the parameter ${nearest}`;
    return { code: 'custom', path: [...path, key], message: `${message}, not ${key}`, input: undefined };
  });

const FILE_BYTES_MAX = 10_000_000;

/** The parameters with the texts of the files that they name. */
function readFiles(
  strategy: Strategy,
  { name, file, params }: StrategyUse,
  source: ParamsSource,
): StrategyUse['params'] {
  const read: Record<string, unknown> = { ...params };
  for (const { name: member, isFile } of paramsOf(strategy)) {
    const value = params[member];
    if (!isFile || typeof value !== 'string') continue;
    const text = textOf(resolve(source.folder, value));
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
  ENOENT: 'nothing is there',
  EACCES: 'it may not be read',
  EISDIR: 'it is a folder',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is no text in UTF-8',
};

function textOf(path: string): Text {
  try {
    const { size } = statSync(path);
    if (size > FILE_BYTES_MAX) {
      const why = `${path}: it has ${size} bytes, ${FILE_BYTES_MAX / 1_000_000} MB are the most`;
      return { type: 'unreadable', why };
    }
    return { type: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)) };
  } catch (fault) {
    const code = fault instanceof Error && 'code' in fault ? String(fault.code) : String(fault);
    return { type: 'unreadable', why: `${path}: ${UNREADABLE[code] ?? code}` };
  }
}
