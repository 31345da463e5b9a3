// The reasons for the end of a connection, as text.
import { expect, test } from 'vitest';
import { describeDownReason, type DownReason } from '../../src/transport/down-reason.ts';

test('describes every reason for an end', () => {
  const reasons: DownReason[] = [
    { type: 'refused', status: 401, retryAfterMs: null, body: 'bad key' },
    { type: 'refused', status: 429, retryAfterMs: 999_999_000, body: '' },
    { type: 'unreachable', detail: 'ECONNREFUSED' },
    { type: 'handshake-timeout', timeoutMs: 3000 },
    { type: 'headers-failed', detail: 'no key' },
    { type: 'silent', silenceMs: 2000 },
    { type: 'closed', code: 1001, text: 'away' },
    { type: 'broken', detail: 'ECONNRESET' },
    { type: 'overflow', bufferedBytes: 9 },
    { type: 'stopped' },
  ];
  expect(reasons.map(describeDownReason)).toEqual([
    'handshake refused with status 401: bad key',
    'handshake refused with status 429, which asks for a wait of 999999 s',
    'unreachable: ECONNREFUSED',
    'no handshake within 3000 ms',
    'handshake headers could not be made: no key',
    'silent for 2000 ms, ping unanswered',
    'closed by the venue with code 1001: away',
    'broken: ECONNRESET',
    '9 bytes were waiting to be sent',
    'stopped by us',
  ]);
});
