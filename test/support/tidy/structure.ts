// Checks what only the whole tree shows: names that occur once, methods that say what they act on, folders of a readable size.
// The bounds are for production code: tests mirror the names of their sources.
import { posix } from 'node:path';
import { type Fault, fault } from './fault.ts';
import { type Module, faultsOf, lineOf } from './module.ts';
import { FOLDERS_OF_ONE_KIND } from './layers.ts';
import { walk } from './walk.ts';

/** Files of a folder, unless it is in `FOLDERS_OF_ONE_KIND`. */
export const FOLDER_FILES_MAX = 20;
/** Classes that may define a method of the same name. */
export const SAME_METHOD_CLASSES_MAX = 10;

/** Methods of a lifecycle: their object is the instance, so they may keep one name on any number of classes. */
const LIFECYCLE: ReadonlySet<string> = new Set(['close', 'start', 'stop']);

/** A name and where a file declares it. */
interface Declared {
  readonly name: string;
  readonly file: string;
  readonly line: number;
}

const isProduction = ({ file }: Module): boolean => /^(src|backtest)\//.test(file);

/** Returns every name that occurs twice, every method name that too many classes share, and every crowded folder. */
export function checkStructure(modules: readonly Module[]): Fault[] {
  const production = modules.filter(isProduction).toSorted((a, b) => (a.file < b.file ? -1 : 1));
  const classes = production.flatMap(classesOf);
  return [
    ...twinsOf(production.filter(isNamed).map(named), 'file-twin'),
    ...twinsOf(classes, 'class-twin'),
    ...commonMethods(classes),
    ...crowdedFolders(production),
  ];
}

const isNamed = ({ file }: Module): boolean => posix.basename(file) !== 'index.ts';
const named = ({ file }: Module): Declared => ({ name: posix.basename(file), file, line: 1 });

interface DeclaredClass extends Declared {
  readonly methods: readonly string[];
}

function classesOf(module: Module): DeclaredClass[] {
  const found: DeclaredClass[] = [];
  walk(module.program, (node) => {
    if (node.type !== 'ClassDeclaration' || !node.id) return;
    const methods = node.body.body.flatMap((member) =>
      member.type === 'MethodDefinition' && member.kind === 'method' && member.key.type === 'Identifier'
        ? [member.key.name]
        : [],
    );
    found.push({ name: node.id.name, file: module.file, line: lineOf(module, node.start), methods });
  });
  return found;
}

function twinsOf(declared: readonly Declared[], rule: 'file-twin' | 'class-twin'): Fault[] {
  const first = new Map<string, Declared>();
  const found: Fault[] = [];
  for (const each of declared) {
    const other = first.get(each.name);
    if (other) found.push(fault(each, rule, `has the name ${each.name}, as ${other.file} has`));
    else first.set(each.name, each);
  }
  return found;
}

function commonMethods(classes: readonly DeclaredClass[]): Fault[] {
  const byName = new Map<string, DeclaredClass[]>();
  for (const each of classes)
    for (const method of new Set(each.methods))
      if (!LIFECYCLE.has(method)) byName.set(method, [...(byName.get(method) ?? []), each]);
  return [...byName].flatMap(([method, definers]) => {
    const last = definers.at(-1);
    if (!last || definers.length <= SAME_METHOD_CLASSES_MAX) return [];
    return [fault(last, 'common-method', `defines ${method}, as ${definers.length - 1} other classes do`)];
  });
}

function crowdedFolders(modules: readonly Module[]): Fault[] {
  const byFolder = new Map<string, Module[]>();
  for (const module of modules) {
    const folder = posix.dirname(module.file);
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), module]);
  }
  return [...byFolder].flatMap(([folder, files]) => {
    const [first] = files;
    if (!first || files.length <= FOLDER_FILES_MAX || FOLDERS_OF_ONE_KIND.has(folder)) return [];
    return [
      faultsOf(first)(0, 'crowded-folder', `${folder} has ${files.length} files, the most is ${FOLDER_FILES_MAX}`),
    ];
  });
}
