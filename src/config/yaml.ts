// Reads a YAML file through a zod schema. Every fault names file, line and column, the expected and the found value.
// Must never echo a private key, even in a wrong place.
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import {
  type Document,
  LineCounter,
  type ParsedNode,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  visit,
} from 'yaml';
import type { z } from 'zod';
import { ConfigError, type ConfigFault } from '../base/config-error.ts';
import { foreignKindOf } from '../base/foreign-file.ts';
import { ConfigValueFault } from '../base/config-value-fault.ts';
import { LISTED_MAX, didYouMean, nameHint } from '../base/near-name.ts';
import { memberNamesAt } from './known-names.ts';
import { choicesOf, expectationOf } from './expectations.ts';
import { SECRET_EXPECTED } from './secret-field.ts';

/**
 * Reads a file through a schema.
 * @throws {ConfigError} when the file cannot be read, is not YAML, or does not fit the schema.
 */
export function readYaml<Schema extends z.ZodType>(file: string, schema: Schema): z.output<Schema> {
  return parseYaml(readText(file), { file, schema });
}

/** Returns one text of a file at its top level, whatever is wrong elsewhere, even its YAML; `null` when it has none. */
export function textMemberIn(file: string, member: string): string | null {
  try {
    const value: unknown = parseDocument(readText(file), { prettyErrors: false, logLevel: 'silent' }).get(member);
    return typeof value === 'string' && value !== '' ? value : null;
  } catch {
    return null;
  }
}

function readText(file: string): string {
  const found = foreignKindAt(file);
  if (found !== null) throw new ConfigError(file, [{ line: 1, column: 1, field: '', expected: 'YAML', found }]);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'an error';
    const fault = { line: 1, column: 1, field: '', expected: 'a readable file', found: code };
    throw new ConfigError(file, [fault], { cause: error });
  }
}

/** Bytes of a file that show its kind. */
const START_BYTES = 4096;

/** Returns what a file is that cannot be a config. Returns `null` for other text, and for a place that cannot be read. */
export function foreignKindAt(file: string): string | null {
  try {
    return statSync(file).isFile() ? foreignKindOf(firstBytes(file)) : null;
  } catch {
    return null;
  }
}

function firstBytes(file: string): Buffer {
  const start = Buffer.alloc(START_BYTES);
  const fd = openSync(file, 'r');
  try {
    return start.subarray(0, readSync(fd, start));
  } finally {
    closeSync(fd);
  }
}

/**
 * Reads a text through a schema. `file` is only for messages.
 * @throws {ConfigError} when the text is not YAML, or does not fit the schema.
 */
export function parseYaml<Schema extends z.ZodType>(
  text: string,
  { file, schema }: { readonly file: string; readonly schema: Schema },
): z.output<Schema> {
  refusePrivateKey(text, file);
  const lines = new LineCounter();
  // Warnings would overwrite the screen.
  const options = { prettyErrors: false, uniqueKeys: true, logLevel: 'error' } as const;
  const document = parseDocument(text, { ...options, lineCounter: lines });
  if (document.errors.length > 0)
    throw new ConfigError(
      file,
      // Most of the faults after the first ones are their consequences.
      document.errors.slice(0, SYNTAX_FAULTS_MAX).map((error) => syntaxFault(error, lines)),
    );
  const place: Place = { root: document.contents, lines, document };
  refuseUnknownTags(document, file, lines);
  refusePrototype(document, file, lines);
  const value = valueOf(document, file, place);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const known = (path: readonly PropertyKey[]): string[] => memberNamesAt(schema, { path, value });
  throw new ConfigError(
    file,
    parsed.error.issues.flatMap((issue) => faultsOf(issue, { ...place, known })),
  );
}

const SYNTAX_FAULTS_MAX = 3;

/** Makes an error with lines from faults found after the file was read, such as in a strategy's parameters. */
export function configErrorOf(file: string, issues: readonly Issue[]): ConfigError {
  const lines = new LineCounter();
  const document = parseDocument(readText(file), { lineCounter: lines, logLevel: 'error' });
  const place: Place = { root: document.contents, lines, document };
  return new ConfigError(
    file,
    issues.flatMap((issue) => faultsOf(issue, place)),
  );
}

/**
 * Does work with the values of a config.
 * @throws {ConfigError} with the line of a value that cannot be used.
 */
export async function withConfigLines<Result>(file: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (fault) {
    throw faultWithLines(file, fault);
  }
}

/** Returns the error with the line of a value that cannot be used. Returns any other fault as it is. */
export function faultWithLines(file: string, fault: unknown): unknown {
  if (!(fault instanceof ConfigValueFault)) return fault;
  const { place, expected: message, value: input } = fault;
  return configErrorOf(file, [{ code: 'custom', path: place.split('.'), message, input }]);
}

/** Refuses a private key anywhere in the text, even in a comment. */
function refusePrivateKey(text: string, file: string): void {
  const at = text.search(/-----BEGIN [A-Z ]*PRIVATE KEY/i);
  if (at < 0) return;
  const before = text.slice(0, at).split('\n');
  const place = { line: before.length, column: (before.at(-1) ?? '').length + 1 };
  const expected = 'the path of the file that holds a private key, never the key itself';
  throw new ConfigError(file, [{ ...place, field: '', expected, found: HIDDEN_KEY }]);
}

/** Refuses a tag such as `!env`, which other programs replace by a value: here its text itself would be the value. */
function refuseUnknownTags({ warnings }: Document.Parsed, file: string, lines: LineCounter): void {
  const faults = warnings
    .filter(({ code }) => code === 'TAG_RESOLVE_FAILED')
    .map(({ pos, message }): ConfigFault => {
      const { line, col: column } = lines.linePos(pos[0]);
      const found = /!\S*/.exec(message)?.[0] ?? 'a tag';
      return { line, column, field: '', expected: 'a value without a tag', found: hideSecrets(found) };
    });
  if (faults.length > 0) throw new ConfigError(file, faults);
}

/** Refuses a member named `__proto__` at any place: schemas would drop it silently. */
function refusePrototype(document: Document, file: string, lines: LineCounter): void {
  const faults: ConfigFault[] = [];
  visit(document, {
    Pair: (_, { key }, ancestors) => {
      if (!isScalar(key) || key.value !== PROTOTYPE) return;
      const { line, col: column } = lines.linePos(key.range?.[0] ?? 0);
      const field = fieldName(pathOf(ancestors));
      faults.push({ line, column, field, expected: `no member named ${PROTOTYPE}`, found: JSON.stringify(PROTOTYPE) });
    },
  });
  if (faults.length > 0) throw new ConfigError(file, faults);
}

const PROTOTYPE = '__proto__';

/** The path of a node, from its ancestors, outermost first. */
function pathOf(ancestors: readonly unknown[]): readonly PropertyKey[] {
  return ancestors.flatMap((node, depth): PropertyKey[] => {
    if (isSeq(node)) return [node.items.indexOf(ancestors[depth + 1])];
    return isPair(node) && isScalar(node.key) ? [String(node.key.value)] : [];
  });
}

/** Throws for aliases that are broken or expand to too much: parsing does not detect them. */
function valueOf(document: Document, file: string, { lines }: Place): unknown {
  try {
    return document.toJS();
  } catch (error) {
    let at = 0;
    visit(document, {
      Alias: (_, alias) => {
        if (alias.resolve(document)) return undefined;
        at = alias.range?.[0] ?? 0;
        return visit.BREAK;
      },
    });
    const message = error instanceof Error ? error.message : String(error);
    throw new ConfigError(file, [syntaxFault({ message, pos: [at, at] }, lines)], { cause: error });
  }
}

interface Place {
  readonly root: ParsedNode | null;
  /** Resolves aliases. */
  readonly document: Document;
  readonly lines: LineCounter;
  /** Names that a mapping may have. Absent where the schema is not known. */
  readonly known?: (path: readonly PropertyKey[]) => readonly string[];
}

function syntaxFault(error: YamlFault, lines: LineCounter): ConfigFault {
  const { line, col } = lines.linePos(error.pos[0]);
  if (error.code === 'MULTIPLE_DOCS')
    return { line, column: col, field: '', expected: 'one document', found: 'another one' };
  return { line, column: col, field: '', expected: 'YAML', found: hideSecrets(firstLine(error.message), MESSAGE_MAX) };
}

interface YamlFault {
  readonly message: string;
  readonly pos: [number, number];
  readonly code?: string;
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

type Issue = z.core.$ZodIssue;

function faultsOf(issue: Issue, place: Place): ConfigFault[] {
  if (issue.code === 'unrecognized_keys') {
    const known = place.known?.(issue.path) ?? [];
    return issue.keys.map((key) => ({
      ...positionOf([...issue.path, key], place),
      field: fieldName(issue.path),
      expected: 'only known fields',
      found: JSON.stringify(hideSecrets(key)) + nameHint(key, known),
    }));
  }
  const meant = nearestForm(issue, place);
  if (meant !== null) return meant.flatMap((each) => faultsOf(each, place));
  const found = nodeAt(issue.path, place);
  const field = fieldName(issue.path);
  const names = place.known?.(issue.path) ?? [];
  const expected = expectationOf(issue) + membersHint(issue, names);
  const isHidden = expected.startsWith(SECRET_EXPECTED) && isScalar(found);
  const shown = isHidden
    ? HIDDEN_VALUE
    : (inputWithin(issue, found) ?? foundAt(found) + valueHint(issue, found, names));
  return [{ ...positionOf(issue.path, place), field, expected, found: shown }];
}

/**
 * Says in the words of a later check what it found in a mapping or a list: the names of the members would not say it.
 * Returns `null` where the schema found the fault: its issues have no input.
 */
function inputWithin({ input }: Issue, node: unknown): string | null {
  if (!isMap(node) && !isSeq(node)) return null;
  return typeof input === 'string' || typeof input === 'number' ? hideSecrets(String(input), MESSAGE_MAX) : null;
}

/**
 * Returns the faults against the nearest member of a union. Returns `null` when the value is of no member's kind, or has the names of
 * none: then the whole union is the expectation.
 */
function nearestForm(issue: Issue, place: Place): Issue[] | null {
  if (issue.code !== 'invalid_union') return null;
  const forms = formsOfKind(issue);
  const [nearest] = forms.toSorted((a, b) => unknownIn(a).length - unknownIn(b).length || a.length - b.length);
  if (nearest === undefined) return null;
  const within = nearest.map((each) => ({ ...each, path: [...issue.path, ...each.path] }));
  return forms.length > 1 && isMisnamed(issue.path, { within, place }) ? null : within;
}

/** Returns the faults against each member of a union, without members of another kind than the value. */
const formsOfKind = ({ errors }: z.core.$ZodIssueInvalidUnion): Issue[][] =>
  errors.filter((form) => !form.some(isOfOtherKind));

const isOfOtherKind = (issue: Issue): boolean =>
  issue.path.length === 0 &&
  (WHOLE.has(issue.code) || (issue.code === 'invalid_union' && formsOfKind(issue).length === 0));

/** Codes of faults of a whole value: the union's member is of another kind. */
const WHOLE: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value', 'custom']);

/** Returns the names at a depth of the value which are unknown to a member of a union. */
const unknownIn = (form: readonly Issue[], depth = 0): string[] =>
  form.flatMap((issue) => (issue.code === 'unrecognized_keys' && issue.path.length === depth ? issue.keys : []));

interface NearestForm {
  /** Holds the faults against the member. */
  readonly within: readonly Issue[];
  readonly place: Place;
}

/** True when a mapping names no member of a union, misspells the name, or names two. */
function isMisnamed(path: readonly PropertyKey[], { within, place }: NearestForm): boolean {
  const isMissing = within.some(
    (each) => each.path.length > path.length && isAbsent(each.path, path.length + 1, place),
  );
  const node = nodeAt(path, place);
  if (isMap(node) && node.items.length === 0) return isMissing;
  const unknown = unknownIn(within, path.length);
  const known = place.known?.(path) ?? [];
  return unknown.length > 0 && (isMissing || unknown.some((name) => known.includes(name)));
}

const isAbsent = (path: readonly PropertyKey[], depth: number, place: Place): boolean =>
  nodeAt(path.slice(0, depth), place) === undefined;

/** Lists the fields of an expected mapping, if they are few. */
const membersHint = (issue: Issue, names: readonly string[]): string =>
  issue.code === 'invalid_type' && issue.expected === 'object' && names.length <= LISTED_MAX && names.length > 0
    ? ` (${names.join(', ')})`
    : '';

/** Suggests the known value, or the known name, nearest to a wrong one. */
function valueHint(issue: Issue, node: unknown, names: readonly string[]): string {
  if (isMap(node) && issue.code === 'invalid_union') {
    const keys = node.items.flatMap(({ key }) => (isScalar(key) ? [String(key.value)] : []));
    return (
      keys.flatMap((key) => (names.includes(key) ? [] : [didYouMean(key, names)])).find((hint) => hint !== '') ?? ''
    );
  }
  if (!isScalar(node) || typeof node.value !== 'string') return '';
  return didYouMean(node.value, choicesOf(issue).map(String));
}

function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}

/** Returns the node at a path. An alias counts as what it stands for. */
function nodeAt(path: readonly PropertyKey[], { root, document }: Pick<Place, 'root' | 'document'>): unknown {
  const resolved = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);
  let node = resolved(root);
  for (const key of path) {
    if (isMap(node)) node = resolved(node.get(key, true));
    else if (isSeq(node)) node = resolved(node.get(key, true));
    else return undefined;
  }
  return node;
}

/** For a missing field, the position is that of its nearest parent. */
function positionOf(path: readonly PropertyKey[], place: Place): { line: number; column: number } {
  for (let length = path.length; length >= 0; length--) {
    const offset = offsetAt(path.slice(0, length), place);
    if (offset === null) continue;
    const { line, col } = place.lines.linePos(offset);
    return { line, column: col };
  }
  return { line: 1, column: 1 };
}

/** Returns the offset of a field's key, where a person looks first. Without a key, the field itself counts. */
function offsetAt(path: readonly PropertyKey[], place: Place): number | null {
  const parent = nodeAt(path.slice(0, -1), place);
  const key = path.at(-1);
  if (isMap(parent) && key !== undefined) {
    const pair = parent.items.find((item) => isScalar(item.key) && item.key.value === key);
    return pair !== undefined && isNode(pair.key) ? (pair.key.range?.[0] ?? null) : null;
  }
  const node = nodeAt(path, place);
  return isNode(node) ? (node.range?.[0] ?? null) : null;
}

const SHOWN_MAX = 60;
const MESSAGE_MAX = 120;

function foundAt(node: unknown): string {
  if (node === undefined || node === null) return 'nothing';
  if (isMap(node)) return mappingText(node.items.map(({ key }) => (isScalar(key) ? String(key.value) : '?')));
  if (isSeq(node)) return `a list of ${node.items.length}`;
  if (!isScalar(node)) return 'something else';
  if (node.value === null) return 'nothing';
  return typeof node.value === 'string' ? JSON.stringify(hideSecrets(node.value)) : (node.source ?? 'something else');
}

const mappingText = (keys: readonly string[]): string =>
  keys.length === 0 ? 'an empty mapping' : `a mapping of ${hideSecrets(keys.join(', '))}`;

const HIDDEN_KEY = '(a private key, not shown)';
const HIDDEN_VALUE = '(a value that may be a secret, not shown)';

/** User info before the host of an address: a name, perhaps with a password. */
const USER_INFO = /(\/\/)[^/?#]*@/g;

function hideSecrets(whole: string, shownMax = SHOWN_MAX): string {
  const text = whole.replace(USER_INFO, '$1(not shown)@');
  if (/PRIVATE KEY/i.test(text)) return HIDDEN_KEY;
  // The body of a key looks like this. Hardly anything else in a config does.
  if (/[A-Za-z0-9+/=]{48,}/.test(text)) return `(${text.length} characters that may be a key, not shown)`;
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}
