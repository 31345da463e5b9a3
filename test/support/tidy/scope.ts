// Finds which names a file binds in which scope, so that a local name is not mistaken for a global. A declaration
// counts for the whole block that holds it, which is exact enough for the rules.
import type { Node } from 'oxc-parser';
import { isFunction, walk } from './walk.ts';

const BLOCKS: ReadonlySet<string> = new Set([
  'Program',
  'BlockStatement',
  'StaticBlock',
  'SwitchStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'CatchClause',
  'ClassExpression',
]);

const opensScope = (node: Node): boolean => BLOCKS.has(node.type) || isFunction(node);

/** Returns true when a name refers to something bound in the file, seen from below the given ancestors. */
export type IsBound = (name: string, ancestors: readonly Node[]) => boolean;

/** Returns a lookup of the names that a program binds. */
export function bindingsOf(program: Node): IsBound {
  const namesByScope = new Map<Node, Set<string>>();
  const bind = (scope: Node | undefined, names: readonly string[]): void => {
    if (!scope) return;
    const known = namesByScope.get(scope) ?? new Set();
    for (const name of names) known.add(name);
    namesByScope.set(scope, known);
  };
  walk(program, (node, ancestors) => {
    const outer = ancestors.findLast(opensScope);
    bind(outer, declaredAround(node));
    bind(node, declaredInside(node));
  });
  return (name, ancestors) => ancestors.some((scope) => namesByScope.get(scope)?.has(name) === true);
}

function declaredAround(node: Node): string[] {
  switch (node.type) {
    case 'VariableDeclarator':
      return patternNames(node.id);
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return node.id ? [node.id.name] : [];
    case 'ImportSpecifier':
    case 'ImportDefaultSpecifier':
    case 'ImportNamespaceSpecifier':
      return [node.local.name];
    default:
      return [];
  }
}

function declaredInside(node: Node): string[] {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return [...(node.id ? [node.id.name] : []), ...node.params.flatMap(patternNames)];
    case 'ClassExpression':
      return node.id ? [node.id.name] : [];
    case 'CatchClause':
      return node.param ? patternNames(node.param) : [];
    default:
      return [];
  }
}

/** Returns the names that a pattern binds: `{ a, b: [c = 1], ...d }` binds a, c and d. */
export function patternNames(pattern: Node): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((each) => patternNames(each.type === 'Property' ? each.value : each.argument));
    case 'ArrayPattern':
      return pattern.elements.flatMap((each) => (each ? patternNames(each) : []));
    case 'AssignmentPattern':
      return patternNames(pattern.left);
    case 'RestElement':
      return patternNames(pattern.argument);
    default:
      return [];
  }
}

/** TypeScript nodes that hold values; every other TypeScript node is about types only. */
const VALUES: ReadonlySet<string> = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
  'TSParameterProperty',
  'TSExportAssignment',
]);

/** True when an identifier is read as a value, and is not the name of a member, a label, a type or an export. */
export function isReference(node: Node, ancestors: readonly Node[]): boolean {
  if (ancestors.some((each) => each.type.startsWith('TS') && !VALUES.has(each.type))) return false;
  const parent = ancestors.at(-1);
  switch (parent?.type) {
    case 'MemberExpression':
      return parent.object === node || parent.computed;
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
    case 'AccessorProperty':
      return parent.value === node || parent.computed;
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
    case 'MetaProperty':
    case 'ImportSpecifier':
    case 'ImportAttribute':
      return false;
    default:
      return true;
  }
}
