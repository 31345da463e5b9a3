// The published description of a console's API, as a check of its answers. Must never accept an answer of a described
// route whose status, content type or body the description lacks.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { must } from '../../../src/base/assert.ts';

type Json = Record<string, unknown>;

interface Route {
  readonly method: string;
  readonly path: string;
  readonly pattern: RegExp;
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

/** Content types whose bodies are checked. Of others, such as files, the type alone is. */
const JSON_TYPES: ReadonlySet<string> = new Set(['application/json', 'application/problem+json']);

/** Writes a part of a JSON pointer. */
const pointed = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

/** The description of one console. */
export class DescribedApi {
  /** The document as it was read. */
  readonly document: Json;
  /** Answers checked so far, each as `GET /path 200`. */
  readonly checked = new Set<string>();
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  readonly #routes: readonly Route[];

  constructor(described: object) {
    // As a client reads it.
    const document = JSON.parse(JSON.stringify(described)) as Json;
    this.document = document;
    this.#ajv.addSchema(document, 'api');
    this.#routes = Object.entries(document['paths'] as Record<string, Record<string, Route>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, { responses }]) => {
          const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
          return { method: method.toUpperCase(), path, pattern, responses };
        }),
    );
  }

  /** Reads the description from a console. */
  static async read(origin: string, headers: Record<string, string>): Promise<DescribedApi> {
    const answer = await fetch(`${origin}/api/v1/openapi.json`, { headers });
    expect(answer.status).toBe(200);
    return new DescribedApi((await answer.json()) as object);
  }

  /** Every route with its method, such as `GET /api/v1/bots`. */
  get routes(): string[] {
    return this.#routes.map(({ method, path }) => `${method} ${path}`);
  }

  /** The check of a schema of the document. */
  schema(...parts: readonly string[]): ValidateFunction {
    return must(this.#ajv.getSchema(`api#/${parts.map(pointed).join('/')}`), `a schema at ${parts.join(' ')}`);
  }

  /** Checks an answer. Its body can still be read. A path that the document lacks must be answered with a problem. */
  async checkAnswer(method: string, url: string, answer: Response): Promise<void> {
    const { pathname } = new URL(url, 'http://console');
    const [type = ''] = (answer.headers.get('content-type') ?? '').split(';');
    const route = this.#routes.find((each) => each.method === method && each.pattern.test(pathname));
    if (route === undefined) {
      expect([pathname, answer.status >= 400, type]).toEqual([pathname, true, 'application/problem+json']);
      return this.#checkBody(['components', 'schemas', 'Problem'], answer);
    }
    const what = `${method} ${route.path} ${answer.status}`;
    const { content } = must(route.responses[String(answer.status)], `a description of ${what}`);
    expect([what, Object.keys(content ?? { '': null })]).toEqual([what, expect.arrayContaining([type])]);
    const parts = ['paths', route.path, method.toLowerCase(), 'responses', String(answer.status), 'content', type];
    if (JSON_TYPES.has(type)) await this.#checkBody([...parts, 'schema'], answer);
    this.checked.add(what);
  }

  async #checkBody(parts: readonly string[], answer: Response): Promise<void> {
    const validate = this.schema(...parts);
    expect([answer.url, validate(await answer.clone().json()), validate.errors]).toEqual([answer.url, true, null]);
  }

  /** Checks an event of a live stream. */
  checkEvent(event: string, data: unknown): void {
    const validate = this.schema('components', 'schemas', 'LiveMessage');
    expect([event, validate({ event, data })]).toEqual([event, true]);
  }
}
