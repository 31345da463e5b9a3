// Checks the conventions of a file: its header, its name, its leftovers, and its access to the disk and the
// environment.
import type { Node } from 'oxc-parser';
import { type Fault, fault } from './fault.ts';
import { type Module, faultsOf, isTest, lineOf } from './module.ts';
import { VAGUE_NAMES, VAGUE_WORDS, mayRead } from './layers.ts';
import { bindingsOf, isReference, patternNames } from './scope.ts';
import { walk } from './walk.ts';

const HEADER_LINES_MAX = 8;
const HEADER_WORDS_MIN = 3;

/** Returns the comment at the start of a file: `//` lines or one block before anything else. */
export function headerOf(module: Module): { readonly text: string; readonly lines: number } {
  const afterShebang = /^#![^\n]*\n/.exec(module.text)?.[0].length ?? 0;
  const rest = module.text.slice(afterShebang);
  const found = /^(?:\/\/[^\n]*\n?)+/.exec(rest) ?? /^\/\*[\s\S]*?\*\//.exec(rest);
  const text = found?.[0] ?? '';
  return { text, lines: text.replace(/\n$/, '').split('\n').length };
}

/** Returns every breach of a convention in a file. */
export function checkConventions(module: Module): Fault[] {
  return [...headerFaults(module), ...nameFaults(module.file), ...commentFaults(module), ...nodeFaults(module)];
}

function headerFaults(module: Module): Fault[] {
  const { text, lines } = headerOf(module);
  const at = faultsOf(module);
  if (text === '') return [at(0, 'header', 'opens without a comment')];
  if (lines > HEADER_LINES_MAX) return [at(0, 'header', `opens with ${lines} comment lines`)];
  const words = text.replaceAll(/tidy: \w+|(?:ox|es)lint-\S+/g, '').match(/\p{L}{2,}/gu) ?? [];
  return words.length < HEADER_WORDS_MIN ? [at(0, 'header', 'opens with a comment that says nothing')] : [];
}

function nameFaults(file: string): Fault[] {
  const found: Fault[] = [];
  for (const part of file.split('/')) {
    const stem = part.replace(/(\.((?:property|long)\.test|test|config|d))?\.tsx?$/, '');
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(stem)) found.push(fault({ file, line: 1 }, 'name', `is called ${part}`));
    if (VAGUE_NAMES.has(stem) || stem.split('-').some((word) => VAGUE_WORDS.has(word)))
      found.push(fault({ file, line: 1 }, 'vague-name', `the name ${stem} says nothing`));
  }
  return found;
}

function commentFaults(module: Module): Fault[] {
  const at = faultsOf(module);
  return module.comments.flatMap(({ value, start }) => {
    const marker = /\b(TODO|FIXME|XXX|HACK)\b/.exec(value)?.[1];
    if (marker !== undefined) return [at(start, 'marker', `leaves a ${marker} behind`)];
    const silenced = /@ts-(ignore|nocheck|expect-error)/.exec(value)?.[0];
    if (silenced === undefined || (isTest(module.file) && silenced === '@ts-expect-error')) return [];
    return [at(start, 'suppression', `silences the checker with ${silenced}`)];
  });
}

const BRITISH =
  /^(colou?rise|colour|behaviour|favour|honour|neighbour|cancelled|cancelling|labelled|labelling|modelled|travelled|(normal|serial|initial|organ|optim|summar|util|recogn|real|final|synchron|author|random|custom|min[i]m|maxim)is(e|ed|er|es|ing|ation))$/;

function nodeFaults(module: Module): Fault[] {
  const at = faultsOf(module);
  const isBound = bindingsOf(module.program);
  const found: Fault[] = [];
  walk(module.program, (node, ancestors) => {
    if (node.type === 'ExportDefaultDeclaration' && !mayExportDefault(module.file))
      found.push(at(node.start, 'default-export', 'exports a default'));
    for (const name of declaredNames(node)) {
      const word = wordsOf(name).find((each) => BRITISH.test(each));
      if (word !== undefined) found.push(at(node.start, 'spelling', `${name} is spelled ${word}`));
    }
    if (!mayRead(module.file) && readsEnvironment(node, ancestors) && !isBound('process', ancestors))
      found.push(at(node.start, 'reader', 'reads the environment'));
    if (isTest(module.file)) found.push(...testFaults(module, node));
  });
  if (!mayRead(module.file))
    for (const { specifier, start } of module.imports)
      if (specifier !== null && /^(node:)?fs(\/promises)?$/.test(specifier))
        found.push(at(start, 'reader', `reads files: imports ${specifier}`));
  return found;
}

const mayExportDefault = (file: string): boolean =>
  /^(strategies|test\/certify\/bad)\//.test(file) || file.endsWith('.config.ts');

const wordsOf = (name: string): string[] => name.split(/(?=[A-Z])|_/).map((word) => word.toLowerCase());

function declaredNames(node: Node): string[] {
  switch (node.type) {
    case 'VariableDeclarator':
      return patternNames(node.id);
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return node.id ? [node.id.name] : [];
    case 'TSPropertySignature':
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return node.key.type === 'Identifier' && !node.computed ? [node.key.name] : [];
    default:
      return [];
  }
}

const readsEnvironment = (node: Node, ancestors: readonly Node[]): boolean =>
  node.type === 'MemberExpression' &&
  node.object.type === 'Identifier' &&
  node.object.name === 'process' &&
  isReference(node.object, [...ancestors, node]) &&
  node.property.type === 'Identifier' &&
  node.property.name === 'env';

function testFaults(module: Module, node: Node): Fault[] {
  if (node.type !== 'CallExpression') return [];
  const at = faultsOf(module);
  const { callee } = node;
  const base = callee.type === 'MemberExpression' ? callee.object : callee;
  if (base.type !== 'Identifier' || !['describe', 'it', 'test'].includes(base.name)) return [];
  if (callee.type === 'MemberExpression' && callee.property.type === 'Identifier' && callee.property.name === 'only')
    return [at(node.start, 'only', `${base.name}.only leaves every other test out`)];
  const [title] = node.arguments;
  if (base.name === 'describe' || title?.type !== 'Literal' || typeof title.value !== 'string') return [];
  const isSentence = /\s/.test(title.value) && !/^should\b/i.test(title.value);
  return isSentence
    ? []
    : [at(node.start, 'test-name', `line ${lineOf(module, node.start)} names a test “${title.value}”`)];
}
