// Routes requests to endpoints by the profile's table of paths, and parses their queries. Must never guess: a path that
// is not in the table has no endpoint.
import { TrieRouter } from 'hono/router/trie-router';
import {
  type EndpointName,
  type Endpoints,
  type RetiredEndpoint,
  type WireProfile,
  endpointOf,
} from '../../venues/trade-api/profiles/wire-profile.ts';
import type { Query } from '../../venues/trade-api/wire/codec.ts';
import type { WireRequest } from './endpoint-call.ts';

/** The endpoint of a request, with the parts of its path and its query. */
export type EndpointRoute = Pick<WireRequest, 'method' | 'path' | 'endpoint' | 'retired' | 'parts' | 'query'>;

type RouteTarget = Pick<EndpointRoute, 'endpoint' | 'retired'>;

/** Finds the endpoint of a request by the paths of one profile. */
export class EndpointRoutes {
  readonly #router = new TrieRouter<RouteTarget>();
  /** The paths without parameters, behind their methods: most requests have one of them. */
  readonly #fixed = new Map<string, RouteTarget>();

  constructor(profile: WireProfile) {
    for (const { method, path, routeTarget } of routesOf(profile)) {
      this.#router.add(method, path, routeTarget);
      const line = `${method} ${path}`;
      if (!path.includes(':') && !this.#fixed.has(line)) this.#fixed.set(line, routeTarget);
    }
  }

  /**
   * The route of a request; `null` when there is none.
   * @param target The request's path with its query.
   */
  findRoute(method: string, target: string): EndpointRoute | null {
    const queryAt = target.indexOf('?');
    const path = queryAt < 0 ? target : target.slice(0, queryAt);
    const query = queryAt < 0 ? {} : queryOf(target.slice(queryAt + 1));
    const fixed = this.#fixed.get(`${method} ${path}`);
    if (fixed !== undefined) return { method, path, ...fixed, parts: {}, query };
    const [[found]] = this.#router.match(method, path);
    if (found === undefined) return null;
    const [routeTarget, params] = found;
    const parts = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decoded(String(value))]));
    return { method, path, ...routeTarget, parts, query };
  }
}

const namesOf = (table: Endpoints): EndpointName[] =>
  // tidy: as — a record's type says which keys it has.
  Object.keys(table) as EndpointName[];

/** Routes sorted by their number of parameters: fixed names are matched before parameters. */
function routesOf(profile: WireProfile): RouteRow[] {
  const rowOf = ({ method, path }: Pick<RetiredEndpoint, 'method' | 'path'>, routeTarget: RouteTarget): RouteRow => ({
    method,
    path: profile.basePath + path.replaceAll(/\{(\w+)\}/g, ':$1'),
    routeTarget,
  });
  const routes = [
    ...namesOf(profile.endpoints).map((endpoint) => rowOf(endpointOf(profile, endpoint), { endpoint })),
    ...profile.quirks.retired.map((retired) => rowOf(retired, { endpoint: retired.endpoint, retired })),
  ];
  const parts = ({ path }: RouteRow): number => path.split(':').length;
  return routes.sort((a, b) => parts(a) - parts(b));
}

interface RouteRow {
  readonly method: string;
  readonly path: string;
  readonly routeTarget: RouteTarget;
}

/** An invalid escape is kept as received, because no name of the exchange has an escape. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A parameter without a value counts as absent. A map, because an object has members of its own, such as `toString`. */
function queryOf(text: string): Query {
  const valuesByName = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const values = valuesByName.get(name);
    if (value === '') continue;
    if (values === undefined) valuesByName.set(name, [value]);
    else values.push(value);
  }
  return Object.fromEntries(valuesByName);
}
