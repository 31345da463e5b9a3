// Checks the rules of the project over a whole tree of source files: text in, faults out. Pure, so that tests can use
// small trees.
import { checkCycles, checkLayerImports } from './layer-imports.ts';
import { type Fault, fault } from './fault.ts';
import { checkConventions } from './conventions.ts';
import { checkMarkup } from './markup.ts';
import { type Module, parseModule } from './module.ts';
import { checkPurity } from './purity.ts';
import { checkProse, commentsOf, stringsOf } from './prose.ts';
import { checkStructure } from './structure.ts';
import { checkSizes } from './sizes.ts';
import { brandsOf, checkTypes } from './types.ts';

/**
 * Returns every fault of a tree, by file and line.
 * @param files text by path from the root of the project, with forward slashes.
 */
export function checkTree(files: ReadonlyMap<string, string>): Fault[] {
  if (files.size === 0) return [fault({ file: '.', line: 1 }, 'empty', 'there is no source file to check')];
  const modules = [...files].map(([file, text]) => parseModule(file, text));
  const readable = modules.filter((module) => module.syntaxErrors.length === 0);
  const brands = brandsOf(readable);
  const found = [
    ...modules.flatMap(syntaxFaults),
    ...readable.flatMap((module) => checkModule(module, brands)),
    ...checkCycles(readable),
    ...checkStructure(readable),
  ];
  return found.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line));
}

const checkModule = (module: Module, brands: ReadonlySet<string>): Fault[] => [
  ...checkLayerImports(module),
  ...checkPurity(module),
  ...checkSizes(module),
  ...checkTypes(module, brands),
  ...checkMarkup(module),
  ...checkConventions(module),
  ...checkProse([...commentsOf(module), ...(isQuoting(module.file) ? [] : stringsOf(module))]),
];

/** The tests of the checker quote the words that it refuses. */
const isQuoting = (file: string): boolean => /^test\/(support\/)?tidy\//.test(file);

const syntaxFaults = (module: Module): Fault[] =>
  module.syntaxErrors.slice(0, 1).map((message) => fault({ file: module.file, line: 1 }, 'syntax', message));
