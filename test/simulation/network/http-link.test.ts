// The HTTP client of a dead simulated bot: its requests are never answered, and hold no memory.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, vi } from 'vitest';
import type { HttpRequest } from '../../../src/transport/http-client.ts';
import { HttpLink, type LinkOptions } from './http-link.ts';

const request: HttpRequest = { method: 'GET', path: '/', headers: {}, body: null, timeoutMs: 1000 };

it('a request of a dead process holds no reference to its waiter', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // The link reads nothing else of its options here.
  const link = new HttpLink({ life: { isAlive: false } } as unknown as LinkOptions);
  const wait = (): WeakRef<object> => {
    const waiting = { since: 1 };
    void link.request(request).then(() => waiting);
    return new WeakRef(waiting);
  };
  const waiting = Array.from({ length: 10 }, wait);
  await vi.waitFor(
    () => {
      collect();
      expect(waiting.filter((one) => one.deref() !== undefined)).toEqual([]);
    },
    { timeout: 60_000, interval: 20 },
  );
});
