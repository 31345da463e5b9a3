// The handlers that read, joined with the other routes into one application. Must never answer with the text of an
// unexpected error.
import type { HttpBindings } from '@hono/node-server';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { version } from '../../app/package-version.ts';
import type { Logger } from '../../log.ts';
import * as routes from '../api/read-routes.ts';
import type { ConsoleBot } from '../bots/console-bot.ts';
import * as views from '../bots/session-views.ts';
import type { BotState } from '../bots/bot-source.ts';
import { BotStream } from '../live/bot-stream.ts';
import type { MessageSource } from '../live/live-message.ts';
import { type LiveClients, TOO_MANY_STREAMS, liveResponse } from '../live/live-response.ts';
import { OverviewStream } from '../live/overview-stream.ts';
import { BODY_BYTES_MAX, type Caller, type CheckedRequest } from '../security/request-checks.ts';
import type { SiteGuard } from '../security/site-guard.ts';
import { PROBLEMS, ProblemFault, problemHeaders, problemOf } from './problem.ts';

/** The checked request, and the objects of Node for a handler. */
export type ConsoleBindings = HttpBindings & { readonly checked: CheckedRequest };
export type ConsoleEnv = { Bindings: ConsoleBindings };
export type ConsoleApp = OpenAPIHono<ConsoleEnv>;
export type ConsoleContext = Context<ConsoleEnv>;

export interface ConsoleAppOptions {
  readonly bots: readonly ConsoleBot[];
  readonly guard: SiteGuard;
  readonly clients: LiveClients;
  readonly log: Logger;
  readonly nowMs: () => number;
  readonly addRoutes?: (app: ConsoleApp) => void;
  readonly onRefused?: (request: CheckedRequest, code: string) => void;
}

/** Least time between two batches of a stream, by view. Milliseconds. */
const GAP_MS = { session: 250, markets: 250, market: 100, orders: 250, events: 250 } as const;
const WATCH_MS = 3000;

/**
 * Returns the caller of a request.
 * @throws {ProblemFault} when no person is logged in.
 */
export function callerOf({ env }: ConsoleContext): Caller {
  const { caller } = env.checked;
  if (caller === null) throw new ProblemFault('not-logged-in', 'log in first');
  return caller;
}

/** Returns the bot of a name. @throws {ProblemFault} when there is none. */
export function botNamed(bots: readonly ConsoleBot[], name: string): ConsoleBot {
  const found = bots.find((bot) => bot.name === name);
  if (found === undefined) throw new ProblemFault('not-found', 'there is no bot of this name');
  return found;
}

/** Creates the application. */
export function consoleApp(options: ConsoleAppOptions): ConsoleApp {
  const app: ConsoleApp = new OpenAPIHono<ConsoleEnv>({
    defaultHook: (result, context) => {
      if (result.success) return undefined;
      options.onRefused?.(context.env.checked, 'invalid');
      return schemaProblem(context, result.error.issues);
    },
  });
  const maxSize = BODY_BYTES_MAX;
  // A chunked body has no length for the earlier checks.
  app.use('*', bodyLimit({ maxSize, onError: () => refuseBody() }));
  addLogin(app, options);
  addOverview(app, options);
  addMarkets(app, options);
  addSessionViews(app, options);
  addLive(app, options);
  options.addRoutes?.(app);
  app.get('/api/v1/openapi.json', (context) => context.json(openApiDocument(app)));
  app.notFound((context) => problemResponse(context, new ProblemFault('not-found', 'there is no such resource')));
  app.onError((fault, context) => {
    const problem = faultOf(fault, options.log);
    options.onRefused?.(context.env.checked, problem.code);
    return problemResponse(context, problem);
  });
  return app;
}

/** Returns the published description of the API. */
export const openApiDocument = (app: ConsoleApp): ReturnType<ConsoleApp['getOpenAPI31Document']> =>
  app.getOpenAPI31Document({ openapi: '3.1.0', info: { title: 'The console of Presage', version } });

function problemResponse(context: ConsoleContext, fault: ProblemFault): Response {
  const { status } = PROBLEMS[fault.code];
  return context.body(JSON.stringify(problemOf(fault, context.req.path)), status, problemHeaders(fault));
}

/** The answer never repeats the refused values. */
function schemaProblem(
  context: ConsoleContext,
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): Response {
  const errors = issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  return problemResponse(context, new ProblemFault('invalid', 'the request does not fit its schema', { errors }));
}

function refuseBody(): never {
  throw new ProblemFault('too-large', `expected a body of at most ${BODY_BYTES_MAX} bytes`);
}

/** The text of an unexpected error goes only to the log. */
function faultOf(fault: unknown, log: Logger): ProblemFault {
  if (fault instanceof ProblemFault) return fault;
  // Hono throws this error for a body that is not JSON.
  if (fault instanceof Error && 'status' in fault && fault.status === 400)
    return new ProblemFault('unreadable', 'the body is not JSON');
  log.error({ err: fault }, 'a request failed');
  return new ProblemFault('internal', 'the console failed: its log says why');
}

function addLogin(app: ConsoleApp, { guard, bots }: ConsoleAppOptions): void {
  app.openapi(routes.loginRoute, (context) => {
    const body = context.req.valid('json');
    const id = guard.logIn(context.env.checked, 'token' in body ? body : { code: body.code });
    context.header('Set-Cookie', guard.cookieHeader(id));
    return context.body(null, 204);
  });
  app.openapi(routes.logoutRoute, (context) => {
    guard.logOut(context.env.checked);
    context.header('Set-Cookie', guard.cookieHeader(''));
    return context.body(null, 204);
  });
  app.openapi(routes.whoRoute, (context) => {
    const { name, role } = callerOf(context);
    const expiresUs = guard.expiryUs(context.env.checked) ?? Number.MAX_SAFE_INTEGER;
    return context.json({ name, role, expiresUs, bots: bots.map((bot) => bot.name) }, 200);
  });
}

function addOverview(app: ConsoleApp, { bots }: ConsoleAppOptions): void {
  app.openapi(routes.botsRoute, (context) => context.json({ bots: bots.map((bot) => bot.row()) }, 200));
  app.openapi(routes.botRoute, (context) => context.json(botNamed(bots, context.req.valid('param').bot).row(), 200));
}

/** @throws {ProblemFault} when nothing is known of the bot yet. */
function stateOf(bot: ConsoleBot): BotState {
  const { state } = bot.source;
  if (state === null) throw new ProblemFault('bot-silent', 'the bot has not answered since the console started');
  return state;
}

function sessionOf(bot: ConsoleBot): NonNullable<BotState['session']> {
  const { session } = stateOf(bot);
  if (session === null) throw new ProblemFault('bot-silent', 'the bot has not sent its figures yet');
  return session;
}

function addMarkets(app: ConsoleApp, { bots }: ConsoleAppOptions): void {
  app.openapi(routes.marketsRoute, (context) => {
    const bot = botNamed(bots, context.req.valid('param').bot);
    stateOf(bot);
    return context.json(bot.marketsPage(context.req.valid('query')), 200);
  });
  app.openapi(routes.marketRoute, async (context) => {
    const { bot: name, ticker } = context.req.valid('param');
    const { atUs, value } = await detailOf(botNamed(bots, name), ticker);
    return context.json({ market: value, asOfUs: atUs }, 200);
  });
  app.openapi(routes.chartRoute, (context) => {
    const { bot: name, ticker } = context.req.valid('param');
    const bot = botNamed(bots, name);
    stateOf(bot);
    if (!bot.hasMarket(ticker)) throw new ProblemFault('not-found', 'there is no market of this ticker');
    return context.json(bot.chartOf(ticker, context.req.valid('query')), 200);
  });
}

type Detail = NonNullable<ReturnType<BotState['details']['get']>>;

/** Returns the details of a market. A market without details is watched for a moment. */
async function detailOf(bot: ConsoleBot, ticker: string): Promise<Detail> {
  const { details } = stateOf(bot);
  if (!bot.hasMarket(ticker)) throw new ProblemFault('not-found', 'there is no market of this ticker');
  const known = details.get(ticker);
  if (known !== undefined) return known;
  if (!bot.watchMarket(ticker))
    throw new ProblemFault('too-many', 'too many markets are watched', { retryAfterMs: 5000 });
  try {
    return await firstDetail(bot, ticker);
  } finally {
    bot.unwatchMarket(ticker);
  }
}

function firstDetail(bot: ConsoleBot, ticker: string): Promise<Detail> {
  return new Promise((resolve, reject) => {
    const reader = {
      onChange: (): void => {
        const found = bot.source.state?.details.get(ticker);
        if (found === undefined) return;
        finish();
        resolve(found);
      },
    };
    const timer = setTimeout(() => {
      finish();
      reject(new ProblemFault('bot-silent', 'the bot did not send the market in time'));
    }, WATCH_MS);
    const finish = (): void => {
      clearTimeout(timer);
      bot.removeReader(reader);
    };
    bot.addReader(reader);
  });
}

function addSessionViews(app: ConsoleApp, { bots }: ConsoleAppOptions): void {
  app.openapi(routes.ordersRoute, (context) => {
    const bot = botNamed(bots, context.req.valid('param').bot);
    return context.json(views.ordersPage(stateOf(bot), context.req.valid('query')), 200);
  });
  app.openapi(routes.orderRoute, (context) => {
    const { bot, id } = context.req.valid('param');
    const state = stateOf(botNamed(bots, bot));
    const order = views.findOrder(state, id);
    if (order === undefined) throw new ProblemFault('not-found', 'there is no order of this id in the session');
    return context.json({ order, asOfUs: views.timeOf(state) }, 200);
  });
  app.openapi(routes.strategiesRoute, (context) =>
    context.json(views.strategiesView(sessionOf(botNamed(bots, context.req.valid('param').bot))), 200),
  );
  app.openapi(routes.riskRoute, (context) =>
    context.json(views.riskView(sessionOf(botNamed(bots, context.req.valid('param').bot))), 200),
  );
  app.openapi(routes.feedRoute, (context) =>
    context.json(views.feedView(sessionOf(botNamed(bots, context.req.valid('param').bot))), 200),
  );
  app.openapi(routes.timelineRoute, (context) => {
    const state = stateOf(botNamed(bots, context.req.valid('param').bot));
    return context.json(views.timelineView(state, context.req.valid('query')), 200);
  });
  app.openapi(routes.denialsRoute, (context) => {
    const session = sessionOf(botNamed(bots, context.req.valid('param').bot));
    return context.json(views.denialsView(session, context.req.valid('query').strategy), 200);
  });
}

function addLive(app: ConsoleApp, options: ConsoleAppOptions): void {
  const { bots, nowMs } = options;
  app.openapi(routes.overviewLiveRoute, (context) =>
    openStream(context, options, { gapMs: GAP_MS.session, makeSource: () => new OverviewStream(bots, nowMs) }),
  );
  app.openapi(routes.botLiveRoute, (context) => {
    const bot = botNamed(bots, context.req.valid('param').bot);
    const query = context.req.valid('query');
    const lastEventId = context.req.header('Last-Event-ID');
    const watched = query.view === 'market' ? (query.market ?? '') : null;
    const makeSource = (): MessageSource => {
      if (watched !== null && !bot.watchMarket(watched))
        throw new ProblemFault('too-many', 'too many markets are watched', { retryAfterMs: 5000 });
      return new BotStream({ bot, query, lastEventId, nowMs });
    };
    const onEnd = (): void => (watched === null ? undefined : bot.unwatchMarket(watched));
    return openStream(context, options, { gapMs: GAP_MS[query.view], makeSource, onEnd });
  });
}

interface StreamOptions {
  readonly gapMs: number;
  readonly makeSource: () => MessageSource;
  readonly onEnd?: () => void;
}

function openStream(
  context: ConsoleContext,
  { clients, guard, log }: ConsoleAppOptions,
  { gapMs, makeSource, onEnd }: StreamOptions,
): Response {
  const caller = callerOf(context);
  // The body of an answer to HEAD is never read: a reader would hold its place until it is dropped.
  if (context.env.checked.method === 'HEAD') return context.body(null, 200, { 'Content-Type': 'text/event-stream' });
  if (!clients.addClient(caller.address)) throw new ProblemFault('too-many', TOO_MANY_STREAMS, { retryAfterMs: 5000 });
  let source: MessageSource | null = null;
  try {
    source = makeSource();
  } finally {
    if (source === null) clients.removeClient(caller.address);
  }
  return liveResponse(context, {
    source,
    gapMs,
    isAllowed: () => guard.isStillLoggedIn(caller),
    destroy: () => void context.env.outgoing.destroy(),
    onEnd: (isDropped) => {
      clients.removeClient(caller.address);
      onEnd?.();
      if (!isDropped) return;
      clients.dropped += 1;
      log.warn({ address: caller.address }, 'a reader of the live stream did not read, and was dropped');
    },
  });
}
