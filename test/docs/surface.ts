// The public surface as its sources declare it: every symbol that `src/index.ts` and `src/testing/testing-entry.ts` export, with
// its comments. Must never miss a re-export: names are resolved by the compiler, not by text.
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './pages.ts';

/** Sources of the two entries of the package. */
const ENTRIES = ['src/index.ts', 'src/testing/testing-entry.ts'].map((path) => join(ROOT, path));

/** One declaration of an exported symbol. An overloaded function has several. */
export interface Declared {
  readonly name: string;
  /** File and line, for messages. */
  readonly place: string;
  readonly node: ts.Declaration;
}

/** A comment taken apart: its text, and the text of each tag. */
export interface Doc {
  readonly text: string;
  readonly tags: readonly { readonly name: string; readonly text: string }[];
}

/** All declarations of the surface that are written in this repository, entry by entry. */
export function declaredSurface(): Declared[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    noLib: true,
    types: [],
  };
  const program = ts.createProgram(ENTRIES, options);
  const checker = program.getTypeChecker();
  const symbols = new Set<ts.Symbol>();
  for (const entry of ENTRIES) {
    const file = program.getSourceFile(entry);
    const module = file && checker.getSymbolAtLocation(file);
    for (const symbol of module ? checker.getExportsOfModule(module) : [])
      symbols.add(symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
  }
  return [...symbols].flatMap((symbol) =>
    (symbol.declarations ?? [])
      .filter((node) => !node.getSourceFile().fileName.includes('node_modules'))
      .map((node) => ({ name: symbol.name, place: placeOf(node), node })),
  );
}

/** File and line of a declaration. */
export function placeOf(node: ts.Node): string {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
  return `${file.fileName.slice(ROOT.length).replace(/^\//, '')}:${line + 1}`;
}

/** The comment of a declaration or member; `null` where it has none. */
export function docOf(node: ts.Node): Doc | null {
  const owner = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  const comment = ts.getJSDocCommentsAndTags(owner).findLast(ts.isJSDoc);
  if (comment === undefined) return null;
  const lines = commentLines(comment.getText());
  const tags: { name: string; text: string }[] = [];
  const text: string[] = [];
  for (const line of lines) {
    const [, name, rest = ''] = /^@(\w+) ?(.*)$/.exec(line) ?? [];
    const last = tags.at(-1);
    if (name !== undefined) tags.push({ name, text: rest });
    else if (last) last.text += `\n${line}`;
    else text.push(line);
  }
  return { text: text.join('\n').trim(), tags: tags.map((tag) => ({ name: tag.name, text: tag.text.trim() })) };
}

/** The lines of a comment without its stars. */
const commentLines = (comment: string): string[] =>
  comment
    .replace(/^\/\*\*/, '')
    .replace(/\*\/$/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd());
