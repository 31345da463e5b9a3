// Reads a YAML file through a zod schema. Every fault names the file, the line and column, the member, what was
// expected and what was found; all faults of a file are told at once.
import { readFileSync } from 'node:fs';
import { LineCounter, type Document, isMap, isPair, parseDocument } from 'yaml';
import type { ZodType, z } from 'zod';

/** One thing wrong with a configuration. */
export interface ConfigIssue {
  /** `file:line:column`, or the file alone where no place can be named. */
  readonly where: string;
  /** The member, as a dotted path; empty for the file as a whole. */
  readonly path: string;
  readonly problem: string;
}

/** A configuration that cannot be used: every issue of it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly issues: readonly ConfigIssue[];

  constructor(issues: readonly ConfigIssue[], options?: ErrorOptions) {
    super(issues.map(describeIssue).join('\n'), options);
    this.issues = issues;
  }
}

const describeIssue = ({ where, path, problem }: ConfigIssue): string =>
  path === '' ? `${where}: ${problem}` : `${where} ${path}: ${problem}`;

/**
 * Reads a YAML file.
 * @throws {ConfigError} when the file cannot be read, is not YAML, or does not fit the schema.
 */
export function readYaml<Schema extends ZodType>(file: string, schema: Schema): z.output<Schema> {
  return parseYaml(readText(file), { file, schema });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    const problem = code === 'ENOENT' ? 'no such file' : `cannot be read (${code ?? String(cause)})`;
    throw new ConfigError([{ where: file, path: '', problem }], { cause });
  }
}

/**
 * Parses YAML text; `file` is only named in errors.
 * @throws {ConfigError} as `readYaml`.
 */
export function parseYaml<Schema extends ZodType>(
  text: string,
  { file, schema }: { readonly file: string; readonly schema: Schema },
): z.output<Schema> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  if (document.errors.length > 0) {
    const issues = document.errors.map(({ pos, message }) => ({
      where: place(pos[0]),
      path: '',
      problem: `not YAML: ${message.split('\n')[0]?.replace(/ at line.*$/, '') ?? message}`,
    }));
    throw new ConfigError(issues);
  }
  const parsed = schema.safeParse(document.toJS() ?? {}, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    parsed.error.issues
      .flatMap((issue) => locate(document, issue))
      .map(({ offset, path, problem }) => ({
        where: offset === null ? file : place(offset),
        path,
        problem,
      })),
  );
}

interface Located {
  readonly offset: number | null;
  readonly path: string;
  readonly problem: string;
}

function locate(document: Document, issue: z.core.$ZodIssue): Located[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      offset: offsetOf(document, [...issue.path, key]),
      path: [...issue.path, key].join('.'),
      problem: 'is not a setting; is it misspelled?',
    }));
  const problem = describeProblem(issue);
  return [{ offset: offsetOf(document, issue.path), path: issue.path.join('.'), problem }];
}

function describeProblem(issue: z.core.$ZodIssue): string {
  const isMissing = issue.input === undefined && issue.code === 'invalid_type';
  if (isMissing) return `is missing: expected ${issue.expected}`;
  const said = issue.message.replace(/^Invalid (input|option|string|key): /, '').replace(/, received .*$/, '');
  return issue.input === undefined ? said : `${said}, found ${show(issue.input)}`;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** Where a member's key stands; for a missing one, where the nearest member around it does. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number | null {
  for (let length = path.length; length > 0; length--) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const key = path[length - 1];
    if (isMap(parent)) {
      const pair = parent.items.find((item) => isPair(item) && keyText(item.key) === String(key));
      const range = (pair?.key as { range?: [number, number, number] } | null)?.range;
      if (range) return range[0];
    }
    const node = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined;
    if (node?.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? null;
}

const keyText = (key: unknown): string => String((key as { value?: unknown } | null)?.value ?? key);
