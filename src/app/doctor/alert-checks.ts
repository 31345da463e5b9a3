// Checks that alarms will reach people: usable secrets, targets that can be reached, a heartbeat. Connects, but sends
// nothing. Must never put a secret into a result.
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { type Socket, connect as connectPlain, isIP } from 'node:net';
import { connect as connectEncrypted } from 'node:tls';
import { openTarget } from '../../alerts/targets/alert-target.ts';
import { SecretFault, readAddress } from '../../alerts/targets/secret-values.ts';
import type { AlertsConfig, TargetConfig } from '../../config/alerts-config.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import { type Check, badCheck, okCheck, skippedCheck, warnCheck } from '../../runtime/doctor/check-result.ts';
import { describeNetworkError } from '../../transport/network-error.ts';

const CONNECT_MS_MAX = 5000;
const TEST = 'run `presage alerts test` once it is mended';

/** Checks the section `alerts` of a config. */
export async function checkAlerts({ alerts, venue }: Pick<BotConfig, 'alerts' | 'venue'>): Promise<Check[]> {
  if (alerts === undefined && venue.embedded !== undefined)
    return [skippedCheck('alerts', 'the config has none, and the embedded exchange trades no money')];
  const targets = alerts?.targets ?? [];
  const none = warnCheck(
    'alerts',
    'the config has no target: no message leaves this machine when trading stops',
    'add alerts.targets to the config, and run `presage alerts test`',
  );
  const checks = await Promise.all(targets.map(checkTarget));
  return [...(targets.length === 0 ? [none] : checks), await checkHeartbeat(alerts)];
}

async function checkTarget(config: TargetConfig): Promise<Check> {
  const name = `alerts ${config.name}`;
  try {
    const { origin } = openTarget(config);
    const problem = origin === null ? await commandProblem(config) : await connectionProblem(origin);
    return problem === null
      ? okCheck(name, origin === null ? 'its command can be started' : `${config.type}: the receiver can be reached`)
      : warnCheck(name, problem, TEST);
  } catch (fault) {
    if (!(fault instanceof SecretFault)) throw fault;
    return badCheck(name, fault.message, 'a session does not start without it');
  }
}

async function commandProblem(config: TargetConfig): Promise<string | null> {
  const [program = ''] = config.type === 'command' ? config.command : [];
  if (!program.includes('/')) return `${program}: expected a path, because the command has no PATH`;
  try {
    await access(program, constants.X_OK);
    return null;
  } catch {
    return `${program} cannot be started`;
  }
}

async function checkHeartbeat(alerts: AlertsConfig | undefined): Promise<Check> {
  if (alerts?.heartbeat === undefined)
    return warnCheck(
      'heartbeat',
      'the config has none: when this machine or its network is gone, no message says so',
      'add alerts.heartbeat with the address of a service outside that raises an alarm when beats stop',
    );
  try {
    const problem = await connectionProblem(new URL(readAddress(alerts.heartbeat.url)).origin);
    return problem === null
      ? okCheck('heartbeat', 'its receiver can be reached')
      : warnCheck('heartbeat', problem, TEST);
  } catch (fault) {
    if (!(fault instanceof SecretFault)) throw fault;
    return badCheck('heartbeat', fault.message, 'a session does not start without it');
  }
}

function connectionProblem(origin: string): Promise<string | null> {
  const { protocol, hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isEncrypted = protocol === 'https:';
  const options = { host, port: Number(port || (isEncrypted ? 443 : 80)) };
  return new Promise((resolve) => {
    const socket: Socket = isEncrypted
      ? connectEncrypted({ ...options, ...(isIP(host) === 0 && { servername: host }) }, () => end(null))
      : connectPlain(options, () => end(null));
    const end = (problem: string | null): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(CONNECT_MS_MAX, () => end(`the receiver did not answer within ${CONNECT_MS_MAX} ms`));
    socket.on('error', (fault) => end(`the receiver cannot be reached: ${describeNetworkError(fault)}`));
  });
}
