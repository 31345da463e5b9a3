// The state of the page: login, view and freshness. It connects the address to the stream. Must never show the data of
// an earlier view.
import { batch, computed, effect, signal } from '@preact/signals';
import type { sessionSchema } from '../../api/api-schemas.ts';
import { type Address, type ViewName, formatAddress, loginCodeOf, parseAddress } from './address.ts';
import { API, ApiProblem, botPath, callApi, queryText, refusalOf, textOfFault } from './api-calls.ts';
import { STALE_MS, freshnessOf, type Freshness } from './freshness.ts';
import { applyEvent, bots, clearBot, detail, isGone, marketsPage, session } from './live-data.ts';
import { LiveStream } from './live-stream.ts';

/** The login of a person. */
export type Login = (typeof sessionSchema)['_output'];

/** `checking`: no answer yet. `out`: no person is logged in, and `fault` may hold the reason. */
export type LoginState =
  | { readonly state: 'checking' }
  | { readonly state: 'out'; readonly fault: string | null }
  | { readonly state: 'in'; readonly login: Login };

export const loginState = signal<LoginState>({ state: 'checking' });
export const address = signal<Address>(parseAddress(location.hash));
export const freshness = signal<Freshness>('connecting');
/** The reason for which the console refuses the live figures although it answers; `null` when it gives them. */
export const refusal = signal<string | null>(null);
/** Number of heartbeats. */
export const beats = signal(0);
/** The console's clock in microseconds. It moves once a second. */
export const nowUs = signal(Date.now() * 1000);
/** Time of the last event by the console's clock; `null` before the first event. */
export const lastSignUs = signal<number | null>(null);
/** Rows of the table of markets that the stream keeps live, with sorting and filter. */
export const marketsWindow = signal({ from: 0, to: 100, sort: 'ours', q: '', ours: false });

export const isOperator = computed(() => loginState.value.state === 'in' && loginState.value.login.role === 'operator');
export const botNames = computed(() => (loginState.value.state === 'in' ? loginState.value.login.bots : []));

/** Time of the figures when they are not live. It is `null` while the figures are live or missing. */
export const oldFiguresUs = computed(() => {
  if (isGone.value) return session.value?.atUs ?? null;
  return freshness.value === 'stale' || freshness.value === 'disconnected' ? lastSignUs.value : null;
});

let openedAt = performance.now();
let signAt: number | null = null;
/** The console's clock less the browser's. Microseconds. */
let offsetUs = 0;

const stream = new LiveStream({
  onOpening: () => {
    openedAt = performance.now();
    // A page that was hidden for long still shows its old figures.
    if (signAt !== null && openedAt - signAt < STALE_MS) signAt = null;
    updateFreshness();
  },
  onFault: (refusedPath) => {
    void checkLogin();
    if (refusedPath === null) refusal.value = null;
    else void refusalOf(refusedPath).then((why) => (refusal.value = why));
  },
  onEvent: (name, data) =>
    batch(() => {
      const atUs = applyEvent(name, data);
      signAt = performance.now();
      if (atUs !== null) offsetUs = atUs - Date.now() * 1000;
      if (name === 'beat' || name === 'overview') beats.value++;
      lastSignUs.value = Date.now() * 1000 + offsetUs;
      updateFreshness();
    }),
});

function updateFreshness(): void {
  const now = performance.now();
  freshness.value = freshnessOf(signAt === null ? null : now - signAt, now - openedAt);
}

/** The parameter `view` of the stream, by view of the page. */
const STREAM_VIEWS: Readonly<Record<ViewName, string>> = {
  overview: 'events',
  markets: 'markets',
  market: 'market',
  orders: 'orders',
  strategies: 'session',
  risk: 'session',
  feed: 'session',
  timeline: 'events',
  why: 'session',
};

function streamPath({ bot, view, subject }: Address): string {
  if (bot === null) return `${API}/live`;
  const window = view === 'markets' ? marketsWindow.value : {};
  const market = view === 'market' && subject !== null ? { market: subject } : {};
  return `${API}${botPath(bot, `/live${queryText({ view: STREAM_VIEWS[view], ...market, ...window })}`)}`;
}

const ALL_BOTS = parseAddress('#/');

/** Moves to an address. */
export function openAddress(to: Partial<Address>): void {
  location.hash = formatAddress(to);
}

/** Replaces the query without an entry in the browser's history. */
export function replaceQuery(query: Readonly<Record<string, string>>): void {
  const to = { ...address.peek(), query };
  history.replaceState(null, '', formatAddress(to));
  address.value = to;
}

function onAddress(): void {
  if (loginCodeOf(location.hash) !== null) {
    void start();
    return;
  }
  const to = parseAddress(location.hash);
  const from = address.peek();
  batch(() => {
    if (to.bot !== from.bot) clearBot();
    if (to.view !== from.view || to.subject !== from.subject) {
      detail.value = null;
      marketsPage.value = null;
    }
    address.value = to;
  });
}

/** Logs in with a token or a one-time code. Returns the text of a fault, or `null`. */
export async function logIn(secret: { readonly token: string } | { readonly code: string }): Promise<string | null> {
  try {
    await callApi('/session', { method: 'POST', body: secret });
    await checkLogin();
    return null;
  } catch (fault) {
    return textOfFault(fault);
  }
}

const STILL_IN =
  'The console did not answer: this browser is still logged in there. Load the page again, and log out when it answers.';

export async function logOut(): Promise<void> {
  const fault = await callApi('/session', { method: 'DELETE' }).then(
    () => null,
    (reason: unknown) => (reason instanceof ApiProblem && reason.status === 401 ? null : STILL_IN),
  );
  stream.close();
  clearBot();
  bots.value = null;
  loginState.value = { state: 'out', fault };
}

let isChecking = false;

/** A login stays in force when the console does not answer. */
async function checkLogin(): Promise<void> {
  if (isChecking) return;
  isChecking = true;
  try {
    const login = await callApi<Login>('/session');
    loginState.value = { state: 'in', login };
  } catch (fault) {
    const isRefused = fault instanceof ApiProblem && (fault.status === 401 || fault.status === 403);
    if (isRefused) loginState.value = { state: 'out', fault: null };
    else if (loginState.peek().state === 'checking') loginState.value = { state: 'out', fault: textOfFault(fault) };
  } finally {
    isChecking = false;
  }
}

async function start(): Promise<void> {
  const code = loginCodeOf(location.hash);
  if (code === null) return checkLogin();
  history.replaceState(null, '', '#/');
  address.value = parseAddress('#/');
  const fault = await logIn({ code });
  if (fault === null) return undefined;
  await checkLogin();
  if (loginState.peek().state !== 'in') loginState.value = { state: 'out', fault };
  return undefined;
}

/** Starts the login, the clock and the stream. */
export function startPage(): void {
  window.addEventListener('hashchange', onAddress);
  window.setInterval(() => {
    nowUs.value = Date.now() * 1000 + offsetUs;
  }, 1000);
  window.setInterval(updateFreshness, 250);
  effect(() => {
    const { bot } = address.value;
    // The address may name a bot that this console does not have.
    if (loginState.value.state === 'in')
      stream.followPath(streamPath(bot === null || botNames.value.includes(bot) ? address.value : ALL_BOTS));
  });
  effect(() => {
    const only = botNames.value.length === 1 ? botNames.value[0] : undefined;
    // The browser reports a change of the address later: the signal may still hold the earlier one.
    if (only === undefined || address.value.bot !== null || parseAddress(location.hash).bot !== null) return;
    history.replaceState(null, '', formatAddress({ bot: only }));
    address.value = parseAddress(location.hash);
  });
  void start();
}

/** Returns the present time of the console's clock. Microseconds. */
export const consoleClockUs = (): number => Date.now() * 1000 + offsetUs;
