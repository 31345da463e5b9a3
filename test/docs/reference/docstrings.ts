// Reads the comments in a schema's source as a tree of the schema's shape, with comments in place of types. Follows
// only expressions that schemas are written with; other expressions have no members.
import type { Expression, ObjectExpression } from 'oxc-parser';
import { type Source, commentAbove, valueNamed } from './source.ts';

/** Comments on a value, on its members and on each of its forms. */
export interface SchemaDocs {
  readonly text: string;
  readonly members: ReadonlyMap<string, SchemaDocs>;
  readonly forms: readonly SchemaDocs[];
}

/** Comments of a value without any. */
export const NO_DOCS: SchemaDocs = { text: '', members: new Map(), forms: [] };

/** Reads the comments of a schema by its name in a source. */
export function docsOf(source: Source, name: string): SchemaDocs {
  const found = valueNamed(source, name);
  return found ? docsOfNode(found.source, found.node) : NO_DOCS;
}

function docsOfNode(source: Source, node: Expression): SchemaDocs {
  if (node.type === 'Identifier') return docsOf(source, node.name);
  if (node.type === 'ObjectExpression') return { ...NO_DOCS, members: membersOf(source, node) };
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return NO_DOCS;
  const { object, property } = node.callee;
  const method = property.type === 'Identifier' ? property.name : '';
  const given = node.arguments.flatMap((each) => (each.type === 'SpreadElement' ? [] : [each]));
  if (object.type === 'Identifier' && object.name === 'z') return docsOfCall(source, method, given);
  const docs = docsOfNode(source, object);
  const [added] = given;
  if (method !== 'extend' || added === undefined) return docs;
  return { ...docs, members: new Map([...docs.members, ...docsOfNode(source, added).members]) };
}

/** Reads the comments in the arguments of `z.object`, `z.array`, `z.union` and similar calls. */
function docsOfCall(source: Source, method: string, given: readonly Expression[]): SchemaDocs {
  const [first] = given;
  const last = given.at(method === 'discriminatedUnion' ? 1 : -1);
  if (method.endsWith('bject') && first) return docsOfNode(source, first);
  if (method === 'array' && first) return docsOfNode(source, first);
  if (method === 'record' && last) return docsOfNode(source, last);
  const forms = method === 'union' ? first : last;
  if (!method.toLowerCase().endsWith('union') || forms?.type !== 'ArrayExpression') return NO_DOCS;
  const nodes = forms.elements.flatMap((each) => (each === null || each.type === 'SpreadElement' ? [] : [each]));
  return {
    ...NO_DOCS,
    forms: nodes.map((each) => ({ ...docsOfNode(source, each), text: commentAbove(source, each) })),
  };
}

const membersOf = (source: Source, { properties }: ObjectExpression): Map<string, SchemaDocs> =>
  new Map(
    properties.flatMap((property): (readonly [string, SchemaDocs])[] => {
      if (property.type === 'SpreadElement') return [...docsOfNode(source, property.argument).members];
      if (property.key.type !== 'Identifier') return [];
      const docs = docsOfNode(source, property.value);
      return [[property.key.name, { ...docs, text: commentAbove(source, property) || docs.text }]];
    }),
  );
