// Definitions in the sources and where each name in a body leads, by the language service of TypeScript: what an editor
// does on "go to definition". Reads sources alone; must never run them.
import { join, relative } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../pages.ts';

/** A definition: where its name stands, and the node with its body. */
export interface Definition {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly name: string;
  /** Name of the class or interface that it is a member of; `null` for anything else. */
  readonly owner: string | null;
  readonly nameNode: ts.Node;
  readonly node: ts.Node;
}

/** A use of a name in a value position, and the line of it, counted from 1. */
interface NameUse {
  readonly line: number;
  readonly node: ts.Node;
}

/** Folders whose sources the pages may name. */
const FOLDERS = ['src', 'backtest', 'strategies', 'test/support/tidy'];

/** The sources of the project, with the definitions in them. */
export class SourceGraph {
  readonly #service: ts.LanguageService;
  readonly #definitions = new Map<string, readonly Definition[]>();

  constructor() {
    const configPath = join(ROOT, 'tsconfig.json');
    const { sys } = ts;
    const { config } = ts.readConfigFile(configPath, (path) => sys.readFile(path));
    const { fileNames, options } = ts.parseJsonConfigFileContent({ ...config, include: FOLDERS }, sys, ROOT);
    this.#service = ts.createLanguageService({
      getScriptFileNames: () => fileNames,
      getScriptVersion: () => '1',
      getScriptSnapshot: (path) => {
        const text = sys.readFile(path);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => ROOT,
      getCompilationSettings: () => options,
      getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
      fileExists: (path) => sys.fileExists(path),
      readFile: (path) => sys.readFile(path),
      directoryExists: (path) => sys.directoryExists(path),
      getDirectories: (path) => sys.getDirectories(path),
    });
  }

  /** Every definition of a symbol in a file, nearest to `line` first. A symbol is `name`, `Class.member` or `Class.#member`. */
  definitionsOf(file: string, symbol: string, line = 1): Definition[] {
    const dot = symbol.lastIndexOf('.');
    const [owner, name] = dot < 0 ? [null, symbol] : [symbol.slice(0, dot), symbol.slice(dot + 1)];
    return this.#definitionsIn(file)
      .filter((each) => each.name === name && (owner === null || each.owner === owner))
      .toSorted((one, other) => Math.abs(one.line - line) - Math.abs(other.line - line));
  }

  /** True when some name in the body of a definition leads to another one, directly. */
  leadsTo(from: Definition, to: Definition): boolean {
    return usesIn(from.node, to.name).some(({ node }) => this.#isDefinedAt(node, to));
  }

  /** True when a body uses a name. */
  usesName(from: Definition, name: string): boolean {
    return usesIn(from.node, name).length > 0;
  }

  /** The lines of a file on which a definition, or its class with `new`, is passed or assigned. */
  assignmentsOf(file: string, to: Definition): number[] {
    const source = this.#sourceOf(file);
    if (source === undefined) return [];
    const uses = usesIn(source, to.name).filter(({ node }) => isPassedOn(node) && this.#isDefinedAt(node, to));
    const owners =
      to.owner === null ? [] : usesIn(source, to.owner).filter(({ node }) => ts.isNewExpression(node.parent));
    return [...uses, ...owners].map(({ line }) => line);
  }

  #isDefinedAt(use: ts.Node, to: Definition): boolean {
    const found = this.#service.getDefinitionAtPosition(use.getSourceFile().fileName, use.getStart()) ?? [];
    const start = to.nameNode.getStart();
    return found.some(({ fileName, textSpan }) => pathOf(fileName) === to.file && textSpan.start === start);
  }

  #sourceOf(file: string): ts.SourceFile | undefined {
    return this.#service.getProgram()?.getSourceFile(join(ROOT, file));
  }

  #definitionsIn(file: string): readonly Definition[] {
    const known = this.#definitions.get(file);
    if (known !== undefined) return known;
    const source = this.#sourceOf(file);
    const found: Definition[] = [];
    if (source !== undefined) collectDefinitions(source, file, found);
    this.#definitions.set(file, found);
    return found;
  }
}

const pathOf = (fileName: string): string => relative(ROOT, fileName).replaceAll('\\', '/');

const lineOf = (node: ts.Node): number => {
  const source = node.getSourceFile();
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
};

function collectDefinitions(node: ts.Node, file: string, found: Definition[]): void {
  const nameNode = nameOf(node);
  if (nameNode !== null) {
    const { parent } = node;
    const owner = ts.isClassLike(parent) || ts.isInterfaceDeclaration(parent) ? (parent.name?.text ?? null) : null;
    found.push({ file, line: lineOf(nameNode), name: nameNode.getText(), owner, nameNode, node });
  }
  node.forEachChild((child) => collectDefinitions(child, file, found));
}

/** The name that a node defines; `null` when it defines none. */
function nameOf(node: ts.Node): ts.Node | null {
  if (
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node)
  )
    return node.name ?? null;
  if (ts.isClassElement(node) || ts.isTypeElement(node)) return node.name ?? null;
  if (ts.isVariableDeclaration(node)) return ts.isIdentifier(node.name) ? node.name : null;
  return ts.isPropertyAssignment(node) || ts.isMethodDeclaration(node) ? node.name : null;
}

/** The uses of a name below a node. */
function usesIn(node: ts.Node, name: string): NameUse[] {
  const found: NameUse[] = [];
  const visit = (each: ts.Node): void => {
    if ((ts.isIdentifier(each) || ts.isPrivateIdentifier(each)) && each.text === name)
      found.push({ line: lineOf(each), node: each });
    each.forEachChild(visit);
  };
  node.forEachChild(visit);
  return found;
}

/** True when a value is an argument, the right side of an assignment, or the value of a member: `f(x)`, `y = x`, `y: x`. */
function isPassedOn(node: ts.Node): boolean {
  let value = node;
  while (ts.isPropertyAccessExpression(value.parent) && value.parent.name === value) value = value.parent;
  const { parent } = value;
  if (ts.isCallExpression(parent)) return parent.arguments.some((each) => each === value) || isPassedOn(parent);
  if (ts.isNewExpression(parent)) return parent.arguments?.some((each) => each === value) ?? false;
  if (ts.isBinaryExpression(parent)) return parent.right === value;
  if (ts.isArrowFunction(parent)) return parent.body === value && isPassedOn(parent);
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  return (ts.isPropertyAssignment(parent) || ts.isVariableDeclaration(parent)) && parent.initializer === value;
}
