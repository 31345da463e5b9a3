// Answers and messages beside a published file: the right part of it is asked, and what it lacks is said to be undescribed.
import { describe, expect, it } from 'vitest';
import { PublishedApi, PublishedFeed, SpecificationFault } from '../../../../src/venues/trade-api/drift/published.ts';

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
/** What is found in an answer to a request such as `GET /v2/orders`. */
const answered = (request: string, status: number, body: string | null) => {
  const [method = '', path = ''] = request.split(' ');
  return api.compare({ method, path, status, body }).map(({ kind, path: place }) => `${kind} ${place}`);
};

describe('an answer', () => {
  it('is laid beside its endpoint, whatever stands in its path and query', () => {
    expect(answered('GET /v2/orders/17?depth=1', 200, '{"order":"x"}')).toEqual([]);
    expect(answered('GET /v2/orders/17', 200, '{"order":1}')).toEqual(['wrong-type order']);
  });

  it('is of the endpoint that says most of its path', () => {
    expect(answered('DELETE /v2/orders/batched', 200, '{"batch":"x"}')).toEqual([]);
    expect(api.nameOf({ method: 'DELETE', path: '/v2/orders/batched' })).toBe('DELETE /orders/batched');
    expect(api.nameOf({ method: 'DELETE', path: '/v2/orders/17' })).toBe('DELETE /orders/{id}');
  });

  it('of a refusal is laid beside what is said of its status, also by reference', () => {
    expect(answered('DELETE /v2/orders/17', 404, '{"code":"x"}')).toEqual([]);
    expect(answered('DELETE /v2/orders/17', 404, '{"error":{}}')).toEqual(['unknown-field error']);
  });

  it('of an unknown endpoint, method or status is undescribed', () => {
    expect(answered('GET /v2/nothing', 200, '{}')).toEqual(['undescribed (the whole)']);
    expect(answered('POST /v2/orders/17', 200, '{}')).toEqual(['undescribed (the whole)']);
    expect(answered('GET /v2/orders/17', 418, '{}')).toEqual(['undescribed (the whole)']);
  });

  it('without a body is as described where none is, and one with a body is not', () => {
    expect(answered('DELETE /v2/orders', 204, null)).toEqual([]);
    expect(answered('DELETE /v2/orders', 204, '{"a":1}')).toEqual(['undescribed (the whole)']);
  });

  it('that is no JSON is of the wrong type', () => {
    expect(answered('GET /v2/orders/17', 200, '<html>')).toEqual(['wrong-type (the whole)']);
  });
});

describe('a message', () => {
  const feed = new PublishedFeed(FEED);

  it('is laid beside the payload of its type', () => {
    expect(feed.compare({ type: 'ticker', sid: 1 })).toEqual([]);
    expect(feed.compare({ type: 'ticker', price: 1 }).map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'missing-field sid',
      'unknown-field price',
    ]);
  });

  it('of an unknown type is undescribed, and so is what is none', () => {
    expect(feed.compare({ type: 'subscribe' })).toMatchObject([{ kind: 'undescribed', found: 'type "subscribe"' }]);
    expect(feed.compare('heartbeat')).toMatchObject([{ kind: 'undescribed' }]);
  });
});

describe('a file that is something else', () => {
  it.each([null, [], {}, { openapi: '2.0', paths: {} }, { asyncapi: '2.6.0', components: {} }])(
    'is refused: %j',
    (file) => {
      expect(() => new PublishedApi(file, '')).toThrow(SpecificationFault);
      expect(() => new PublishedFeed(file)).toThrow(SpecificationFault);
    },
  );
});
