// Checks that the page never makes elements from text: names from the venue, strategies and people could be scripts.
import type { Node } from 'oxc-parser';
import type { Fault } from './fault.ts';
import { type Module, faultsOf } from './module.ts';
import { isPage } from './layers.ts';
import { walk } from './walk.ts';

/** Members and attributes that take markup as text. */
const MARKUP: ReadonlySet<string> = new Set([
  'innerHTML',
  'outerHTML',
  'dangerouslySetInnerHTML',
  'insertAdjacentHTML',
  'createContextualFragment',
  'parseFromString',
  'setHTMLUnsafe',
  'srcdoc',
  'write',
  'writeln',
]);

/** Returns every use of a member or an attribute that takes markup as text, and every style in a text. */
export function checkMarkup(module: Module): Fault[] {
  if (!isPage(module.file)) return [];
  const at = faultsOf(module);
  const found: Fault[] = [];
  walk(module.program, (node) => {
    const name = nameOf(node);
    if (name !== null && MARKUP.has(name)) found.push(at(node.start, 'markup', `uses ${name}`));
    if (isTextStyle(node)) found.push(at(node.start, 'markup', 'has a style as text, which the policy refuses'));
  });
  return found;
}

function nameOf(node: Node): string | null {
  if (node.type === 'JSXAttribute') return node.name.type === 'JSXIdentifier' ? node.name.name : null;
  if (node.type === 'Property') return node.key.type === 'Identifier' ? node.key.name : null;
  if (node.type !== 'MemberExpression') return null;
  if (!node.computed) return node.property.type === 'Identifier' ? node.property.name : null;
  return node.property.type === 'Literal' && typeof node.property.value === 'string' ? node.property.value : null;
}

const isTextStyle = (node: Node): boolean =>
  node.type === 'JSXAttribute' &&
  node.name.type === 'JSXIdentifier' &&
  node.name.name === 'style' &&
  node.value?.type !== 'JSXExpressionContainer';
