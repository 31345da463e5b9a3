// A feed that stays down raises an alarm, with the reason of the last attempt, and again while it lasts.
import { describe, expect, it } from 'vitest';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import { OutageWatch } from '../../../src/execution/feed/outage-watch.ts';
import { State } from '../../../src/state/state.ts';
import { after } from '../../support/engine/builders.ts';

const MINUTE = 60_000;

function watching() {
  const state = new State();
  const notices: Notice[] = [];
  const watch = new OutageWatch(state, (notice) => notices.push(notice));
  let ms = 0;
  const run = (untilMs: number): void => {
    for (; ms <= untilMs; ms += 500) watch.checkOutage(after(ms));
  };
  const connect = (): void => {
    state.applyEvent({ kind: 'feed-up', at: after(ms), connection: 1 }, []);
    watch.onConnected(1);
  };
  const lose = (reason: string): void => {
    state.applyEvent({ kind: 'feed-down', at: after(ms), reason }, []);
    watch.onLost(reason);
  };
  const alarms = (): string[] => notices.flatMap((notice) => (notice.type === 'alarm' ? [notice.text] : []));
  return { run, connect, lose, notices, alarms };
}

describe('the connection of the feed', () => {
  it('raises no alarm when the feed comes back within half a minute', () => {
    const { run, connect, lose, notices, alarms } = watching();
    connect();
    for (let lost = 0; lost < 5; lost++) {
      lose('cut');
      run((lost + 1) * 31_000 - 2000);
      connect();
      run((lost + 1) * 31_000);
    }
    expect(alarms()).toEqual([]);
    expect(notices.slice(0, 3)).toEqual([
      { type: 'feed', isUp: true, reason: 'connection 1' },
      { type: 'feed', isUp: false, reason: 'cut' },
      { type: 'feed', isUp: true, reason: 'connection 1' },
    ]);
  });

  it('raises an alarm with the last reason when the feed stays down, again every ten minutes', () => {
    const { run, connect, lose, alarms } = watching();
    connect();
    lose('cut');
    run(15_000);
    lose('handshake refused with status 429; next attempt in 60 s');
    run(25 * MINUTE);
    expect(alarms()).toEqual([
      'the feed is down for 30500 ms: handshake refused with status 429; next attempt in 60 s',
      'the feed is down for 630500 ms: handshake refused with status 429; next attempt in 60 s',
      'the feed is down for 1230500 ms: handshake refused with status 429; next attempt in 60 s',
    ]);
    connect();
    run(26 * MINUTE);
    lose('cut again');
    run(27 * MINUTE);
    expect(alarms().at(-1)).toBe('the feed is down for 30500 ms: cut again');
  });

  it('raises an alarm when the feed never connected', () => {
    const { run, alarms } = watching();
    run(MINUTE);
    expect(alarms()).toEqual(['the feed is down for 30500 ms: it has not connected yet']);
  });
});
