// The private channels of the feed are up only when each is granted on this connection, and none is distrusted.
import { describe, expect, it } from 'vitest';
import type { FeedChannelName } from '../../../src/domain/event.ts';
import { FeedHealth } from '../../../src/state/feed/feed-health.ts';
import { after } from '../../support/engine/builders.ts';

const grant = (health: FeedHealth, ...channels: readonly FeedChannelName[]): void => {
  for (const channel of channels)
    health.onChannelChange({ kind: 'feed-channel', at: after(1), channel, isUp: true, reason: 'subscribed' });
};

describe('the age of the feed', () => {
  it('is the time since the last message, or since the start while there is none', () => {
    const health = new FeedHealth();
    expect(health.ageMs(after(2500), after(500))).toBe(2000);
    health.onHeartbeat(after(1500));
    expect(health.ageMs(after(2500), after(500))).toBe(1000);
    // The clock was set back.
    expect(health.ageMs(after(0), after(500))).toBe(0);
  });
});

describe('the private channels', () => {
  it('the private channels are up once the last of the three is granted', () => {
    const health = new FeedHealth();
    health.onConnected(after(0), 1);
    grant(health, 'fills', 'orders');
    expect(health.privateFault).toBe('not granted yet');
    grant(health, 'positions');
    expect(health.privateFault).toBeNull();
  });

  it('distrusted private channels are up again only when each is granted again', () => {
    const health = new FeedHealth();
    health.onConnected(after(0), 1);
    grant(health, 'fills', 'orders', 'positions');
    health.distrustPrivate('a fill was missed');
    grant(health, 'fills');
    expect(health.privateFault).toBe('a fill was missed');
    grant(health, 'orders', 'positions');
    expect(health.privateFault).toBeNull();
  });
});
