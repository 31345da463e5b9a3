// Checks the port of the metrics: the address, the token, and that the port is free. The port is closed at once. Must never
// show a token.
import { createServer } from 'node:net';
import type { BotConfig } from '../../config/bot-config.ts';
import type { ListenAddress } from '../../config/listen-address.ts';
import { type Check, badCheck, okCheck, warnCheck } from '../../runtime/doctor/check-result.ts';
import { readMetricsPlace } from '../session/metrics-port.ts';

/**
 * Checks the section `metrics` of a config. Returns no check without `metrics.listen`.
 * @throws {ConfigValueFault} when a session would refuse the address or the token.
 */
export async function checkMetrics({
  metrics,
  dataFolder,
}: Pick<BotConfig, 'metrics' | 'dataFolder'>): Promise<Check[]> {
  const place = readMetricsPlace({ address: undefined, config: metrics, hasDataFolder: dataFolder !== undefined });
  if (place === null) return [];
  const { host, port } = place.address;
  const at = `${host}:${port}`;
  const code = await listenProblem(place.address);
  if (code === null) return [okCheck('metrics', `${at} is free`)];
  if (code === 'EADDRINUSE')
    return [warnCheck('metrics', `${at} is in use`, 'unless this bot runs now, free it or change metrics.listen')];
  return [badCheck('metrics', `${at} cannot be opened: ${code}`, 'correct metrics.listen')];
}

/** Opens a port and closes it. Returns the code of the error that prevents it. */
function listenProblem({ host, port }: ListenAddress): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (fault: NodeJS.ErrnoException) => resolve(fault.code ?? fault.message));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}
