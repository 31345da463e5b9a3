// The service of alerts: what it gets is sent soon and outside of the caller's turn, whatever its targets and disk do.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ActRing, RING_MAX } from '../../../src/alerts/delivery/act-ring.ts';
import { AlertFile } from '../../../src/alerts/delivery/alert-file.ts';
import { AlertService } from '../../../src/alerts/delivery/alert-service.ts';
import type { QueueChange } from '../../../src/alerts/queue/queue-changes.ts';
import type { AlertAct, AlertRecord } from '../../../src/alerts/record/alert-record.ts';
import type { AlertTarget, SendResult } from '../../../src/alerts/targets/alert-target.ts';
import type { Severity } from '../../../src/config/alerts-config.ts';
import { logTo } from '../../../src/log.ts';
import { aDraft, aRecord } from '../../support/alerts/alert-drafts.ts';
import { aPolicy } from '../../support/alerts/queue-harness.ts';
import { PATIENCE_MS } from '../../support/runner/patience.ts';

let folder: string;
const lines: string[] = [];
const open: AlertService[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-alert-service-'));
  lines.length = 0;
});
afterEach(async () => {
  for (const service of open.splice(0)) await service.close(0);
  rmSync(folder, { recursive: true, force: true });
});

const firing = (scope: string, severity: Severity = 'warning'): AlertAct => ({
  type: 'firing',
  draft: aDraft({ scope, severity }),
});
const SENT: SendResult = { outcome: { type: 'sent' }, words: 'ok' };
const FAILED: SendResult = { outcome: { type: 'failed', afterMs: null }, words: 'no answer' };

function serve(
  send: (record: AlertRecord) => Promise<SendResult>,
  file: string | null = join(folder, 'alerts.jsonl'),
  policy = aPolicy(),
): AlertService {
  const target: AlertTarget = { policy, type: 'webhook', origin: null, send };
  const log = logTo({ write: (line: string) => void lines.push(line) });
  const service = new AlertService({ bot: 'demo', link: null, targets: [target], file, log });
  open.push(service);
  return service;
}

describe('the service of alerts', () => {
  it('sends nothing within the caller’s turn, and soon after it', async () => {
    const sent: string[] = [];
    const service = serve((record) => {
      sent.push(record.key);
      return Promise.resolve(SENT);
    });
    service.submitActs([firing('a')]);
    expect(sent).toEqual([]);
    await service.close(PATIENCE_MS);
    expect(sent).toEqual(['demo/feed-down/a']);
  });

  it('counts what each target accepted, and what waits', async () => {
    let answer = FAILED;
    const service = serve(() => Promise.resolve(answer));
    service.submitActs([firing('a')]);
    await service.close(100);
    expect(service.figures).toEqual({ sent: [], waiting: 1 });
    answer = SENT;
    const next = serve(() => Promise.resolve(answer));
    next.submitActs([firing('b')]);
    await next.close(PATIENCE_MS);
    expect(next.figures).toEqual({ sent: [{ target: aPolicy().name, result: 'sent', count: 2 }], waiting: 0 });
  });

  it('neither counts nor awaits, at the stop, what waits for the end of quiet hours', async () => {
    const quiet = { from: 0, to: 24 * 60, zone: 'UTC' };
    const service = serve(() => Promise.resolve(SENT), join(folder, 'alerts.jsonl'), aPolicy({ quiet }));
    service.submitActs([firing('a')]);
    const startedMs = performance.now();
    await service.close(PATIENCE_MS);
    expect(performance.now() - startedMs).toBeLessThan(PATIENCE_MS / 2);
    expect(service.figures).toEqual({ sent: [], waiting: 0 });
    expect(serve(() => Promise.resolve(SENT)).waiting).toBe(1);
  });

  it('leaves what it cannot deliver to the next start', async () => {
    const first = serve(() => Promise.resolve(FAILED));
    first.submitActs([firing('a')]);
    await first.close(100);
    const sent: string[] = [];
    const second = serve(({ key }) => {
      sent.push(key);
      return Promise.resolve(SENT);
    });
    await second.close(PATIENCE_MS);
    expect(sent).toEqual(['demo/feed-down/a']);
    const third = serve(() => Promise.resolve(SENT));
    expect(third.waiting).toBe(0);
  });

  it('throws nothing into its source when a target throws or the folder cannot be written', async () => {
    mkdirSync(join(folder, 'alerts.jsonl'));
    const service = serve(() => {
      throw new Error('a fault of a target');
    });
    service.submitActs([firing('a')]);
    await service.close(50);
    expect(lines.join('')).toContain('kept in memory only');
    expect(lines.join('')).toContain('a fault of a target');
  });

  it('stops sending what waits once a later process has opened its file', async () => {
    let attempts = 0;
    const first = serve(() => {
      attempts += 1;
      return Promise.resolve(FAILED);
    });
    first.submitActs([firing('a')]);
    await vi.waitFor(() => expect(attempts).toBe(1), { timeout: PATIENCE_MS });
    const second = serve(() => Promise.resolve(SENT));
    const closing = first.close(60_000);
    await closing;
    await second.close(PATIENCE_MS);
    expect(attempts).toBe(1);
  });
});

describe('the ring', () => {
  it('is bounded, and drops information before anything else', () => {
    const ring = new ActRing();
    ring.push(firing('i', 'info'));
    for (let i = 0; i < RING_MAX; i += 1) ring.push(firing(`w${i}`));
    ring.push(firing('late'));
    expect(ring.dropped).toBe(2);
    const acts = ring.takeActs();
    expect(acts).toHaveLength(RING_MAX);
    expect(acts.some((act) => act.type === 'firing' && act.draft.severity === 'info')).toBe(false);
    expect([ring.isEmpty, ring.dropped]).toEqual([true, 0]);
  });
});

describe('the file of alerts', () => {
  const file = (): string => join(folder, 'alerts.jsonl');
  const openFile = (): AlertFile => new AlertFile({ file: file(), onLost: (reason) => void lines.push(reason) });
  const queued = (id: string): QueueChange => ({
    type: 'queued',
    record: aRecord({ id }),
    targets: ['phone'],
    atMs: 1,
  });

  it('ignores a line that a crash tore, and what it does not know', async () => {
    const first = openFile();
    first.appendChange(queued('a'));
    first.appendChange(queued('b'));
    await first.flush();
    const text = readFileSync(file(), 'utf8');
    writeFileSync(file(), `${text}{"type":"later"}\n${text.slice(0, 40)}`);
    expect([...openFile().state.pending.keys()]).toEqual(['a', 'b']);
  });

  it('is written again at the start without what is settled', async () => {
    const first = openFile();
    first.appendChange(queued('a'));
    first.appendChange({ type: 'settled', id: 'a', target: 'phone', outcome: 'sent' });
    await first.flush();
    expect(readFileSync(file(), 'utf8').split('\n')).toHaveLength(3);
    openFile();
    expect(readFileSync(file(), 'utf8')).toBe('');
  });

  it('is compacted while the process runs, and loses nothing that is saved meanwhile', async () => {
    const first = openFile();
    const state = [queued('kept')];
    for (let i = 0; i < 6000; i += 1) first.appendChange(queued(`r${i}`));
    await first.flush();
    first.maintain(() => state, 0);
    await Promise.resolve();
    first.appendChange(queued('later'));
    await first.flush();
    expect([...openFile().state.pending.keys()].join(' ').slice(0, 100)).toBe('kept later');
  });

  it('is compacted behind a slow write, and loses nothing that comes until then', async () => {
    const first = openFile();
    for (let i = 0; i < 6000; i += 1) first.appendChange(queued(`r${i}`));
    await first.flush();
    const state = [queued('kept')];
    const add = (id: string): void => {
      state.push(queued(id));
      first.appendChange(queued(id));
    };
    add('before');
    first.maintain(() => state, 0);
    add('meanwhile');
    await first.flush();
    expect([...openFile().state.pending.keys()]).toEqual(['kept', 'before', 'meanwhile']);
  });

  it('is written again after a full disk, with what came meanwhile', async () => {
    // A folder in the place of the file refuses every write.
    mkdirSync(file());
    let regained = 0;
    const onLost = (reason: string): void => void lines.push(reason);
    const first = new AlertFile({ file: file(), onLost, onRegained: () => void (regained += 1) });
    const state = [queued('meanwhile')];
    first.maintain(() => state, 1000);
    first.maintain(() => state, 60_000);
    await first.flush();
    expect([lines.length, regained]).toEqual([1, 0]);
    rmSync(file(), { recursive: true });
    first.maintain(() => state, 70_000);
    await first.flush();
    expect(regained).toBe(0);
    first.maintain(() => state, 90_000);
    await first.flush();
    first.appendChange(queued('later'));
    await first.flush();
    expect(regained).toBe(1);
    expect([...openFile().state.pending.keys()]).toEqual(['meanwhile', 'later']);
  });
});
