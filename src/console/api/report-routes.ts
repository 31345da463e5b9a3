// The route of a session's report. It is the page that `presage journal report --html` writes.
import { createRoute, z } from '@hono/zod-openapi';
import { problemSchema } from './api-schemas.ts';
import { botParams } from './view-schemas.ts';

const page = z.string().openapi({ format: 'binary' });

/** A problem as a page for a browser, or as JSON for a program. */
const problem = (description: string) => ({
  content: { 'application/problem+json': { schema: problemSchema }, 'text/html': { schema: page } },
  description,
});

export const sessionReportRoute = createRoute({
  method: 'get',
  path: '/api/v1/bots/{bot}/sessions/{session}/report',
  summary: 'The full report of a session, as one page',
  description: 'The session is replayed for it, by a process of its own. One report is made at a time.',
  request: {
    params: botParams.extend({
      /** The first character is never `-`: the name is passed on to a program. */
      session: z.string().regex(/^[\w.][\w.-]{0,199}$/),
    }),
  },
  responses: {
    200: { content: { 'text/html': { schema: page } }, description: 'The page' },
    400: problem('The request cannot be read'),
    401: problem('No login'),
    403: problem('The role, the origin or the peer is not allowed'),
    404: problem('There is no such session'),
    421: problem('The host is not served here'),
    422: problem('The request does not fit its schema'),
    429: problem('Too many requests'),
    500: problem('The console failed'),
    503: problem('The report cannot be made'),
  },
});
