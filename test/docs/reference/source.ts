// Sources as syntax, for what only they hold: the comments above members, and the words between them.
// Reads the project's own files; resolves names within a file and across relative imports, no further.
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Comment, type Expression, type Node, type Program, parseSync } from 'oxc-parser';
import { ROOT } from '../pages.ts';

/** A source, parsed. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
  /** What a name at the top of the file is given. */
  readonly values: ReadonlyMap<string, Expression>;
  /** Where an imported name comes from. */
  readonly imports: ReadonlyMap<string, { readonly path: string; readonly name: string }>;
}

const parsed = new Map<string, Source>();

/** A source by its path in the project. */
export function sourceOf(path: string): Source {
  const known = parsed.get(path);
  if (known) return known;
  const text = readFileSync(join(ROOT, path), 'utf8');
  const { program, comments, errors } = parseSync(path, text);
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`);
  const source = { path, text, program, comments, values: valuesOf(program), imports: importsOf(program, path) };
  parsed.set(path, source);
  return source;
}

function valuesOf({ body }: Program): Map<string, Expression> {
  const declarations = body.map((node) => (node.type === 'ExportNamedDeclaration' ? node.declaration : node));
  return new Map(
    declarations.flatMap((node) =>
      node?.type === 'VariableDeclaration'
        ? node.declarations.flatMap(({ id, init }) =>
            id.type === 'Identifier' && init ? [[id.name, init] as const] : [],
          )
        : [],
    ),
  );
}

const importsOf = ({ body }: Program, path: string): Map<string, { path: string; name: string }> =>
  new Map(
    body.flatMap((node) => {
      if (node.type !== 'ImportDeclaration' || !node.source.value.startsWith('.')) return [];
      const from = posix.join(posix.dirname(path), node.source.value);
      return node.specifiers.flatMap(({ local, ...specifier }) => {
        if (specifier.type !== 'ImportSpecifier' || specifier.imported.type !== 'Identifier') return [];
        return [[local.name, { path: from, name: specifier.imported.name }] as const];
      });
    }),
  );

/** A value by its name, and the source that it stands in; `null` where the project's own files do not say. */
export function valueNamed(source: Source, name: string): { source: Source; node: Expression } | null {
  const node = source.values.get(name);
  if (node) return { source, node };
  const from = source.imports.get(name);
  return from ? valueNamed(sourceOf(from.path), from.name) : null;
}

/** A type alias by its name. */
export function typeNamed(source: Source, name: string): Node {
  for (const node of source.program.body) {
    const declared = node.type === 'ExportNamedDeclaration' ? node.declaration : node;
    if (declared?.type === 'TSTypeAliasDeclaration' && declared.id.name === name) return declared.typeAnnotation;
  }
  throw new Error(`${source.path} has no type ${name}`);
}

/** The text of the comment right above a node, its stars taken away; empty where there is none. */
export function commentAbove({ text, comments }: Source, { start }: { readonly start: number }): string {
  const above = comments.findLast(({ end }) => end <= start);
  if (!above?.value.startsWith('*') || !/^[\s|]*$/.test(text.slice(above.end, start))) return '';
  return above.value
    .slice(1)
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('@'))
    .join(' ');
}
