// Walks a syntax tree. Knows no rules.
import { type Node, visitorKeys } from 'oxc-parser';

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

/** Returns the direct children of a node, in source order. */
export function childrenOf(node: Node): Node[] {
  const found: Node[] = [];
  for (const key of visitorKeys[node.type] ?? []) {
    const value: unknown = Reflect.get(node, key);
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const each of values) if (isNode(each)) found.push(each);
  }
  return found;
}

/** Visits every node with its ancestors, nearest last. The list of ancestors is reused: copy it to keep it. */
export function walk(root: Node, see: (node: Node, ancestors: readonly Node[]) => void): void {
  const ancestors: Node[] = [];
  const enter = (node: Node): void => {
    see(node, ancestors);
    ancestors.push(node);
    for (const child of childrenOf(node)) enter(child);
    ancestors.pop();
  };
  enter(root);
}

const FUNCTIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);

/** True when a node is a function with a body. */
export const isFunction = (node: Node): boolean => FUNCTIONS.has(node.type);
