// Answers read from bytes, cut anywhere: the same parts as Node's own parser gives, and a fault wherever the end is
// uncertain.
import { type IncomingMessage, request } from 'node:http';
import { type Server, type Socket, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { array, assert, asyncProperty, boolean, constantFrom, integer, record, string } from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpHeaders } from '../../src/transport/http-client.ts';
import { ResponseFault, ResponseReader } from '../../src/transport/response-reader.ts';

interface Read {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: string;
  readonly isReusable: boolean;
}

/** Reads one answer from pieces; `null` while it is not complete. */
function read(pieces: readonly Buffer[], isClosed = false): Read | null {
  let [status, headers, isOver] = [0, {} as HttpHeaders, false];
  const chunks: Buffer[] = [];
  const reader = new ResponseReader({
    onResponseStart: (code, own) => ([status, headers] = [code, own]),
    onResponseData: (bytes) => void chunks.push(Buffer.from(bytes)),
    onResponseEnd: () => (isOver = true),
  });
  reader.begin();
  for (const piece of pieces) reader.readBytes(piece);
  if (isClosed) reader.endInput();
  return isOver
    ? { status, headers, body: Buffer.concat(chunks).toString('utf8'), isReusable: reader.isReusable }
    : null;
}

function piecesOf(text: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.subarray(at * size, (at + 1) * size));
}

const whole = (text: string): Read | null => read([Buffer.from(text)]);

describe('an answer', () => {
  it.each([
    ['with a length', 'HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\n{}', 201, '{}', true],
    ['without a body', 'HTTP/1.1 204 No Content\r\n\r\n', 204, '', true],
    ['of no length', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', 200, '', true],
    ['without a reason', 'HTTP/1.1 200\r\ncontent-length: 1\r\n\r\nx', 200, 'x', true],
    [
      'in chunks',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n2;a=b\r\n{"\r\nA\r\n0123456789\r\n0\r\nx: y\r\n\r\n',
      200,
      '{"0123456789',
      true,
    ],
    [
      'behind an interim one',
      'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx',
      200,
      'x',
      true,
    ],
    ['before a close', 'HTTP/1.1 200 OK\r\nConnection: Close\r\ncontent-length: 1\r\n\r\nx', 200, 'x', false],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\nx', 200, 'x', false],
    ['with bytes behind it', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nxHTTP/1.1 200 OK', 200, 'x', false],
  ])('%s is read, however it is cut', (_what, text, status, body, isReusable) => {
    for (const size of [1, 2, 3, 7, 1000])
      expect(read(piecesOf(Buffer.from(text), size))).toMatchObject({
        status,
        body,
        ...(size === 1000 && { isReusable }),
      });
  });

  it('without a length ends when the server closes', () => {
    const text = Buffer.from('HTTP/1.1 200 OK\r\n\r\nabc');
    expect(read([text])).toBeNull();
    expect(read([text], true)).toMatchObject({ body: 'abc' });
  });

  it('gives repeated headers as a list', () => {
    const answer = whole('HTTP/1.1 200 OK\r\nA: 1\r\na:  2 \r\ncontent-length: 0\r\n\r\n');
    expect(answer?.headers['a']).toEqual(['1', '2']);
  });

  it.each([
    ['of another protocol', 'kaput\r\n\r\n'],
    ['with a bare line feed', 'HTTP/1.1 200 OK\ncontent-length: 0\r\n\r\n'],
    ['with a folded header', 'HTTP/1.1 200 OK\r\na: b\r\n c\r\ncontent-length: 0\r\n\r\n'],
    ['with a space before a colon', 'HTTP/1.1 200 OK\r\ncontent-length : 0\r\n\r\n'],
    ['with two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\nx'],
    ['with a length that is no number', 'HTTP/1.1 200 OK\r\ncontent-length: +1\r\n\r\nx'],
    ['with a length and chunks', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['in another coding', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
    ['with a chunk of no size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n'],
    ['with a chunk that is longer than it says', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nxy\r\n'],
    ['that changes the protocol', 'HTTP/1.1 101 Switching\r\n\r\n'],
    ['with an endless head', `HTTP/1.1 200 OK\r\na: ${'x'.repeat(20_000)}`],
  ])('%s is a fault', (_what, text) => {
    expect(() => whole(text)).toThrow(ResponseFault);
  });

  it.each([
    ['its head', 'HTTP/1.1 200 OK\r\ncontent-le'],
    ['its body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}'],
    ['a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{'],
    ['its last chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n'],
  ])('that ends within %s is a fault', (_what, text) => {
    expect(() => read([Buffer.from(text)], true)).toThrow('before the answer was complete');
  });
});

describe('beside the parser of Node.js', () => {
  let server: Server;
  let answer = Buffer.alloc(0);
  beforeAll(async () => {
    server = createServer((socket: Socket) => {
      socket.on('error', () => socket.destroy());
      socket.once('data', () => socket.end(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void server.close());

  /** Reads the same bytes with Node.js. */
  async function readByNode(): Promise<Pick<Read, 'status' | 'body'>> {
    const { port } = server.address() as AddressInfo;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ port, host: '127.0.0.1', agent: false }, resolve).on('error', reject).end();
    });
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') };
  }

  const answers = record({
    status: constantFrom(200, 201, 400, 404, 429, 500),
    chunks: array(string({ minLength: 1, maxLength: 40 }), { maxLength: 5 }),
    isChunked: boolean(),
    headers: array(record({ name: constantFrom('a', 'Date', 'X-y'), value: constantFrom('', '1', 'a b') }), {
      maxLength: 4,
    }),
    size: integer({ min: 1, max: 60 }),
  });

  it('the same answers are read', async () => {
    await assert(
      asyncProperty(answers, async ({ status, chunks, isChunked, headers, size }) => {
        const body = isChunked
          ? [...chunks, ''].map((text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`).join('')
          : chunks.join('');
        const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${Buffer.byteLength(body)}`;
        const lines = [
          `HTTP/1.1 ${status} X`,
          ...headers.map(({ name, value }) => `${name}: ${value}`),
          length,
          '',
          body,
        ];
        answer = Buffer.from(lines.join('\r\n'));
        const own = read(piecesOf(answer, size));
        expect(own).toMatchObject({ isReusable: true });
        expect({ status: own?.status, body: own?.body }).toEqual(await readByNode());
      }),
      { numRuns: 60 },
    );
  });
});
