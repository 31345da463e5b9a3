// Checks that a pure file loads no package, awaits nothing, and reads no clock, random number or environment. The check
// uses the syntax tree, so a member named `Date` or a local named `process` is no fault.
import type { Node } from 'oxc-parser';
import type { Fault } from './fault.ts';
import { type Module, faultsOf, packageOf, resolve } from './module.ts';
import { purityOf } from './layers.ts';
import { bindingsOf, isReference } from './scope.ts';
import { walk } from './walk.ts';

/** Globals that give access to the clock, chance, the network or the process. */
const IMPURE_GLOBALS: ReadonlySet<string> = new Set([
  'Date',
  'performance',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
  'queueMicrotask',
  'process',
  'crypto',
  'fetch',
  'console',
  'globalThis',
  'global',
  'require',
  'eval',
  'WebSocket',
  'Promise',
  'Atomics',
  'Intl',
]);

/** Methods whose result depends on the language of the machine. */
const LOCALE_METHODS: ReadonlySet<string> = new Set([
  'localeCompare',
  'toLocaleString',
  'toLocaleLowerCase',
  'toLocaleUpperCase',
]);

/** Returns everything impure in a file that must be pure. */
export function checkPurity(module: Module): Fault[] {
  const packages = purityOf(module.file);
  if (packages === null) return [];
  const found = importFaults(module, packages);
  const at = faultsOf(module);
  const isBound = bindingsOf(module.program);
  walk(module.program, (node, ancestors) => {
    const waits = waitingIn(node);
    if (waits !== null) found.push(at(node.start, 'pure-await', `a pure file has ${waits}`));
    if (node.type === 'Identifier' && isReference(node, ancestors) && !isBound(node.name, ancestors)) {
      const asked = impureGlobal(node.name, ancestors);
      if (asked !== null) found.push(at(node.start, 'pure-global', `a pure file uses ${asked}`));
    }
    const method = node.type === 'MemberExpression' ? memberName(node) : null;
    if (method !== null && LOCALE_METHODS.has(method))
      found.push(at(node.start, 'pure-global', `a pure file uses ${method}, which depends on the machine's language`));
  });
  return found;
}

function importFaults(module: Module, packages: readonly string[]): Fault[] {
  const at = faultsOf(module);
  return module.imports.flatMap(({ specifier, start, isType }) => {
    if (specifier === null || isType) return [];
    if (packages.includes(packageOf(specifier))) return [];
    const to = resolve(module.file, specifier);
    if (to === null) return [at(start, 'pure-package', `a pure file loads ${specifier}`)];
    const isSafe = !to.startsWith('src/') || purityOf(to) !== null;
    return isSafe ? [] : [at(start, 'pure-import', `a pure file loads ${to}, which need not be pure`)];
  });
}

function waitingIn(node: Node): string | null {
  switch (node.type) {
    case 'AwaitExpression':
      return 'an await';
    case 'ForOfStatement':
      return node.await ? 'a for await' : null;
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      if (!node.async) return null;
      return node.generator ? 'an async generator' : 'an async function';
    default:
      return null;
  }
}

function impureGlobal(name: string, ancestors: readonly Node[]): string | null {
  if (IMPURE_GLOBALS.has(name)) return name;
  if (name !== 'Math') return null;
  const parent = ancestors.at(-1);
  if (parent?.type === 'MemberExpression') return memberName(parent) === 'random' ? 'Math.random' : null;
  if (parent?.type !== 'VariableDeclarator') return null;
  return parent.id.type === 'ObjectPattern' && parent.id.properties.some(bindsRandom) ? 'Math.random' : null;
}

const bindsRandom = (property: Node): boolean =>
  property.type === 'Property' && property.key.type === 'Identifier' && property.key.name === 'random';

function memberName(node: Node): string | null {
  if (node.type !== 'MemberExpression') return null;
  if (!node.computed) return node.property.type === 'Identifier' ? node.property.name : null;
  return node.property.type === 'Literal' && typeof node.property.value === 'string' ? node.property.value : null;
}
