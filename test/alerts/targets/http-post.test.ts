// One request to a receiver: what it reads of an answer that does not end, and where it does not go.
import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ANSWER_BYTES_MAX, postOnce } from '../../../src/alerts/targets/http-post.ts';

const CHUNK = Buffer.alloc(65_536, 'x');
/** More than any socket buffers. */
const CHUNKS = 1024;

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = null;
});

/** Serves on a port of this machine. Returns its address. */
async function serve(answer: (response: ServerResponse, path: string) => void): Promise<string> {
  const opened = createServer((request, response) => answer(response, request.url ?? ''));
  server = opened;
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(opened.address() as AddressInfo).port}`;
}

describe('a request to a receiver', () => {
  it('reads the beginning of an answer alone, and closes the connection', async () => {
    let wasCutOff: Promise<boolean> = Promise.resolve(false);
    const url = await serve((response) => {
      wasCutOff = new Promise((resolve) => response.on('close', () => resolve(!response.writableFinished)));
      let left = CHUNKS;
      const write = (): void => {
        for (let hasRoom = true; left > 0 && hasRoom; left -= 1) hasRoom = response.write(CHUNK);
        if (left === 0) response.end();
      };
      response.on('drain', write);
      write();
    });
    const answer = await postOnce({ url, body: '{}', timeoutMs: 600_000 });
    expect(answer).toMatchObject({ type: 'answered', status: 200 });
    expect(answer.type === 'answered' && answer.body.length).toBe(ANSWER_BYTES_MAX);
    expect(await wasCutOff).toBe(true);
  });

  it('follows no redirect', async () => {
    const asked: string[] = [];
    const url = await serve((response, path) => {
      asked.push(path);
      response.writeHead(307, { Location: '/elsewhere' }).end();
    });
    expect(await postOnce({ url: `${url}/here`, body: '{}' })).toMatchObject({ type: 'answered', status: 307 });
    expect(asked).toEqual(['/here']);
  });
});
