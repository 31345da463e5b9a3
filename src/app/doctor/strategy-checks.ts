// Loads the strategies of a config as a session does, with their parameters, and runs their setup. Must never start one.
import type { BotConfig } from '../../config/bot-config.ts';
import { type Check, badCheck, okCheck } from '../../runtime/doctor/check-result.ts';
import { paramsFromConfig } from '../../runtime/plugins/config-params.ts';
import { bindStrategies } from '../../runtime/plugins/strategy-binding.ts';
import { StrategyFileError } from '../../runtime/plugins/strategy-file-error.ts';

/**
 * Checks each strategy of a config.
 * @throws {ConfigError} when a place in the config holds no strategy, or its parameters do not fit.
 */
export async function checkStrategies(
  file: string,
  { strategies }: Pick<BotConfig, 'strategies'>,
): Promise<readonly Check[]> {
  const sourceOf = paramsFromConfig(file);
  const checks: Check[] = [];
  for (const [index, use] of strategies.entries())
    checks.push(await checkStrategy(use, () => bindStrategies([use], () => sourceOf(index))));
  return checks;
}

async function checkStrategy(
  { name, file }: BotConfig['strategies'][number],
  bind: () => Promise<unknown>,
): Promise<Check> {
  try {
    await bind();
    return okCheck('strategy', `${name}: ${file}`);
  } catch (fault) {
    if (!(fault instanceof StrategyFileError)) throw fault;
    return badCheck('strategy', `${name}: ${fault.message}`, 'correct it, and run `presage certify` on it');
  }
}
