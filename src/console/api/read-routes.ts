// Routes of the HTTP API that read, and the routes of the login.
import { createRoute, type z } from '@hono/zod-openapi';
import { botRowSchema, chartSchema, marketsPageSchema, problemSchema, sessionSchema } from './api-schemas.ts';
import {
  botParams,
  botsSchema,
  chartQuery,
  denialsQuery,
  denialsSchema,
  feedSchema,
  liveMessageSchema,
  liveQuery,
  loginBodySchema,
  marketParams,
  marketSchema,
  marketsQuery,
  orderParams,
  orderSchema,
  ordersPageSchema,
  ordersQuery,
  riskSchema,
  strategiesSchema,
  timelineQuery,
  timelineSchema,
} from './view-schemas.ts';

const json = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  content: { 'application/json': { schema } },
  description,
});

const problem = (description: string) => ({
  content: { 'application/problem+json': { schema: problemSchema } },
  description,
});

/** Problems that are common to the routes. */
export const COMMON_PROBLEMS = {
  400: problem('The request cannot be read'),
  401: problem('No login'),
  403: problem('The role, the origin or the peer is not allowed'),
  404: problem('There is no such resource'),
  421: problem('The host is not served here'),
  422: problem('The request does not fit its schema'),
  429: problem('Too many requests'),
  500: problem('The console failed'),
  503: problem('The bot does not answer'),
} as const;

const stream = {
  content: { 'text/event-stream': { schema: liveMessageSchema } },
  description: 'Events of the live stream. Each has the name `event` and the JSON text of `data`',
};

export const loginRoute = createRoute({
  method: 'post',
  path: '/api/v1/session',
  summary: 'Log in with a token, or with the one-time code of the printed link',
  request: { body: { content: { 'application/json': { schema: loginBodySchema } }, required: true } },
  responses: { 204: { description: 'Logged in: the answer sets the cookie' }, ...COMMON_PROBLEMS },
});

export const logoutRoute = createRoute({
  method: 'delete',
  path: '/api/v1/session',
  summary: 'Log out',
  responses: { 204: { description: 'Logged out' }, ...COMMON_PROBLEMS },
});

export const whoRoute = createRoute({
  method: 'get',
  path: '/api/v1/session',
  summary: 'Who is logged in',
  responses: { 200: json(sessionSchema, 'The login'), ...COMMON_PROBLEMS },
});

export const botsRoute = createRoute({
  method: 'get',
  path: '/api/v1/bots',
  summary: 'All bots',
  responses: { 200: json(botsSchema, 'A row for each bot'), ...COMMON_PROBLEMS },
});

export const botRoute = createRoute({
  method: 'get',
  path: '/api/v1/bots/{bot}',
  summary: 'One bot',
  request: { params: botParams },
  responses: { 200: json(botRowSchema, 'The bot'), ...COMMON_PROBLEMS },
});

export const overviewLiveRoute = createRoute({
  method: 'get',
  path: '/api/v1/live',
  summary: 'The live overview of all bots',
  responses: { 200: stream, ...COMMON_PROBLEMS },
});

export const botLiveRoute = createRoute({
  method: 'get',
  path: '/api/v1/bots/{bot}/live',
  summary: 'The live state of one bot, for one view',
  request: { params: botParams, query: liveQuery },
  responses: { 200: stream, ...COMMON_PROBLEMS },
});

export const marketsRoute = createRoute({
  method: 'get',
  path: '/api/v1/bots/{bot}/markets',
  summary: 'A window of the sorted and filtered table of markets',
  request: { params: botParams, query: marketsQuery },
  responses: { 200: json(marketsPageSchema, 'The window'), ...COMMON_PROBLEMS },
});

export const marketRoute = createRoute({
  method: 'get',
  path: '/api/v1/bots/{bot}/markets/{ticker}',
  summary: 'One market: depth, our orders, prints, strategies',
  request: { params: marketParams },
  responses: { 200: json(marketSchema, 'The market'), ...COMMON_PROBLEMS },
});

export const chartRoute = createRoute({
  method: 'get',
  path: '/api/v1/bots/{bot}/markets/{ticker}/chart',
  summary: 'Best prices and our own over time, with our fills',
  request: { params: marketParams, query: chartQuery },
  responses: { 200: json(chartSchema, 'Columns of equal length'), ...COMMON_PROBLEMS },
});

export const ordersRoute = createRoute({
  method: 'get',
  path: '/api/v1/bots/{bot}/orders',
  summary: 'Orders of the session, newest first',
  request: { params: botParams, query: ordersQuery },
  responses: { 200: json(ordersPageSchema, 'A page of orders'), ...COMMON_PROBLEMS },
});

export const orderRoute = createRoute({
  method: 'get',
  path: '/api/v1/bots/{bot}/orders/{id}',
  summary: 'One order by its client order id or venue order id',
  request: { params: orderParams },
  responses: { 200: json(orderSchema, 'The order with its states'), ...COMMON_PROBLEMS },
});

export const strategiesRoute = createRoute({
  method: 'get',
  path: '/api/v1/bots/{bot}/strategies',
  summary: 'The strategies: results, limits, reasons and denials',
  request: { params: botParams },
  responses: { 200: json(strategiesSchema, 'The strategies'), ...COMMON_PROBLEMS },
});

export const riskRoute = createRoute({
  method: 'get',
  path: '/api/v1/bots/{bot}/risk',
  summary: 'Each limit beside its use, and the worst case by event group',
  request: { params: botParams },
  responses: { 200: json(riskSchema, 'The figures'), ...COMMON_PROBLEMS },
});

export const feedRoute = createRoute({
  method: 'get',
  path: '/api/v1/bots/{bot}/feed',
  summary: 'Feed, clock, drift and rate budgets',
  request: { params: botParams },
  responses: { 200: json(feedSchema, 'The figures'), ...COMMON_PROBLEMS },
});

export const timelineRoute = createRoute({
  method: 'get',
  path: '/api/v1/bots/{bot}/timeline',
  summary: 'Events of the session, newest first',
  request: { params: botParams, query: timelineQuery },
  responses: { 200: json(timelineSchema, 'The events'), ...COMMON_PROBLEMS },
});

export const denialsRoute = createRoute({
  method: 'get',
  path: '/api/v1/bots/{bot}/denials',
  summary: 'Denials and stated reasons of the strategies',
  request: { params: botParams, query: denialsQuery },
  responses: { 200: json(denialsSchema, 'Counts by code, and the latest remarks'), ...COMMON_PROBLEMS },
});
