// The heartbeat: its signals, and that a loop whose own timer does not run does not beat.
import { describe, expect, it } from 'vitest';
import { SessionHeartbeat, heartbeatRequest } from '../../../src/alerts/delivery/heartbeat.ts';
import { micros } from '../../../src/domain/units.ts';
import { logTo } from '../../../src/log.ts';
import { FakeScheduler } from '../../support/transport/fake-scheduler.ts';

const ADDRESS = 'https://hc.example/ping/uuid-secret';
const MINUTE = 60_000;
/** Lets answers arrive. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function harness(status = 200) {
  const scheduler = new FakeScheduler();
  const state = { phase: 'trading', equity: '1000', isFailing: false, timerRuns: 0 };
  const urls: string[] = [];
  const lines: string[] = [];
  const heartbeat = new SessionHeartbeat({
    config: { every: micros(MINUTE * 1000) },
    address: ADDRESS,
    scheduler,
    log: logTo({ write: (line: string) => void lines.push(line) }),
    state: () => state,
    post: ({ url }) => {
      urls.push(url.slice(ADDRESS.length));
      return Promise.resolve({ type: 'answered', status, retryAfter: null, body: '' });
    },
  });
  /** Lets a minute pass in which the engine's timer runs or not. */
  const minute = async (hasRun = true): Promise<void> => {
    if (hasRun) state.timerRuns += 1;
    await settled();
    scheduler.advance(MINUTE);
    await settled();
  };
  return { heartbeat, state, urls, lines, minute };
}

describe('the heartbeat', () => {
  it('signals the start, beats while the session trades, and signals the end with its code', async () => {
    const { heartbeat, state, urls, minute } = harness();
    state.phase = 'loading';
    heartbeat.start();
    await minute();
    state.phase = 'trading';
    await minute();
    state.phase = 'recovering';
    await minute();
    state.phase = 'trading';
    await minute();
    await heartbeat.close(0);
    await minute();
    expect(urls).toEqual(['/start', '', '', '/0']);
  });

  it('stops while the engine’s own timer does not run', async () => {
    const { heartbeat, urls, minute } = harness();
    heartbeat.start();
    await minute();
    await minute(false);
    await minute(false);
    await minute();
    expect(urls).toEqual(['/start', '', '']);
  });

  it('signals a failure once and at once, and fails instead of beating until the halt is lifted', async () => {
    const { heartbeat, state, urls, minute } = harness();
    heartbeat.start();
    await minute();
    state.isFailing = true;
    heartbeat.signalFailure();
    heartbeat.signalFailure();
    await minute(false);
    await minute();
    state.isFailing = false;
    heartbeat.endFailure();
    await minute();
    await heartbeat.close(1);
    expect(urls).toEqual(['/start', '', '/fail', '/fail', '', '/1']);
  });

  it('logs the first failure in a row, without the secret address', async () => {
    const { heartbeat, lines, minute } = harness(503);
    heartbeat.start();
    for (let i = 0; i < 5; i += 1) await minute();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('status 503');
    expect(lines.join('')).not.toContain('uuid-secret');
  });

  it('fills a template for services that take the state as a parameter', () => {
    const template = '?status={status}&msg={message}&ping=';
    const request = (signal: 'beat' | 'fail' | { end: number }) =>
      heartbeatRequest({
        address: 'https://kuma.example/api/push/k?status=up',
        template,
        signal,
        state: { phase: 'trading & so on', equity: '' },
      });
    expect(request('beat')).toEqual({
      method: 'GET',
      url: 'https://kuma.example/api/push/k?status=up&msg=phase%20trading%20%26%20so%20on&ping=',
    });
    expect(request('fail').url).toContain('status=down');
    expect(request({ end: 0 }).url).toContain('status=up');
    expect(request({ end: 1 }).url).toContain('status=down');
  });

  it('keeps the query of an address beside the path of a signal', () => {
    const { url } = heartbeatRequest({
      address: 'https://hc.example/p/?create=1',
      template: null,
      signal: 'fail',
      state: { phase: 'x', equity: '' },
    });
    expect(url).toBe('https://hc.example/p/fail?create=1');
  });
});
