// The venue's published specifications: OpenAPI for its requests, AsyncAPI for its feed. Must never guess: an endpoint,
// a status, a body or a message that the file does not describe is reported.
import { isRecord, parseBody } from '../wire/json-record.ts';
import { describeValue } from '../wire/wire-fault.ts';
import { compareWithSchema } from './schema-comparison.ts';
import { type DriftFinding, WHOLE_VALUE, undescribedFinding } from './drift-finding.ts';
import { SchemaReader, listOf } from './schema-reader.ts';

/** Thrown when a file is not a specification of the expected kind. */
export class SpecificationFault extends Error {
  override readonly name = 'SpecificationFault';
}

/** An answer as received. */
export interface SeenAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Text of the answer; `null` when it had none. */
  readonly body: string | null;
}

interface Operation {
  readonly template: string;
  readonly matches: RegExp;
  /** Number of literal parts: of two matching templates, the one with more literals applies. */
  readonly literals: number;
  readonly responses: Readonly<Record<string, unknown>>;
}

/** The requests that a venue describes. */
export class PublishedApi {
  readonly #reader: SchemaReader;
  readonly #basePath: string;
  readonly #operations = new Map<string, Operation[]>();

  /**
   * @param basePath prefix of request paths that the paths in the file lack.
   * @throws {SpecificationFault} when the document is not OpenAPI version 3 with paths.
   */
  constructor(document: unknown, basePath: string) {
    if (!isRecord(document) || !isRecord(document['paths']) || !String(document['openapi']).startsWith('3.'))
      throw new SpecificationFault('expected an OpenAPI file of version 3 with paths');
    this.#reader = new SchemaReader(document);
    this.#basePath = basePath;
    for (const [template, item] of Object.entries(document['paths']))
      this.#addOperations(template, this.#reader.resolveReference(item));
  }

  #addOperations(template: string, item: unknown): void {
    if (!isRecord(item)) return;
    const parts = template.split('/');
    const matches = new RegExp(`^${parts.map(partPattern).join('/')}$`);
    const literals = parts.filter((part) => !part.startsWith('{')).length;
    for (const method of ['get', 'post', 'put', 'delete']) {
      const operation = item[method];
      const responses = isRecord(operation) ? operation['responses'] : undefined;
      if (!isRecord(responses)) continue;
      const known = this.#operations.get(method) ?? [];
      known.push({ template, matches, literals, responses });
      this.#operations.set(method, known);
    }
  }

  /** Method and path template of an answer, for findings. */
  endpointNameOf({ method, path }: Pick<SeenAnswer, 'method' | 'path'>): string {
    return `${method} ${this.#operationOf(method, path)?.template ?? bare(path)}`;
  }

  compareAnswer({ method, path, status, body }: SeenAnswer): DriftFinding[] {
    const operation = this.#operationOf(method, path);
    if (operation === undefined) return [undescribedFinding('endpoint', 'no such endpoint')];
    const { responses } = operation;
    const response = this.#reader.resolveReference(responses[status] ?? responses['default']);
    if (!isRecord(response))
      return [undescribedFinding(`status ${status}`, `one of ${Object.keys(responses).join(', ')}`)];
    const schema = jsonSchemaOf(response);
    if (schema === undefined) return isEmpty(body) ? [] : [undescribedFinding('body', 'an answer without a body')];
    return compareText(this.#reader, schema, body ?? '');
  }

  #operationOf(method: string, path: string): Operation | undefined {
    const below = bare(path);
    const relative = below.startsWith(this.#basePath) ? below.slice(this.#basePath.length) : below;
    const found = this.#operations.get(method.toLowerCase())?.filter(({ matches }) => matches.test(relative)) ?? [];
    return found.sort((a, b) => b.literals - a.literals)[0];
  }
}

/** The feed messages that a venue describes. */
export class PublishedFeed {
  readonly #reader: SchemaReader;
  readonly #messages = new Map<string, unknown[]>();

  /** @throws {SpecificationFault} when the document is not AsyncAPI version 3 with messages. */
  constructor(document: unknown) {
    const components = isRecord(document) ? document['components'] : undefined;
    const messages = isRecord(components) ? components['messages'] : undefined;
    if (!isRecord(document) || !isRecord(messages) || !String(document['asyncapi']).startsWith('3.'))
      throw new SpecificationFault('expected an AsyncAPI file of version 3 with messages');
    this.#reader = new SchemaReader(document);
    for (const message of Object.values(messages)) this.#addMessage(this.#reader.resolveReference(message));
  }

  #addMessage(message: unknown): void {
    if (!isRecord(message)) return;
    const { payload } = message;
    const type = this.#reader.readSchema(payload).properties.get('type');
    // Only messages of the venue have a type.
    for (const value of type === undefined ? [] : listOf(this.#reader.readSchema(type).values)) {
      const known = this.#messages.get(String(value)) ?? [];
      this.#messages.set(String(value), [...known, payload]);
    }
  }

  compareMessage(message: unknown): DriftFinding[] {
    const type = isRecord(message) ? message['type'] : undefined;
    const payloads = this.#messages.get(String(type));
    if (payloads === undefined) return [undescribedFinding(`type ${describeValue(type)}`, 'no such message')];
    const found = payloads.map((payload) => compareWithSchema(this.#reader, payload, message));
    return found.sort((a, b) => a.length - b.length)[0] ?? [];
  }
}

function compareText(reader: SchemaReader, schema: unknown, body: string): DriftFinding[] {
  const json = parseBody(body);
  if (json !== undefined) return compareWithSchema(reader, schema, json);
  return [{ kind: 'wrong-type', path: WHOLE_VALUE, expected: 'JSON', found: describeValue(body) }];
}

function jsonSchemaOf(response: Readonly<Record<string, unknown>>): unknown {
  const { content } = response;
  const json = isRecord(content) ? content['application/json'] : undefined;
  return isRecord(json) ? json['schema'] : undefined;
}

const isEmpty = (body: string | null): boolean => body === null || body.trim() === '' || body.trim() === '{}';
const bare = (path: string): string => path.split('?')[0] ?? '';
const partPattern = (part: string): string =>
  part.startsWith('{') ? '[^/]+' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
