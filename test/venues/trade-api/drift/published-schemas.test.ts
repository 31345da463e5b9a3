// Answers and messages against a published file: the right part is used, and anything missing in it is undescribed.
import { describe, expect, it } from 'vitest';
import {
  PublishedApi,
  PublishedFeed,
  SpecificationFault,
} from '../../../../src/venues/trade-api/drift/published-schemas.ts';

const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const text = { type: 'string' };
const API = {
  openapi: '3.0.0',
  paths: {
    '/orders/{id}': {
      get: { responses: { 200: json({ type: 'object', properties: { order: text } }) } },
      delete: { responses: { 200: json({ type: 'object', properties: { gone: text } }), 404: { $ref: '#/missing' } } },
    },
    '/orders/batched': { delete: { responses: { 200: json({ type: 'object', properties: { batch: text } }) } } },
    '/orders': { delete: { responses: { 204: { description: 'no content' } } } },
  },
  missing: json({ type: 'object', properties: { code: text } }),
};
const FEED = {
  asyncapi: '3.0.0',
  components: {
    messages: {
      command: { payload: { type: 'object', properties: { cmd: { const: 'subscribe' } } } },
      ticker: { payload: { $ref: '#/components/schemas/ticker' } },
    },
    schemas: {
      ticker: {
        type: 'object',
        required: ['sid'],
        properties: { type: { const: 'ticker' }, sid: { type: 'integer' } },
      },
    },
  },
};

const api = new PublishedApi(API, '/v2');
/** The findings in an answer to a request such as `GET /v2/orders`. */
const answered = (request: string, status: number, body: string | null) => {
  const [method = '', path = ''] = request.split(' ');
  return api.compareAnswer({ method, path, status, body }).map(({ kind, path: place }) => `${kind} ${place}`);
};

describe('an answer', () => {
  it('compares an answer with its endpoint, whatever its path parameters and query', () => {
    expect(answered('GET /v2/orders/17?depth=1', 200, '{"order":"x"}')).toEqual([]);
    expect(answered('GET /v2/orders/17', 200, '{"order":1}')).toEqual(['wrong-type order']);
  });

  it('takes the endpoint with the most literal path', () => {
    expect(answered('DELETE /v2/orders/batched', 200, '{"batch":"x"}')).toEqual([]);
    expect(api.endpointNameOf({ method: 'DELETE', path: '/v2/orders/batched' })).toBe('DELETE /orders/batched');
    expect(api.endpointNameOf({ method: 'DELETE', path: '/v2/orders/17' })).toBe('DELETE /orders/{id}');
  });

  it('compares a refusal with the description of its status, also by reference', () => {
    expect(answered('DELETE /v2/orders/17', 404, '{"code":"x"}')).toEqual([]);
    expect(answered('DELETE /v2/orders/17', 404, '{"error":{}}')).toEqual(['unknown-field error']);
  });

  it('reports an unknown endpoint, method or status as undescribed', () => {
    expect(answered('GET /v2/nothing', 200, '{}')).toEqual(['undescribed (the whole)']);
    expect(answered('POST /v2/orders/17', 200, '{}')).toEqual(['undescribed (the whole)']);
    expect(answered('GET /v2/orders/17', 418, '{}')).toEqual(['undescribed (the whole)']);
  });

  it('accepts an empty body where none is described, and reports any other', () => {
    expect(answered('DELETE /v2/orders', 204, null)).toEqual([]);
    expect(answered('DELETE /v2/orders', 204, '{"a":1}')).toEqual(['undescribed (the whole)']);
  });

  it('reports a body that is not JSON as a wrong type', () => {
    expect(answered('GET /v2/orders/17', 200, '<html>')).toEqual(['wrong-type (the whole)']);
  });
});

describe('a message', () => {
  const feed = new PublishedFeed(FEED);

  it('compares a message with the payload of its type', () => {
    expect(feed.compareMessage({ type: 'ticker', sid: 1 })).toEqual([]);
    expect(feed.compareMessage({ type: 'ticker', price: 1 }).map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'missing-field sid',
      'unknown-field price',
    ]);
  });

  it('reports a message of an unknown type as undescribed, and also a value that is not a message', () => {
    expect(feed.compareMessage({ type: 'subscribe' })).toMatchObject([
      { kind: 'undescribed', found: 'type "subscribe"' },
    ]);
    expect(feed.compareMessage('heartbeat')).toMatchObject([{ kind: 'undescribed' }]);
  });
});

describe('another kind of file', () => {
  it.each([null, [], {}, { openapi: '2.0', paths: {} }, { asyncapi: '2.6.0', components: {} }])(
    'refuses a file that is not a specification: %j',
    (file) => {
      expect(() => new PublishedApi(file, '')).toThrow(SpecificationFault);
      expect(() => new PublishedFeed(file)).toThrow(SpecificationFault);
    },
  );
});
