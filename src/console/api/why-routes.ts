// Routes that explain the trades of a bot, or follow one order. The answers are those of `presage why`.
import { createRoute, z } from '@hono/zod-openapi';
import { whyAnswerSchema, whyOrderSchema } from '../../why/why-answer.ts';
import { COMMON_PROBLEMS } from './read-routes.ts';
import { botParams, orderParams } from './view-schemas.ts';

const name = z.string().min(1).max(200);

/** A question about one market at one time. */
export const whyQuery = z.object({
  market: name,
  /** An ISO time such as `2026-11-21T07:45:00Z`, a UTC time of day such as `14:02:10`, or an age such as `-5m`. */
  at: z.string().min(1).max(40),
  /** @default every strategy of the session. */
  strategy: name.optional(),
  /** @default the session that ran at that time. */
  session: name.optional(),
});

const answersSchema = z.object({ answers: z.array(whyAnswerSchema) }).openapi('WhyAnswers');

export const whyRoute = createRoute({
  method: 'get',
  path: '/api/v1/bots/{bot}/why',
  summary: 'Why strategies traded in a market at a moment, or why they did not',
  request: { params: botParams, query: whyQuery },
  responses: {
    200: { content: { 'application/json': { schema: answersSchema } }, description: 'An answer for each strategy' },
    ...COMMON_PROBLEMS,
  },
});

export const whyOrderRoute = createRoute({
  method: 'get',
  path: '/api/v1/bots/{bot}/why/order/{id}',
  summary: 'One order from the input that caused it to its last fill',
  request: { params: orderParams },
  responses: {
    200: { content: { 'application/json': { schema: whyOrderSchema } }, description: 'The chain of the order' },
    ...COMMON_PROBLEMS,
  },
});
