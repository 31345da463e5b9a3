// Opens the targets and the heartbeat of a config's `alerts`, with their secrets. Must never put a secret into an
// error.
import { basename, extname } from 'node:path';
import { type AlertTarget, openTarget } from '../../alerts/targets/alert-target.ts';
import { SecretFault, readAddress } from '../../alerts/targets/secret-values.ts';
import type { AlertsConfig } from '../../config/alerts-config.ts';
import { UsageError } from '../usage-error.ts';

/** Name of a bot in its alerts: the name of its config's file. */
export const botNameOf = (file: string): string => basename(file, extname(file));

/**
 * Opens every target of a config.
 * @throws {UsageError} when a secret cannot be used.
 */
export const openTargets = ({ targets }: Pick<AlertsConfig, 'targets'>): AlertTarget[] =>
  targets.map((target) => explainingSecrets(`alerts target ${target.name}`, () => openTarget(target)));

/**
 * Returns the address of the heartbeat. `null` when the config has none.
 * @throws {UsageError} when its secret cannot be used.
 */
export const heartbeatAddress = ({ heartbeat }: Pick<AlertsConfig, 'heartbeat'>): string | null =>
  heartbeat === undefined ? null : explainingSecrets('alerts.heartbeat', () => readAddress(heartbeat.url));

function explainingSecrets<T>(place: string, open: () => T): T {
  try {
    return open();
  } catch (fault) {
    if (!(fault instanceof SecretFault)) throw fault;
    throw new UsageError(`${place}: ${fault.message}`, { cause: fault });
  }
}
