// Every known body of a refusal.
import { describe, expect, it } from 'vitest';
import { encodeError, decodeError } from '../../../../src/venues/trade-api/wire/error-body.ts';

describe('the body of a refusal', () => {
  it.each([
    [
      400,
      '{"error":{"code":"invalid_order","message":"invalid order","details":"post only cross"}}',
      { code: 'invalid_order', message: 'invalid order', details: 'post only cross' },
    ],
    [
      400,
      '{"code":"bad_request","message":"bad request","details":"json: cannot unmarshal"}',
      { code: 'bad_request', message: 'bad request', details: 'json: cannot unmarshal' },
    ],
    [
      400,
      '{"msg":"Parameter validation failed"}',
      { code: 'http_400', message: 'Parameter validation failed', details: null },
    ],
    [429, '{"error":"too many requests"}', { code: 'http_429', message: 'too many requests', details: null }],
    [404, '404 page not found\n', { code: 'http_404', message: '404 page not found', details: null }],
    [502, '', { code: 'http_502', message: null, details: null }],
    [500, '{"error":null}', { code: 'http_500', message: '{"error":null}', details: null }],
    [500, '[1]', { code: 'http_500', message: '[1]', details: null }],
    [500, '"oops"', { code: 'http_500', message: '"oops"', details: null }],
  ])('reads the refusal %d %s', (status, body, expected) => {
    expect(decodeError(status, body)).toEqual(expected);
  });

  it('truncates a long message', () => {
    expect(decodeError(502, 'x'.repeat(10_000)).message).toHaveLength(201);
  });

  it('decodes an encoded error body', () => {
    const refusal = { code: 'order_already_exists', message: null, details: 'id a' };
    expect(decodeError(409, JSON.stringify(encodeError(refusal)))).toEqual({
      ...refusal,
      message: 'order already exists',
    });
  });
});
