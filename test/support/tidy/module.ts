// A parsed source file: its syntax tree, comments, imports and line starts. Must never read the disk: callers pass the
// text in.
import { posix } from 'node:path';
import { type Comment, type Node, type ParseResult, parseSync } from 'oxc-parser';
import { type Fault, type Rule, fault } from './fault.ts';
import { walk } from './walk.ts';

/** One import, re-export or import type. */
export interface Import {
  /** Path as written; `null` when it is computed at run time. */
  readonly specifier: string | null;
  readonly start: number;
  /** True when the compiler erases the import as a whole: `import type`, `export type`, `import('x').T`. */
  readonly isType: boolean;
  /** True when the import runs with its line, not with the file: `import('x')` as an expression. */
  readonly isLazy: boolean;
}

/** A parsed source file. */
export interface Module {
  readonly file: string;
  readonly text: string;
  readonly program: Node;
  readonly comments: readonly Comment[];
  readonly imports: readonly Import[];
  readonly lineStarts: readonly number[];
  readonly syntaxErrors: readonly string[];
}

/** Parses a file. */
export function parseModule(file: string, text: string): Module {
  const parsed = parseSync(file, text);
  return {
    ...commented(file, text, parsed),
    program: parsed.program,
    imports: [...importsOf(text, parsed), ...importTypesOf(parsed.program)],
    syntaxErrors: parsed.errors.map((error) => error.message),
  };
}

/** The comments of a file, and where they are. */
export type CommentedText = Pick<Module, 'file' | 'text' | 'comments' | 'lineStarts'>;

/** Parses the comments of a file. Leaves out the syntax tree, which takes most of the time. */
export const parseComments = (file: string, text: string): CommentedText =>
  commented(file, text, parseSync(file, text));

function commented(file: string, text: string, { comments }: ParseResult): CommentedText {
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return { file, text, comments, lineStarts };
}

/** Returns the imports of a file, without import types. Leaves out the syntax tree, too. */
export const importsIn = (file: string, text: string): Import[] => importsOf(text, parseSync(file, text));

function importsOf(text: string, { module }: ParseResult): Import[] {
  const isType = (start: number): boolean => /^(import|export)\s+type\b/.test(text.slice(start, start + 40));
  const found: Import[] = [];
  for (const { start, moduleRequest } of module.staticImports)
    found.push({ specifier: moduleRequest.value, start, isType: isType(start), isLazy: false });
  for (const { start, entries } of module.staticExports) {
    const request = entries.find((entry) => entry.moduleRequest)?.moduleRequest;
    if (request) found.push({ specifier: request.value, start, isType: isType(start), isLazy: false });
  }
  for (const { start, moduleRequest } of module.dynamicImports) {
    const written = text.slice(moduleRequest.start, moduleRequest.end);
    const literal = /^(['"`])([^'"`$]*)\1$/.exec(written);
    found.push({ specifier: literal?.[2] ?? null, start, isType: false, isLazy: true });
  }
  return found;
}

function importTypesOf(program: Node): Import[] {
  const found: Import[] = [];
  walk(program, (node) => {
    if (node.type !== 'TSImportType') return;
    found.push({ specifier: node.source.value, start: node.start, isType: true, isLazy: false });
  });
  return found;
}

/** Returns the line of an offset, counted from 1. */
export function lineOf(module: Pick<Module, 'lineStarts'>, offset: number): number {
  let low = 0;
  let high = module.lineStarts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((module.lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

/** Returns a function that makes faults of one file at offsets of its text. */
export const faultsOf =
  (module: Module) =>
  (offset: number, rule: Rule, what: string): Fault =>
    fault({ file: module.file, line: lineOf(module, offset) }, rule, what);

/** Returns the file that a specifier names, from the root of the tree, or `null` for a package. */
export function resolve(from: string, specifier: string): string | null {
  if (specifier === 'presage-trading') return 'src/index.ts';
  if (!specifier.startsWith('.')) return null;
  return posix.normalize(posix.join(posix.dirname(from), specifier));
}

/** Returns the package that a specifier names: `@scope/name` or `name`, without the path after it. */
export const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

export const isTest = (file: string): boolean => file.startsWith('test/') || /^strategies\/.*\.test\.ts$/.test(file);
