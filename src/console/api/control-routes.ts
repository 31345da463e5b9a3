// Routes of the HTTP API that control a bot.
import { createRoute, z } from '@hono/zod-openapi';
import {
  actionSchema,
  cancelAllBodySchema,
  flattenBodySchema,
  flattenPreviewSchema,
  haltBodySchema,
  overrideBodySchema,
  problemSchema,
  reason,
  resumeBodySchema,
} from './api-schemas.ts';
import { COMMON_PROBLEMS } from './read-routes.ts';
import { actionParams, botParams } from './view-schemas.ts';

const body = <Schema extends z.ZodType>(schema: Schema) => ({
  content: { 'application/json': { schema } },
  required: true,
});

const accepted = {
  202: { content: { 'application/json': { schema: actionSchema } }, description: 'The action, and its present state' },
  409: {
    content: { 'application/problem+json': { schema: problemSchema } },
    description: 'The present state does not allow this',
  },
  413: { content: { 'application/problem+json': { schema: problemSchema } }, description: 'The body is too large' },
  415: { content: { 'application/problem+json': { schema: problemSchema } }, description: 'The body is not JSON' },
  ...COMMON_PROBLEMS,
} as const;

const endOverrideBodySchema = z.strictObject({ reason, actionId: z.uuid() }).openapi('EndOverride');
const actionPatchSchema = z.strictObject({ reason: reason.max(500) }).openapi('ActionPatch');
export const actionsSchema = z.object({ actions: z.array(actionSchema) }).openapi('Actions');

const controlRoute = <const Control extends string, Body extends z.ZodType>(
  control: Control,
  summary: string,
  schema: Body,
) =>
  createRoute({
    method: 'post',
    path: `/api/v1/bots/{bot}/${control}`,
    summary,
    request: { params: botParams, body: body(schema) },
    responses: accepted,
  });

export const haltRoute = controlRoute('halt', 'Halt a scope and cancel its orders', haltBodySchema);

export const resumeRoute = controlRoute('resume', 'Lift the halts of a scope', resumeBodySchema);

export const cancelAllRoute = controlRoute(
  'cancel-all',
  'Cancel the orders of a scope, and halt nothing',
  cancelAllBodySchema,
);

export const previewRoute = createRoute({
  method: 'post',
  path: '/api/v1/bots/{bot}/flatten/preview',
  summary: 'The orders that a flatten would send now, and their worst cost',
  request: { params: botParams, body: body(z.strictObject({})) },
  responses: {
    ...accepted,
    200: { content: { 'application/json': { schema: flattenPreviewSchema } }, description: 'Valid for 30 seconds' },
  },
});

export const flattenRoute = controlRoute(
  'flatten',
  'Halt the account, cancel every order and close every position',
  flattenBodySchema,
);

export const overrideRoute = controlRoute(
  'overrides',
  'Set one limit to another value for a while',
  overrideBodySchema,
);

export const endOverrideRoute = createRoute({
  method: 'delete',
  path: '/api/v1/bots/{bot}/overrides/{id}',
  summary: 'End an override. `id` is the limit, or the strategy and the limit as `strategy:limit`',
  request: { params: actionParams, body: body(endOverrideBodySchema) },
  responses: accepted,
});

export const actionsRoute = createRoute({
  method: 'get',
  path: '/api/v1/bots/{bot}/actions',
  summary: 'Actions of the last 24 hours, newest first',
  request: { params: botParams },
  responses: {
    200: { content: { 'application/json': { schema: actionsSchema } }, description: 'The actions' },
    ...COMMON_PROBLEMS,
  },
});

export const actionRoute = createRoute({
  method: 'get',
  path: '/api/v1/bots/{bot}/actions/{id}',
  summary: 'One action, and its present state',
  request: { params: actionParams },
  responses: {
    200: { content: { 'application/json': { schema: actionSchema } }, description: 'The action' },
    ...COMMON_PROBLEMS,
  },
});

export const actionReasonRoute = createRoute({
  method: 'patch',
  path: '/api/v1/bots/{bot}/actions/{id}',
  summary: 'Say the reason of a halt afterwards',
  request: { params: actionParams, body: body(actionPatchSchema) },
  responses: {
    200: { content: { 'application/json': { schema: actionSchema } }, description: 'The action' },
    409: accepted[409],
    ...COMMON_PROBLEMS,
  },
});
