// Sources as syntax trees: the comments above members, and string texts. Reads the project's own files; resolves names
// within a file and across relative imports, no further.
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Comment, type Expression, type Node, type Program, parseSync } from 'oxc-parser';
import { ROOT } from '../pages.ts';

/** A parsed source. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
  /** Initial values of the names at the top level of the file. */
  readonly values: ReadonlyMap<string, Expression>;
  /** Origins of imported names. */
  readonly imports: ReadonlyMap<string, { readonly path: string; readonly name: string }>;
}

const parsed = new Map<string, Source>();

/** Parses a source by its path in the project. */
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

/** Finds a value by its name, with the source that contains it; `null` when it is not in the project's own files. */
export function valueNamed(source: Source, name: string): { source: Source; node: Expression } | null {
  const node = source.values.get(name);
  if (node) return { source, node };
  const from = source.imports.get(name);
  return from ? valueNamed(sourceOf(from.path), from.name) : null;
}

/** Finds a type alias by its name. */
export function typeNamed(source: Source, name: string): Node {
  for (const node of source.program.body) {
    const declared = node.type === 'ExportNamedDeclaration' ? node.declaration : node;
    if (declared?.type === 'TSTypeAliasDeclaration' && declared.id.name === name) return declared.typeAnnotation;
  }
  throw new Error(`${source.path} has no type ${name}`);
}

/** Returns the text of the comment right above a node without its stars; empty without a comment. */
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
