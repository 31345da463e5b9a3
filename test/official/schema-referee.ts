// Checks answers and messages of the local exchange against the venue's published schemas. ajv finds violations; the
// reader of schema drift finds members that the schemas do not have. Findings are counted by their place in the schema.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { parse } from 'yaml';
import { must } from '../../src/base/assert.ts';
import { PublishedApi, PublishedFeed } from '../../src/venues/trade-api/drift/published-schemas.ts';
import { kalshiProfile } from '../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { isRecord } from '../../src/venues/trade-api/wire/json-record.ts';
import type { ReceivedAnswer } from './official-client.ts';

/** Folder of the published files. It lies beside the repository. */
export const SPECS = fileURLToPath(new URL('../../../shared/data/kalshi-specs/', import.meta.url));

/** Reads a published file. */
export const specOf = (name: string): unknown =>
  parse(gunzipSync(readFileSync(`${SPECS}${name}.yaml.gz`)).toString('utf8'));

const PATHS = 'paths';
const METHODS = ['get', 'post', 'put', 'delete'] as const;

/** Converts OpenAPI 3.0's `nullable` to a type of JSON Schema. */
function plain(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(plain);
  if (!isRecord(node)) return node;
  const { nullable, ...rest } = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, plain(value)]));
  if (nullable !== true) return rest;
  const { type, enum: values } = rest;
  if (typeof type !== 'string') return { anyOf: [rest, { type: 'null' }] };
  return {
    ...rest,
    type: [type, 'null'],
    ...(Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {}),
  };
}

const pointer = (parts: readonly string[]): string =>
  parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

interface Operation {
  readonly method: string;
  readonly template: string;
  readonly matches: RegExp;
  readonly literals: number;
  readonly responses: Readonly<Record<string, unknown>>;
}

/** Checks answers and messages, and collects the findings. */
export class Referee {
  /** Number of occurrences of each finding. */
  readonly findings = new Map<string, number>();
  /** Number of checked answers and messages. */
  readonly checked = { answers: 0, messages: 0 };
  /** Types of the checked messages. */
  readonly types = new Set<string>();
  readonly #ajv = new Ajv({ strict: false, allErrors: true, inlineRefs: false, logger: false, verbose: true });
  readonly #operations: readonly Operation[];
  readonly #messages = new Map<string, ValidateFunction[]>();
  readonly #names = new WeakMap<object, string>();
  readonly #api: PublishedApi;
  readonly #feed: PublishedFeed;

  constructor() {
    // tidy: as (CommonJS: the default import is the module or its function, depending on the loader)
    const add = (typeof formats === 'function' ? formats : (formats as { default: unknown }).default) as (
      ajv: Ajv,
    ) => void;
    add(this.#ajv);
    const api = specOf('kalshi-openapi-3.21.0-2026-06-10');
    const feed = specOf('kalshi-asyncapi-2026-06-10');
    this.#api = new PublishedApi(api, kalshiProfile.basePath);
    this.#feed = new PublishedFeed(feed);
    for (const [id, document] of Object.entries({ api: plain(api), feed: plain(feed) })) {
      this.#ajv.addSchema({ $id: id, ...(document as object) });
      const { components } = document as { components: { schemas: Record<string, unknown> } };
      for (const [name, schema] of Object.entries(components.schemas)) this.#name(schema, name);
    }
    this.#operations = operationsOf(api);
    this.#addMessageSchemas(feed);
  }

  /** Records the name that findings use for a schema and for the schemas in it. */
  #name(schema: unknown, name: string): void {
    if (Array.isArray(schema)) for (const part of schema) this.#name(part, name);
    if (!isRecord(schema)) return;
    this.#names.set(schema, name);
    for (const [key, inner] of Object.entries(schema))
      if (key !== 'properties') this.#name(inner, key === 'items' ? `${name}[]` : name);
      else
        for (const [member, schemaOfMember] of Object.entries(inner as object))
          this.#name(schemaOfMember, `${name}.${member}`);
  }

  /** Describes a fault by its place in the schema and its kind. */
  #fault({ keyword, params, data, parentSchema = {} }: ErrorObject, at: string): string {
    const place = this.#names.get(parentSchema) ?? at;
    if (keyword === 'required')
      return `${place}: ${(params as { missingProperty: string }).missingProperty} is missing`;
    return `${place}: ${keyword}${keyword === 'enum' ? ` ${JSON.stringify(data)}` : ''}`;
  }

  #addMessageSchemas(feed: unknown): void {
    const { components } = feed as { components: { messages: Record<string, unknown> } };
    for (const name of Object.keys(components.messages)) {
      const validate = this.#ajv.getSchema(`feed#/components/messages/${name}/payload`);
      const type = typeOfPayload(feed, components.messages[name]);
      if (validate && type !== null) this.#messages.set(type, [...(this.#messages.get(type) ?? []), validate]);
    }
  }

  /** Checks an answer. */
  checkAnswer({ method, path, status, data }: ReceivedAnswer): void {
    this.checked.answers += 1;
    const operation = this.#operations
      .filter((each) => each.method === method && each.matches.test(path))
      .toSorted((a, b) => b.literals - a.literals)[0];
    if (operation === undefined) return this.#countFinding(`${method} ${path.replaceAll(UUID, '{id}')}: not described`);
    const { template, responses } = operation;
    const at = `${method} ${template}`;
    if (!(status in responses)) return this.#countFinding(`${at}: status ${status} is not described`);
    const validate = this.#ajv.getSchema(
      `api${placeOf(operation, status)}${pointer(['content', 'application/json', 'schema'])}`,
    );
    if (validate === undefined) {
      if (data !== '') this.#countFinding(`${at} ${status}: a body is not described`);
      return;
    }
    if (!validate(data)) for (const error of validate.errors ?? []) this.#countFinding(this.#fault(error, at));
    const answer = { method, path: kalshiProfile.basePath + path, status, body: JSON.stringify(data) };
    for (const { kind, path: member } of this.#api.compareAnswer(answer))
      if (kind === 'unknown-field') this.#countFinding(`${at} ${status}: ${member} is unknown`);
  }

  /** Checks a message of the feed. */
  checkMessage(message: unknown): void {
    this.checked.messages += 1;
    const type = String((message as { type?: unknown }).type);
    this.types.add(type);
    const validators = this.#messages.get(type);
    if (validators === undefined) return this.#countFinding(`message ${type}: not described`);
    if (!validators.some((validate) => validate(message)))
      for (const error of must(validators[0], type).errors ?? [])
        this.#countFinding(this.#fault(error, `message ${type}`));
    for (const { kind, path } of this.#feed.compareMessage(message))
      if (kind === 'unknown-field') this.#countFinding(`message ${type}: ${path} is unknown`);
  }

  #countFinding(finding: string): void {
    this.findings.set(finding, (this.findings.get(finding) ?? 0) + 1);
  }
}

/** Returns the place of an answer's schema: in its operation, or among the shared schemas. */
function placeOf({ method, template, responses }: Operation, status: number): string {
  const response = responses[status];
  const shared = isRecord(response) ? response['$ref'] : undefined;
  return typeof shared === 'string'
    ? shared
    : `#${pointer([PATHS, template, method.toLowerCase(), 'responses', String(status)])}`;
}

const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

function operationsOf(api: unknown): Operation[] {
  const { paths } = api as { paths: Record<string, Record<string, { responses: Record<string, unknown> }>> };
  return Object.entries(paths).flatMap(([template, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const parts = template.split('/');
      return {
        method: method.toUpperCase(),
        template,
        matches: new RegExp(`^${parts.map((part) => (part.startsWith('{') ? '[^/]+' : part)).join('/')}$`),
        literals: parts.filter((part) => !part.startsWith('{')).length,
        responses: operation.responses,
      };
    }),
  );
}

/** Returns the type of a message from its schema; `null` for a message that the client sends. */
function typeOfPayload(feed: unknown, message: unknown): string | null {
  const { payload } = message as { payload?: { $ref?: string } };
  const name = payload?.$ref?.split('/').at(-1);
  if (name === undefined) return null;
  const { components } = feed as {
    components: { schemas: Record<string, { properties?: { type?: { const?: string } } }> };
  };
  return components.schemas[name]?.properties?.type?.const ?? null;
}
