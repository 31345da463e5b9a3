// Which endpoint a request is for, by the profile's table of paths; and its query. Shared by every door.
// Must never guess: what no path of the table fits is for no endpoint.
import { TrieRouter } from 'hono/router/trie-router';
import {
  type EndpointName,
  type Endpoints,
  type Retired,
  type WireProfile,
  endpointOf,
} from '../../venues/trade-api/profile.ts';
import type { Query } from '../../venues/trade-api/wire/codec.ts';
import type { WireRequest } from './call.ts';

/** Where a request goes. */
export type Route = Pick<WireRequest, 'method' | 'path' | 'endpoint' | 'retired' | 'parts' | 'query'>;

/** What is at a path. */
type Place = Pick<Route, 'endpoint' | 'retired'>;

/** The routes of one profile. */
export class Routes {
  readonly #router = new TrieRouter<Place>();

  constructor(profile: WireProfile) {
    for (const { method, path, place } of routesOf(profile)) this.#router.add(method, path, place);
  }

  /** The route of a request; `target` is its path, with its query. `null` when there is none. */
  find(method: string, target: string): Route | null {
    const cut = target.indexOf('?');
    const path = cut < 0 ? target : target.slice(0, cut);
    const [[found]] = this.#router.match(method, path);
    if (found === undefined) return null;
    const [place, params] = found;
    const parts = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decoded(String(value))]));
    return { method, path, ...place, parts, query: cut < 0 ? {} : queryOf(target.slice(cut + 1)) };
  }
}

/** The keys of a table, as the names that they are. */
const namesOf = (table: Endpoints): EndpointName[] =>
  // tidy: as — a record's type says which keys it has.
  Object.keys(table) as EndpointName[];

/** Routes in an order in which a name is tried before a part that could be anything. */
function routesOf(profile: WireProfile): Listed[] {
  const listed = ({ method, path }: Pick<Retired, 'method' | 'path'>, place: Place): Listed => ({
    method,
    path: profile.basePath + path.replaceAll(/\{(\w+)\}/g, ':$1'),
    place,
  });
  const routes = [
    ...namesOf(profile.endpoints).map((endpoint) => listed(endpointOf(profile, endpoint), { endpoint })),
    ...profile.manners.retired.map((retired) => listed(retired, { endpoint: retired.endpoint, retired })),
  ];
  const parts = ({ path }: Listed): number => path.split(':').length;
  return routes.sort((a, b) => parts(a) - parts(b));
}

/** A route of the table. */
interface Listed {
  readonly method: string;
  readonly path: string;
  readonly place: Place;
}

/** What is no escape stays as it came: no name of ours has one. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A parameter without a value counts as absent. */
function queryOf(text: string): Query {
  const query: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) if (value !== '') (query[name] ??= []).push(value);
  return query;
}
