// Checks lengths of functions and files, numbers of parameters, and depth of nesting. Test suites are not measured, the
// tests in them are; nor are the rows that a table or property passes to a test.
import type { Node } from 'oxc-parser';
import type { Fault } from './fault.ts';
import { type Module, faultsOf, isTest, lineOf } from './module.ts';
import { headerOf } from './conventions.ts';
import { childrenOf, isFunction, walk } from './walk.ts';

export const FUNCTION_LINES_MAX = 70;
export const FILE_LINES_MAX = 400;
export const PARAMETERS_MAX = 3;
export const NESTING_MAX = 3;

/** Returns everything that is too long, too wide or too deep. */
export function checkSizes(module: Module): Fault[] {
  const at = faultsOf(module);
  const found: Fault[] = [];
  const lines = module.text.replace(/\n$/, '').split('\n').length;
  if (lines > FILE_LINES_MAX && !headerOf(module).text.includes('tidy: table'))
    found.push(at(module.text.length - 1, 'file-length', `${lines} lines, the most is ${FILE_LINES_MAX}`));
  walk(module.program, (node, ancestors) => {
    const long = functionLines(module, node);
    if (long > FUNCTION_LINES_MAX)
      found.push(at(node.start, 'function-length', `a function of ${long} lines, the most is ${FUNCTION_LINES_MAX}`));
    const wide = isTest(module.file) && isHandedOver(node, ancestors.at(-1)) ? 0 : parameterCount(node);
    if (wide > PARAMETERS_MAX)
      found.push(at(node.start, 'parameters', `${wide} parameters, the most is ${PARAMETERS_MAX}`));
    if (isControl(node, ancestors.at(-1)) && depthOf(ancestors) === NESTING_MAX)
      found.push(at(node.start, 'nesting', `blocks nested ${NESTING_MAX + 1} deep, the most is ${NESTING_MAX}`));
  });
  return found;
}

function functionLines(module: Module, node: Node): number {
  if (!isFunction(node) || (isTest(module.file) && isSuite(node))) return 0;
  return lineOf(module, node.end - 1) - lineOf(module, node.start) + 1;
}

/** True when a function's body defines tests directly. */
function isSuite(node: Node): boolean {
  const body = childrenOf(node).find((child) => child.type === 'BlockStatement');
  return body !== undefined && childrenOf(body).some(definesTest);
}

function definesTest(statement: Node): boolean {
  if (statement.type !== 'ExpressionStatement') return false;
  let callee: Node = statement.expression;
  while (
    callee.type === 'CallExpression' ||
    callee.type === 'MemberExpression' ||
    callee.type === 'TaggedTemplateExpression'
  ) {
    if (callee.type === 'CallExpression') callee = callee.callee;
    else callee = callee.type === 'MemberExpression' ? callee.object : callee.tag;
  }
  return callee.type === 'Identifier' && ['describe', 'it', 'test'].includes(callee.name);
}

/** True when a function is an argument of a call: the callee decides its parameters. */
const isHandedOver = (node: Node, parent: Node | undefined): boolean =>
  parent?.type === 'CallExpression' && parent.callee !== node;

function parameterCount(node: Node): number {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
    case 'TSDeclareFunction':
    case 'TSEmptyBodyFunctionExpression':
    case 'TSMethodSignature':
    case 'TSFunctionType':
    case 'TSConstructorType':
    case 'TSCallSignatureDeclaration':
    case 'TSConstructSignatureDeclaration':
      return node.params.filter((each) => each.type !== 'Identifier' || each.name !== 'this').length;
    default:
      return 0;
  }
}

const CONTROLS: ReadonlySet<string> = new Set([
  'IfStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'WhileStatement',
  'DoWhileStatement',
  'SwitchStatement',
  'TryStatement',
]);

/** True when a node adds a level of nesting. An `else if` continues its `if`. */
function isControl(node: Node, parent: Node | undefined): boolean {
  if (!CONTROLS.has(node.type)) return false;
  return !(node.type === 'IfStatement' && parent?.type === 'IfStatement' && parent.alternate === node);
}

function depthOf(ancestors: readonly Node[]): number {
  const inside = ancestors.slice(ancestors.findLastIndex(isFunction) + 1);
  return inside.filter((node, i) => isControl(node, inside[i - 1])).length;
}
