// What the operator's commands share: the bot's config and data folder, the scope on the command line, the answer of the
// bot, and the operator's own log. Must never need the bot to be well.
import { Option } from '@commander-js/extra-typings';
import { InvalidArgumentError } from 'commander';
import { type BotConfig, readBotConfig } from '../../config/bot-config.ts';
import { strategyName, ticker } from '../../domain/ids.ts';
import type { Halt, HaltScope, OperatorOrder } from '../../domain/operator-order.ts';
import { scopeKey } from '../../execution/operator/halts.ts';
import { type Logger, openLog } from '../../log.ts';
import { type Clock, SystemClock } from '../../runtime/session/system-clock.ts';
import { type ControlResult, sendControlRequest } from '../../runtime/operator/control-client.ts';
import { controlPath } from '../../runtime/operator/control-path.ts';
import { Latch, SCOPE_NAME_MAX } from '../../runtime/saved/latch.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import { durationArgument } from '../../cli/arguments/argument-parsers.ts';
import { UsageError } from '../../cli/output/exit-code.ts';
import { scopeText } from '../../cli/output/text-format.ts';

/** How long a bot that is well needs to say that it has heard. */
export const ACKNOWLEDGED_MS = 1000;

/** What every operator command is given. */
export interface OperatorOptions {
  readonly config: string;
  readonly json?: true;
}

/** What an operator's command works with. */
export interface OperatorContext {
  readonly file: string;
  readonly config: BotConfig;
  readonly dataFolder: string;
  readonly latch: Latch;
  readonly clock: Clock;
  /** Every order of the operator is written here, whoever carries it out. */
  readonly log: Logger;
}

/**
 * Opens what a command needs.
 * @throws {ConfigError} when the config cannot be used.
 * @throws {UsageError} when it names no data folder.
 */
export function openOperatorContext({ config: file }: OperatorOptions): OperatorContext {
  const config = readBotConfig(file);
  const { dataFolder } = config;
  if (dataFolder === undefined)
    throw new UsageError(`${file}: expected dataFolder, where a bot's halts are: this one has none`);
  const clock = new SystemClock();
  const log = operatorLog(`${dataFolder}/operator.log`);
  return { file, config, dataFolder, clock, log, latch: new Latch(fileStorage(dataFolder), () => clock.now()) };
}

/** Its own, or standard error where there can be none: an order of the operator is carried out all the same. */
function operatorLog(file: string): Logger {
  try {
    return openLog({ level: 'info', file });
  } catch (fault) {
    const log = openLog({ level: 'info', file: null });
    log.error({ problem: String(fault) }, 'the operator’s orders cannot be written down');
    return log;
  }
}

/**
 * A scope on the command line.
 * @throws {InvalidArgumentError} when it is none.
 */
export function scopeArgument(text: string): HaltScope {
  const [, type, name] = /^(strategy|market)=(.+)$/.exec(text) ?? [];
  if (name !== undefined && name.length > SCOPE_NAME_MAX)
    throw new InvalidArgumentError(`Expected a name of ${SCOPE_NAME_MAX} characters at most, found ${name.length}.`);
  if (type === 'strategy' && name !== undefined) return { type, strategy: strategyName(name) };
  if (type === 'market' && name !== undefined) return { type, ticker: ticker(name) };
  if (text === 'account') return { type: 'account' };
  throw new InvalidArgumentError('Expected strategy=NAME, market=TICKER or account.');
}

export const ACCOUNT_SCOPE: HaltScope = { type: 'account' };

/** What an order concerns: the account unless told. */
export const scopeChoice = () =>
  new Option('--scope <scope>', 'strategy=NAME or market=TICKER')
    .argParser(scopeArgument)
    .default(ACCOUNT_SCOPE, 'the whole account');

/** How long an order may take. `usual` is a duration as it is written. */
export const withinChoice = (usual: string) =>
  new Option('--within <duration>', 'how long it may take')
    .argParser(durationArgument)
    .default(durationArgument(usual), usual);

const REASON_LENGTH_MAX = 500;

/**
 * A reason on the command line.
 * @throws {InvalidArgumentError} when it says nothing, or more than is kept.
 */
export function reasonArgument(text: string): string {
  if (text.trim() !== '' && text.length <= REASON_LENGTH_MAX) return text;
  throw new InvalidArgumentError(`Expected a reason, of ${REASON_LENGTH_MAX} characters at most.`);
}

/**
 * Refuses a strategy that there is none of: a slip of the pen must not pass for a halt.
 * @throws {UsageError} when the config has no strategy of the scope's name, and none of that name is halted.
 */
export function refuseUnknownStrategy({ config, latch }: Pick<OperatorContext, 'config' | 'latch'>, scope: HaltScope): void {
  if (scope.type !== 'strategy') return;
  const names = config.strategies.map(({ name }) => name);
  if (names.includes(scope.strategy)) return;
  if (latch.readHalts().some((halt) => scopeKey(halt.scope) === scopeKey(scope))) return;
  const known = names.length === 0 ? 'no strategy, for the config has none' : `one of ${names.join(', ')}`;
  throw new UsageError(`--scope: expected ${known}, found ${JSON.stringify(scope.strategy)}`);
}

/** Orders the bot something. */
export function sendOrderToBot({ dataFolder }: OperatorContext, order: OperatorOrder, withinMs: number): Promise<ControlResult> {
  const doneMs = withinMs + ACKNOWLEDGED_MS;
  return sendControlRequest(
    controlPath(dataFolder, 'control'),
    { type: 'order', order, withinMs },
    { acknowledgedWithinMs: ACKNOWLEDGED_MS, doneWithinMs: doneMs },
  );
}

/** What a bot that did not do what it was asked is to be told of, in words. */
export function botTroubleText(asked: ControlResult): string {
  switch (asked.type) {
    case 'absent':
      return 'no bot runs on this data folder';
    case 'silent':
      return asked.wasHeard ? 'the bot heard, and has not finished' : 'the bot runs and does not answer';
    case 'answered':
      return asked.reply.type === 'refused' ? `the bot refused: ${asked.reply.why}` : 'the bot answered';
  }
}

/** A halt as a line. */
export const haltText = ({ scope, by, reason, since }: Halt): string =>
  `${scopeText(scope)} is HALTED by ${by} since ${new Date(since / 1000).toISOString()}: ${reason}`;

/** How to lift what is halted. */
export const resumeHint = ({ file }: Pick<OperatorContext, 'file'>, scope: HaltScope): string =>
  `to lift it: presage resume --config ${file}${scopeOption(scope)} --reason "…"`;

function scopeOption(scope: HaltScope): string {
  if (scope.type === 'account') return '';
  return ` --scope ${scope.type === 'strategy' ? `strategy=${scope.strategy}` : `market=${scope.ticker}`}`;
}

/** Prints lines, or one JSON record. */
export function printRecord(isJson: true | undefined, record: object, lines: readonly string[]): void {
  process.stdout.write(isJson ? `${JSON.stringify(record)}\n` : `${lines.join('\n')}\n`);
}
