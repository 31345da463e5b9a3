// The address of a view, so that an alert can link to it. Pure. Must never hold a token or a code after the login.

export const VIEWS = [
  'overview',
  'markets',
  'market',
  'orders',
  'strategies',
  'risk',
  'feed',
  'timeline',
  'why',
] as const;
export type ViewName = (typeof VIEWS)[number];

/** A view of the page. `bot` is `null` for the overview of all bots. */
export interface Address {
  readonly bot: string | null;
  readonly view: ViewName;
  /** The market of the market view, or the order of the orders view. */
  readonly subject: string | null;
  readonly query: Readonly<Record<string, string>>;
}

const isView = (name: string): name is ViewName => VIEWS.some((view) => view === name);

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/** Reads a fragment such as `#/b/demo/market/T?at=…`. An unknown fragment leads to the overview of all bots. */
export function parseAddress(fragment: string): Address {
  const [path = '', search = ''] = fragment.replace(/^#/, '').split('?', 2);
  const [mark, bot, view = 'overview', ...rest] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const query = Object.fromEntries(new URLSearchParams(search));
  if (mark !== 'b' || bot === undefined) return { bot: null, view: 'overview', subject: null, query };
  const subject = rest.length > 0 ? rest.join('/') : null;
  return { bot, view: isView(view) ? view : 'overview', subject, query };
}

/** Writes the fragment of an address. Empty members of the query are left out. */
export function formatAddress(address: Partial<Address>): string {
  const { bot = null, view = 'overview', subject = null, query = {} } = address;
  const kept = Object.entries(query).filter(([, value]) => value !== '');
  const search = kept.length > 0 ? `?${new URLSearchParams(kept).toString()}` : '';
  if (bot === null) return `#/${search}`;
  const parts = ['b', bot, ...(view === 'overview' ? [] : [view]), ...(subject === null ? [] : [subject])];
  return `#/${parts.map(encodeURIComponent).join('/')}${search}`;
}

/** Reads the one-time code of a fragment such as `#login=CODE`; `null` when there is none. */
export const loginCodeOf = (fragment: string): string | null => /^#login=([\w-]{1,200})$/.exec(fragment)?.[1] ?? null;
