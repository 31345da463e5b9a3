// Rows of docs/reference/operations.md: how the local exchange answers each operation that the venue publishes. They
// come from the profile and from the official client. Only the notes, and the reasons for operations that are not
// served, are written here.
import { type Endpoint, parametersOf } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { type PublishedOperation, clientOperations, keyOf } from '../../official/published-operations.ts';
import { table } from './table.ts';

/**
 * Kind of answer: `served` from the state of the exchange; `derived` from its config, its clock or its other answers;
 * `empty` because the exchange never has such rows; `gone`, refused as the venue refuses it; `absent`, without a route.
 */
export type AnswerKind = 'served' | 'derived' | 'empty' | 'gone' | 'absent';

/** One operation with its answer. */
export interface OperationRow {
  readonly method: string;
  readonly path: string;
  readonly kind: AnswerKind;
  /** Published query parameters that change nothing. */
  readonly ignored: readonly string[];
  readonly note: string;
}

/** Operations whose answers are derived, and their source. */
const DERIVED: Readonly<Record<string, string>> = {
  'GET /account/endpoint_costs': 'the costs in the profile',
  'GET /api_keys':
    'the keys of the config and of `--key`; the name of a key is its id, every key may read and write, and none belongs to a subtrader',
  'GET /communications/id': 'derived from the name of the account',
  'GET /events/{event_ticker}/metadata': 'without images, sources and competitions',
  'GET /exchange/schedule': 'open at all hours, with the `maintenance` of the config',
  'GET /exchange/user_data_timestamp': 'the time, less the `readLag` of the config',
  'GET /historical/cutoff': '90 days before now',
  'GET /portfolio/subaccounts/netting': 'off for every subaccount',
  'GET /portfolio/summary/total_resting_order_value': 'the cost of the resting orders at their prices',
  'GET /search/tags_by_categories': 'the categories and `tags` of the series in the config',
};

/** Notes on operations that are served. */
const NOTES: Readonly<Record<string, string>> = {
  'DELETE /portfolio/events/orders':
    'cancels the orders that rest at that moment; the venue also cancels orders of the next minute',
  'GET /events':
    '`min_updated_ts` applies to the last change of one of the event’s markets; `milestones` is always present and empty',
  'GET /historical/markets/{ticker}': '404 for a market that was paid out after the cutoff',
  'GET /historical/markets/{ticker}/candlesticks': '404 for a market that was paid out after the cutoff',
  'GET /markets':
    'all parameters apply together; the venue publishes that some time filters exclude each other, but not how it refuses them. No market is a combination',
  'GET /markets/trades': 'no trade is a block trade',
  'GET /historical/trades': 'no trade is a block trade',
  'GET /series':
    '`tags` selects series with any of the tags; `min_updated_ts` applies to the last change of fees or the last listing of a market. Series have no product metadata',
  'GET /series/{series_ticker}/markets/{ticker}/candlesticks':
    '`include_latest_before_start` adds nothing where a candle ends at the first boundary',
};

const NO_COMBOS = 'no combinations of markets are listed';
const NO_QUOTES = 'requests for quotes are not implemented';
const NO_MILESTONES = 'no milestones are listed';
const CLEARING = 'only for clearing members';
const KEYS = 'keys come from the config and from `--key`';
const COMBO_EVENTS = '/multivariate_event_collections';

/** Reasons for operations that are empty, gone or absent, by the longest matching prefix of the path. */
const REASONS: Readonly<Record<string, string>> = {
  '/account/api_usage_level': 'the tier comes from the config, and progress to another is not counted',
  '/api_keys': KEYS,
  '/communications': NO_QUOTES,
  '/communications/block-trade-proposals': 'block trades are not implemented',
  '/events/multivariate': NO_COMBOS,
  '/exchange/announcements': 'the exchange announces nothing',
  '/fcm': CLEARING,
  '/incentive_programs': 'no incentives are paid',
  '/live_data': NO_MILESTONES,
  '/live_data/events': 'events have no live data',
  '/live_data/weather':
    'there is no weather index, and the refusal of the venue for an unknown city was never recorded',
  '/milestones': NO_MILESTONES,
  [COMBO_EVENTS]: NO_COMBOS,
  '/portfolio/deposits': 'the cash of an account comes from the config',
  '/portfolio/orders': 'the venue removed these writes: `410 deprecated_v1_order_endpoint`',
  '/portfolio/subaccounts/netting': 'netting stays off',
  '/portfolio/target_balance_allocation': 'balances are not moved between shards by themselves',
  '/portfolio/withdrawals': 'the cash of an account comes from the config',
  '/search/filters_by_sport': 'series have no sports',
  '/series': 'no forecasts are made',
  '/structured_targets': 'no structured targets are listed',
};

const reasonOf = (path: string): string => {
  const [longest] = Object.keys(REASONS)
    .filter((beginning) => path === beginning || path.startsWith(`${beginning}/`))
    .toSorted((a, b) => b.length - a.length);
  if (longest === undefined) throw new Error(`${path} is not served: say why in test/docs/reference/operations.ts`);
  return REASONS[longest] ?? '';
};

const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map(
  Object.values(kalshiProfile.endpoints).map((endpoint) => [keyOf(endpoint), endpoint]),
);
const GONE: ReadonlySet<string> = new Set(kalshiProfile.quirks.retired.map(keyOf));

/** Returns the row of an operation. */
export function rowOf(operation: PublishedOperation): OperationRow {
  const { method, path, parameters } = operation;
  const endpoint = ENDPOINTS.get(keyOf(operation));
  if (endpoint === undefined) {
    const kind = GONE.has(keyOf(operation)) ? 'gone' : 'absent';
    return { method, path, kind, ignored: [], note: reasonOf(path) };
  }
  // Every parameter applies to an empty list.
  if (endpoint.stubAnswer !== undefined) return { method, path, kind: 'empty', ignored: [], note: reasonOf(path) };
  const name = `${method} ${path}`;
  const kind = DERIVED[name] === undefined ? 'served' : 'derived';
  const applied = new Set(parametersOf(endpoint));
  const ignored = parameters.filter((parameter) => !applied.has(parameter));
  return { method, path, kind, ignored, note: DERIVED[name] ?? NOTES[name] ?? '' };
}

/** Operations of earlier versions of the published files that have no route. */
const EARLIER: readonly PublishedOperation[] = [
  { method: 'PUT', path: '/multivariate_event_collections/{collection_ticker}/lookup', parameters: [] },
];

/** Returns operations that the exchange answers and the official client does not have. */
function furtherOperations(published: readonly PublishedOperation[]): PublishedOperation[] {
  const known = new Set(published.map(keyOf));
  const others = [...Object.values(kalshiProfile.endpoints), ...kalshiProfile.quirks.retired];
  return others
    .filter((operation) => !known.has(keyOf(operation)))
    .map(({ method, path }) => ({ method, path: snake(path), parameters: [] }));
}

const snake = (path: string): string => path.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns every operation, sorted by path. */
export function operationRows(): OperationRow[] {
  const published = clientOperations();
  const rows = [...published, ...furtherOperations(published), ...EARLIER].map(rowOf);
  const names = new Set(rows.map(({ method, path }) => `${method} ${path}`));
  for (const stale of [...Object.keys(DERIVED), ...Object.keys(NOTES)])
    if (!names.has(stale)) throw new Error(`${stale} is not an operation: correct test/docs/reference/operations.ts`);
  return rows.toSorted((a, b) => (a.path === b.path ? compare(a.method, b.method) : compare(a.path, b.path)));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Makes the page of operations. */
export function operationsPage(): string {
  const rows = operationRows();
  const counts = (['served', 'derived', 'empty', 'gone', 'absent'] as const).map(
    (kind) => `${rows.filter((row) => row.kind === kind).length} ${kind}`,
  );
  return `# The venue's operations at the local exchange

How the local exchange answers each operation that the venue publishes, in the \`kalshi\` dialect. The operations are those of
the venue's own client, and some of older versions.

- **served**: from the markets, orders and money of the exchange
- **derived**: from its config, its clock or its other answers; the note names the source
- **empty**: the exchange never has such rows: a list is empty, and an id is not found (\`404 not_found\`)
- **gone**: refused as the venue refuses it
- **absent**: no route (\`404 page not found\`)

${counts.join(', ')}. Every published parameter of a served list applies, unless the third column names it.

${table(['operation', 'answer', 'not applied', 'note'], rows.map(cellsOf))}
`;
}

const cellsOf = ({ method, path, kind, ignored, note }: OperationRow): string[] => [
  `\`${method} ${path}\``,
  kind,
  ignored.map((parameter) => `\`${parameter}\``).join(', '),
  note,
];
