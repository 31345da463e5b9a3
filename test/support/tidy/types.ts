// Checks that no file evades the type checker with `any`, `!` or `as`.
import type { Node } from 'oxc-parser';
import type { Fault } from './fault.ts';
import { type Module, faultsOf, isTest, lineOf } from './module.ts';
import { walk } from './walk.ts';

/**
 * Returns every `any`, and outside tests every `!` and every `as` that neither mints a brand nor names the schema that
 * checked the value.
 */
export function checkTypes(module: Module, brands: ReadonlySet<string>): Fault[] {
  const at = faultsOf(module);
  const found: Fault[] = [];
  const isAllowed = assertionsAllowed(module, brands);
  walk(module.program, (node) => {
    if (node.type === 'TSAnyKeyword') found.push(at(node.start, 'any', 'says any'));
    if (isTest(module.file)) return;
    if (node.type === 'TSNonNullExpression' || isDefinite(node))
      found.push(at(node.end - 1, 'non-null', 'claims with ! that something is there'));
    if ((node.type === 'TSAsExpression' || node.type === 'TSTypeAssertion') && !isAllowed(node))
      found.push(at(node.typeAnnotation.start, 'as', `asserts the type ${textOf(module, node.typeAnnotation)}`));
  });
  return found;
}

const isDefinite = (node: Node): boolean =>
  (node.type === 'VariableDeclarator' || node.type === 'PropertyDefinition') && node.definite === true;

const textOf = (module: Module, node: Node): string =>
  module.text.slice(node.start, node.end).replaceAll(/\s+/g, ' ').slice(0, 60);

function assertionsAllowed(module: Module, brands: ReadonlySet<string>) {
  const marked = new Set<number>();
  for (const { value, start, end } of module.comments) {
    if (!/\btidy: as \S/.test(value)) continue;
    marked.add(lineOf(module, start)).add(lineOf(module, end) + 1);
  }
  return (node: Node): boolean => {
    if (node.type !== 'TSAsExpression' && node.type !== 'TSTypeAssertion') return true;
    if (marked.has(lineOf(module, node.start)) || marked.has(lineOf(module, node.typeAnnotation.start))) return true;
    if (isWidening(node.typeAnnotation)) return true;
    const isLaundered = node.expression.type === 'TSAsExpression';
    return !isLaundered && isBrand(node.typeAnnotation, brands);
  };
}

/**
 * `as const` narrows a literal and `as unknown` widens: neither can be false. A further assertion on the result is
 * checked by itself.
 */
const isWidening = (type: Node): boolean => type.type === 'TSUnknownKeyword' || referenceName(type) === 'const';

function isBrand(type: Node, brands: ReadonlySet<string>): boolean {
  if (type.type === 'TSNullKeyword' || type.type === 'TSUndefinedKeyword') return true;
  if (type.type === 'TSUnionType') return type.types.every((each) => isBrand(each, brands));
  const name = referenceName(type);
  return name !== null && brands.has(name);
}

const referenceName = (type: Node): string | null =>
  type.type === 'TSTypeReference' && type.typeName.type === 'Identifier' ? type.typeName.name : null;

/** Returns the brands that a tree declares: aliases of a primitive crossed with a member named by a unique symbol. */
export function brandsOf(modules: readonly Module[]): Set<string> {
  const brands = new Set<string>();
  for (const { program } of modules)
    walk(program, (node) => {
      if (node.type !== 'TSTypeAliasDeclaration' || node.typeAnnotation.type !== 'TSIntersectionType') return;
      if (node.typeAnnotation.types.some(isBrandMark)) brands.add(node.id.name);
    });
  return brands;
}

const isBrandMark = (type: Node): boolean =>
  type.type === 'TSTypeLiteral' &&
  type.members.some((member) => member.type === 'TSPropertySignature' && member.computed);
