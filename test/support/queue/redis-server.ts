// A Redis server of a test's own, on a free port of 127.0.0.1, with its files in a temporary folder. Must never reach a server
// that it did not start.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { QueueAddress } from '../../../src/research/queue/queue-address.ts';

/** The file of a snapshot. A folder of that name makes the snapshot fail. */
const SNAPSHOT = 'dump.rdb';

/** Why tests with Redis are skipped; `null` when they run. */
export const REDIS_MISSING: string | null = isInstalled() ? null : 'redis-server is not installed';

function isInstalled(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The server. It can be killed and started again, with its files or without. */
export class RedisServer {
  readonly port: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'presage-redis-'));
  #child: ChildProcess | null = null;

  private constructor(port: number) {
    this.port = port;
  }

  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await freePort());
    await server.restart();
    return server;
  }

  get address(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** The server as the place of a queue whose files are signed with a secret. */
  queueAddress(secret: string): QueueAddress {
    const open = { db: 0, isEncrypted: false, username: undefined, password: undefined };
    return { host: '127.0.0.1', port: this.port, ...open, secret, text: this.address };
  }

  /** Starts the server after a kill, and waits until it answers. */
  async restart({ isEmpty = false }: { readonly isEmpty?: boolean } = {}): Promise<void> {
    if (isEmpty) rmSync(join(this.#folder, 'appendonlydir'), { recursive: true, force: true });
    const args = ['--port', this.port, '--bind', '127.0.0.1', '--dir', this.#folder, '--save', ''];
    const kept = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction'];
    this.#child = spawn('redis-server', [...args.map(String), ...kept], { stdio: 'ignore' });
    await this.ask(async (redis) => redis.ping());
  }

  /** Asks the server something, and waits for it where necessary. */
  async ask<Answer>(question: (redis: Redis) => Promise<Answer>): Promise<Answer> {
    const redis = new Redis({ port: this.port, host: '127.0.0.1', maxRetriesPerRequest: null, replyMapping: 'legacy' });
    redis.on('error', () => undefined);
    try {
      return await question(redis);
    } finally {
      redis.disconnect();
    }
  }

  /** Makes the server refuse to write, as on a full disk: it cannot save its snapshot. */
  async refuseWrites(): Promise<void> {
    mkdirSync(join(this.#folder, SNAPSHOT));
    await this.ask(async (redis) => {
      await redis.config('SET', 'save', '3600 1');
      await redis.bgsave();
      while (!(await redis.info('persistence')).includes('rdb_last_bgsave_status:err')) await delay(10);
    });
  }

  /** Makes the server write again. */
  async takeWrites(): Promise<void> {
    rmSync(join(this.#folder, SNAPSHOT), { recursive: true });
    await this.ask((redis) => redis.config('SET', 'save', ''));
  }

  /** Kills the server at once. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#child = null;
    const gone = new Promise((resolve) => {
      child.once('close', resolve);
    });
    child.kill('SIGKILL');
    await gone;
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
