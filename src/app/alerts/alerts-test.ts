// Sends a test record to the targets of a config, and reports their answers. Must never print.
import { randomUUID } from 'node:crypto';
import { heartbeatRequest } from '../../alerts/delivery/heartbeat.ts';
import type { AlertRecord } from '../../alerts/record/alert-record.ts';
import type { AlertTarget } from '../../alerts/targets/alert-target.ts';
import { postOnce } from '../../alerts/targets/http-post.ts';
import { hideSecretValues } from '../../alerts/targets/secret-values.ts';
import { type AlertsConfig, HEARTBEAT, type Severity } from '../../config/alerts-config.ts';
import { readBotConfig } from '../../config/bot-config.ts';
import { paperName } from '../session/paper-folder.ts';
import { UsageError } from '../usage-error.ts';
import { botNameOf, heartbeatAddress, openTargets } from './open-alerts.ts';

/** Options of a test. */
export interface AlertsTestOptions {
  readonly file: string;
  /** Name of the only target to test. @default every target, and the heartbeat. */
  readonly target?: string | undefined;
  readonly severity: Severity;
  /** Tests the alerts of the config's paper session: under its name, and without a beat. @default false */
  readonly isPaper?: boolean | undefined;
}

/** The answer of one target. */
export interface TargetTest {
  readonly target: string;
  readonly type: string;
  readonly isAccepted: boolean;
  /** The receiver's answer, or the reason for its absence, without secrets. */
  readonly answer: string;
  readonly elapsedMs: number;
  /** Remark about the config, such as the target's quiet hours. */
  readonly remark: string | null;
}

/**
 * Sends a test record to each target, even in quiet hours, and a beat to the heartbeat.
 * @throws {UsageError} when the config has no alerts, no such target, or an unusable secret.
 */
export async function testAlerts(options: AlertsTestOptions): Promise<readonly TargetTest[]> {
  const { file, target, severity, isPaper = false } = options;
  const { alerts: all } = readBotConfig(file);
  // A beat of a paper session would hide a dead live session.
  const alerts = isPaper && all !== undefined ? { ...all, heartbeat: undefined } : all;
  if (alerts === undefined) throw new UsageError(`${file}: expected a section alerts, found none`);
  const targets = openTargets(alerts).filter(({ policy }) => target === undefined || policy.name === target);
  const address = target === undefined || target === HEARTBEAT ? heartbeatAddress(alerts) : null;
  if (targets.length === 0 && address === null) throw new UsageError(noTarget(alerts, options));
  const record = testRecord(isPaper ? paperName(botNameOf(file)) : botNameOf(file), severity, alerts.link ?? null);
  return Promise.all([
    ...targets.map((each) => testTarget(each, record)),
    ...(address === null ? [] : [testHeartbeat(address, alerts)]),
  ]);
}

function noTarget({ targets, heartbeat }: AlertsConfig, { file, target, isPaper }: AlertsTestOptions): string {
  const names = [...targets.map(({ name }) => name), ...(heartbeat ? [HEARTBEAT] : [])];
  if (names.length === 0)
    return `${file}: expected ${isPaper === true ? 'a target' : 'a target or a heartbeat'} in alerts, found none`;
  return `--target: expected one of ${names.join(', ')}, found ${JSON.stringify(target)}`;
}

function testRecord(bot: string, severity: Severity, link: string | null): AlertRecord {
  return {
    id: randomUUID(),
    key: `${bot}/test/`,
    severity,
    bot,
    code: 'test',
    at: new Date().toISOString(),
    title: `${bot}: this is a test`,
    happened: 'Someone ran `presage alerts test`.',
    did: 'The bot did nothing: this message reports no condition.',
    do: 'Nothing. If you can read this, alerts arrive here.',
    figures: {},
    link,
    state: 'firing',
    count: 1,
  };
}

async function testTarget(target: AlertTarget, record: AlertRecord): Promise<TargetTest> {
  const { policy, type } = target;
  const startedAt = performance.now();
  const { outcome, words } = await target.send(record);
  return {
    target: policy.name,
    type,
    isAccepted: outcome.type === 'sent',
    answer: words,
    elapsedMs: Math.round(performance.now() - startedAt),
    remark:
      policy.quiet === null
        ? null
        : `quiet from ${clock(policy.quiet.from)} to ${clock(policy.quiet.to)} ${policy.quiet.zone}`,
  };
}

const clock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

async function testHeartbeat(address: string, { heartbeat }: AlertsConfig): Promise<TargetTest> {
  const startedAt = performance.now();
  const template = heartbeat?.template ?? null;
  const state = { phase: 'test', equity: '' };
  const answer = await postOnce(heartbeatRequest({ address, template, signal: 'beat', state }));
  const isAccepted = answer.type === 'answered' && answer.status >= 200 && answer.status < 300;
  const words = answer.type === 'answered' ? String(answer.status) : answer.reason;
  return {
    target: HEARTBEAT,
    type: HEARTBEAT,
    isAccepted,
    answer: hideSecretValues(words, [address]),
    elapsedMs: Math.round(performance.now() - startedAt),
    remark: isAccepted ? 'the service now expects beats: it raises its alarm when none follow' : null,
  };
}
