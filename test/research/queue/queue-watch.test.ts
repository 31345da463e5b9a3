// The watch over the queue's server: a server that goes away and comes back is news, each once.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openConnection, untilWritten } from '../../../src/research/queue/queue-connection.ts';
import type { QueueAddress } from '../../../src/research/queue/queue-address.ts';
import { showServerNews } from '../../../src/cli/study/queue-notices.ts';
import { QueueWatch, type ServerNews } from '../../../src/research/queue/queue-watch.ts';
import { REDIS_MISSING, RedisServer } from '../../support/queue/redis-server.ts';
import { PATIENCE_MS } from '../../support/runner/patience.ts';

describe.skipIf(REDIS_MISSING !== null)('a watch over the queue', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.close());

  const address = (): QueueAddress => server.queueAddress('a secret of sixteen characters or more');
  const connect = () => openConnection(address());

  it('says when the server cannot write to its disk, and when it can again', async () => {
    const redis = await connect();
    const news: ServerNews[] = [];
    const watch = new QueueWatch({ redis, onNews: (each) => news.push(each), askMs: 50 });
    await server.refuseWrites();
    const untilNews = (count: number) => vi.waitFor(() => expect(news).toHaveLength(count), { timeout: PATIENCE_MS });
    await untilNews(1);
    let isWritten = false;
    const written = untilWritten(() => redis.set('result', 'text')).then(() => (isWritten = true));
    await expect(redis.set('other', 'text')).rejects.toThrow('MISCONF');
    expect(isWritten).toBe(false);
    await server.takeWrites();
    await untilNews(2);
    await written;
    expect(await redis.get('result')).toBe('text');
    watch.close();
    redis.disconnect();
    expect(news).toEqual([{ type: 'away', reason: expect.stringMatching(/^MISCONF /) }, { type: 'back' }]);
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    showServerNews(news[0]!, address());
    expect(write.mock.calls[0]?.[0]).toMatch(
      /^presage: queue redis:\S+: it cannot write to its disk \(MISCONF .*\); waiting until it can: free space there, or Ctrl-C stops\n$/,
    );
    write.mockRestore();
  });

  it('says when the server goes away, with the reason, and when it is back', async () => {
    const redis = await connect();
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
