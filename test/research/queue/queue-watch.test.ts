// The watch over the queue's server: a server that goes away and comes back is news, each once.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openConnection } from '../../../src/research/queue/queue-connection.ts';
import { QueueWatch, type ServerNews } from '../../../src/research/queue/queue-watch.ts';
import { REDIS_MISSING, RedisServer } from '../../support/queue/redis-server.ts';
import { PATIENCE_MS } from '../../support/runner/patience.ts';

describe.skipIf(REDIS_MISSING !== null)('a watch over the queue', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.close());

  it('says when the server goes away, with the reason, and when it is back', async () => {
    const { port, address: text } = server;
    const account = { username: undefined, password: undefined, secret: 'a secret of sixteen characters or more' };
    const redis = await openConnection({ host: '127.0.0.1', port, db: 0, isEncrypted: false, text, ...account });
    const news: ServerNews[] = [];
    const untilNews = (count: number) =>
      vi.waitFor(() => expect(news.length).toBeGreaterThanOrEqual(count), { timeout: PATIENCE_MS });
    await redis.ping();
    const watch = new QueueWatch({ redis, onNews: (each) => news.push(each), askMs: 200 });
    await server.kill();
    await untilNews(1);
    await server.restart();
    await untilNews(2);
    await server.kill();
    await untilNews(3);
    watch.close();
    redis.disconnect();
    expect(news.map(({ type }) => type)).toEqual(['away', 'back', 'away']);
    expect(news[0]).toMatchObject({ reason: expect.stringContaining('ECONNREFUSED') });
  });
});
