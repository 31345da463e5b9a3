// The address of a queue: where credentials come from, what is refused, and that no password is ever shown.
import { describe, expect, it } from 'vitest';
import { queueAddress } from '../../../src/research/queue/queue-address.ts';
import { refuseUnfit } from '../../../src/research/queue/queue-connection.ts';

const PRESAGE_QUEUE_SECRET = 'sixteen or more characters';
const local = 'redis://127.0.0.1:7000/2';

describe('the address of a queue', () => {
  it('is that of the flag, with credentials from the environment', () => {
    const environment = { PRESAGE_QUEUE_SECRET, PRESAGE_QUEUE_USER: 'studies', PRESAGE_QUEUE_PASSWORD: 'p@ss' };
    expect(queueAddress(local, environment)).toEqual({
      host: '127.0.0.1',
      port: 7000,
      db: 2,
      isEncrypted: false,
      username: 'studies',
      password: 'p@ss',
      secret: PRESAGE_QUEUE_SECRET,
      text: local,
    });
  });

  it('may be a variable with a password, which its text does not show', () => {
    const address = queueAddress(undefined, {
      PRESAGE_QUEUE_SECRET,
      PRESAGE_QUEUE_URL: 'rediss://studies:p%40ss@queue.example.com',
    });
    expect(address).toMatchObject({ port: 6379, db: 0, isEncrypted: true, username: 'studies', password: 'p@ss' });
    expect(address.text).toBe('rediss://queue.example.com');
  });

  it.each([
    ['a password on the command line', 'redis://:hunter2@127.0.0.1', {}, /^--queue: expected an address without cred/],
    ['no address', undefined, {}, /^PRESAGE_QUEUE_URL: expected an address such as redis:.*, found none$/],
    ['another protocol', 'http://127.0.0.1', {}, /^--queue: expected an address such as redis:/],
    ['a network without encryption', 'redis://queue.example.com', {}, /expected rediss:\/\/ for a server on another m/],
    ['a database that is no number', 'redis://127.0.0.1/x', {}, /expected the number of a database .* found "x"$/],
    ['no secret', local, { PRESAGE_QUEUE_SECRET: undefined }, /^PRESAGE_QUEUE_SECRET: .*; found none$/],
    ['a short secret', local, { PRESAGE_QUEUE_SECRET: 'short' }, /^PRESAGE_QUEUE_SECRET: .*; it is shorter$/],
  ])('with %s is refused', (_case, flag, environment, message) => {
    expect(() => queueAddress(flag, { PRESAGE_QUEUE_SECRET, ...environment })).toThrow(message);
  });

  it('with a lone percent sign in its credentials is refused, without them', () => {
    const environment = { PRESAGE_QUEUE_SECRET, PRESAGE_QUEUE_URL: 'redis://u:hunter2%zz@127.0.0.1' };
    expect(() => queueAddress(undefined, environment)).toThrow(
      /^PRESAGE_QUEUE_URL: expected credentials with %25 for each percent sign, found a lone one$/,
    );
  });

  it('never shows a password in a refusal', () => {
    for (const url of ['redis://:hunter2@queue.example.com', 'redis://u:hunter2@127.0.0.1/x', 'redis//:hunter2@'])
      for (const environment of [{ PRESAGE_QUEUE_URL: url }, { PRESAGE_QUEUE_URL: url, PRESAGE_QUEUE_SECRET }])
        expect(() => queueAddress(undefined, environment)).toThrow(/^(?!.*hunter2)/s);
  });
});

describe('a Redis server', () => {
  const info = (version: string, policy: string): string =>
    `# Server\r\nredis_version:${version}\r\nmaxmemory_policy:${policy}\r\n`;

  it.each(['6.2.0', '7.0.15', '8.1.0'])('of version %s that evicts nothing is accepted', (version) => {
    expect(() => refuseUnfit(info(version, 'noeviction'), { text: local })).not.toThrow();
  });

  it.each([
    ['6.0.16', 'noeviction', /expected Redis 6\.2 or later, found 6\.0\.16/],
    ['5.0.7', 'noeviction', /found 5\.0\.7/],
    ['7.0.15', 'allkeys-lru', /expected maxmemory-policy noeviction, found allkeys-lru/],
  ])('of version %s with %s is refused', (version, policy, message) => {
    expect(() => refuseUnfit(info(version, policy), { text: local })).toThrow(message);
  });
});
