// The route that sends a test alert to the targets of the bots' configs.
import { createRoute, z } from '@hono/zod-openapi';
import { problemSchema } from './api-schemas.ts';
import { COMMON_PROBLEMS } from './read-routes.ts';
import { liveEventSchema } from '../../runtime/follow/follow-messages.ts';

const text = z.string();

const bodySchema = z
  .strictObject({
    /** @default every bot whose config has alerts. */
    bot: text.min(1).max(200).optional(),
    severity: liveEventSchema.shape.severity.default('warning'),
  })
  .openapi('AlertTest');

const resultSchema = z
  .object({
    isAccepted: z.boolean(),
    targets: z.array(
      z.object({
        bot: text,
        target: text,
        type: text,
        isAccepted: z.boolean(),
        answer: text,
        elapsedMs: z.int(),
        remark: z.nullable(text),
      }),
    ),
  })
  .openapi('AlertTestResult');
export type AlertTestResult = z.output<typeof resultSchema>;

const problem = { content: { 'application/problem+json': { schema: problemSchema } } };

export const alertTestRoute = createRoute({
  method: 'post',
  path: '/api/v1/alerts/test',
  summary: 'Send a test alert to each target, and say what each answered',
  request: { body: { content: { 'application/json': { schema: bodySchema } }, required: true } },
  responses: {
    200: { content: { 'application/json': { schema: resultSchema } }, description: 'The answers' },
    409: { ...problem, description: 'No config of these bots has alerts' },
    ...COMMON_PROBLEMS,
  },
});
