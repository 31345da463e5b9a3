// Operations that the venue publishes: those of its own client, which is always installed, and those of its OpenAPI
// file, which may be absent.
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isRecord } from '../../src/venues/trade-api/wire/json-record.ts';
import { specOf } from './schema-referee.ts';

/** One published operation. */
export interface PublishedOperation {
  readonly method: string;
  /** Path below the base path; `{name}` is a part that a request fills in. */
  readonly path: string;
  /** Names of its query parameters. */
  readonly parameters: readonly string[];
}

const CLIENT = dirname(createRequire(import.meta.url).resolve('kalshi-typescript'));

/**
 * Reads the operations of the official client from its code, where one function builds each path and query.
 * @throws {Error} when a function has another shape.
 */
export function clientOperations(): PublishedOperation[] {
  const files = readdirSync(join(CLIENT, 'api')).filter((file) => file.endsWith('.js'));
  return files.flatMap((file) => operationsIn(readFileSync(join(CLIENT, 'api', file), 'utf8')));
}

function operationsIn(code: string): PublishedOperation[] {
  const [, ...bodies] = code.split('const localVarPath = `');
  return bodies.map((body) => {
    const [, path] = /^(\/[^`]*)`/.exec(body) ?? [];
    const [, method] = /method: '(GET|POST|PUT|DELETE|PATCH)'/.exec(body) ?? [];
    if (path === undefined || method === undefined)
      throw new Error(`an operation of another shape: ${body.slice(0, 80)}`);
    const named = [...body.matchAll(/localVarQueryParameter\['(\w+)'\]/g)].map(([, name = '']) => name);
    return { method, path, parameters: [...new Set(named)] };
  });
}

/** Reads the operations of the OpenAPI file of June 2026. */
export function specOperations(): PublishedOperation[] {
  const api = specOf('kalshi-openapi-3.21.0-2026-06-10') as Api;
  return Object.entries(api.paths).flatMap(([path, item]) =>
    ['get', 'post', 'put', 'delete'].flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const parameters = (operation.parameters ?? []).map((parameter) => resolved(api, parameter));
      const queried = parameters.flatMap(({ in: place, name }) => (place === 'query' ? [name] : []));
      return { method: method.toUpperCase(), path, parameters: queried };
    }),
  );
}

interface Parameter {
  readonly in: string;
  readonly name: string;
}
interface Api {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters?: readonly unknown[] }>>>>;
}

function resolved(api: Api, found: unknown): Parameter {
  if (!isRecord(found) || typeof found['$ref'] !== 'string') return found as Parameter;
  let node: unknown = api;
  for (const part of found['$ref'].slice(2).split('/')) node = isRecord(node) ? node[part] : undefined;
  return node as Parameter;
}

/** Returns a key of an operation: its method and its path, without the names of the path's parameters. */
export const keyOf = ({ method, path }: Pick<PublishedOperation, 'method' | 'path'>): string =>
  `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`;
