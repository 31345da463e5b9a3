// Options that the operator's commands share.
import { Option } from '@commander-js/extra-typings';
import { InvalidArgumentError } from 'commander';
import { ACCOUNT_SCOPE, type OperatorContext, openOperatorContext } from '../../app/operate/operator-context.ts';
import { oneLine } from '../../base/one-line.ts';
import { strategyName, ticker } from '../../domain/ids.ts';
import type { HaltScope } from '../../domain/operator-order.ts';
import { SCOPE_NAME_MAX } from '../../runtime/saved/latch.ts';
import { shellWord } from '../../base/shell-word.ts';
import { durationArgument } from './argument-parsers.ts';

/** Options of every operator command. */
export interface OperatorOptions {
  readonly config: string;
  readonly paper?: true;
  readonly json?: true;
}

/**
 * Opens the context of the bot that the options name: the live bot of the config, or its paper session.
 * @throws {ConfigError} when the config cannot be used.
 * @throws {UsageError} when the config names no data folder, or has no paper sessions.
 */
export const operatorContext = ({ config, paper }: OperatorOptions): OperatorContext =>
  openOperatorContext(config, paper);

/** Creates the option `--paper`. */
export const paperChoice = () => new Option('--paper', 'the paper session of the config, in place of the live bot');

/** Explains in the help of a command that cancels what `--paper` does. */
export const PAPER_ORDERS_TEXT = `
With --paper, only the paper session can cancel: it has no watchdog, and its orders never rest at the exchange, which this
command then neither reads nor changes. When no paper session runs, its orders ended with it.
`;

/**
 * Parses a scope.
 * @throws {InvalidArgumentError} for any other text.
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

/** Creates the option `--scope`. @default the account. */
export const scopeChoice = () =>
  new Option('--scope <scope>', 'strategy=NAME or market=TICKER')
    .argParser(scopeArgument)
    .default(ACCOUNT_SCOPE, 'the whole account');

/**
 * Creates the option `--within`.
 * @param usual the default duration, such as `10s`.
 */
export const withinChoice = (usual: string) =>
  new Option('--within <duration>', 'how long it may take')
    .argParser(durationArgument)
    .default(durationArgument(usual), usual);

const REASON_LENGTH_MAX = 500;

/**
 * Parses a reason.
 * @throws {InvalidArgumentError} when the reason is empty or too long, or has a line break or another control character.
 */
export function reasonArgument(text: string): string {
  if (text.trim() === '' || text.length > REASON_LENGTH_MAX)
    throw new InvalidArgumentError(`Expected a reason, of ${REASON_LENGTH_MAX} characters at most.`);
  if (oneLine(text) === text) return text;
  throw new InvalidArgumentError('Expected a reason of one line, without control characters.');
}

/** Returns the command that lifts a halt, as a hint. */
export const resumeHint = (context: HintContext, scope: HaltScope): string =>
  `to lift it: presage resume ${botOptions(context)}${scopeOption(scope)} --reason "…"`;

/** The bot that a hint is about. */
export type HintContext = Pick<OperatorContext, 'file' | 'isPaper'>;

/** Returns the options that name the bot of a hint. */
export const botOptions = ({ file, isPaper }: HintContext): string =>
  `--config ${shellWord(file)}${isPaper ? ' --paper' : ''}`;

function scopeOption(scope: HaltScope): string {
  if (scope.type === 'account') return '';
  return ` --scope ${shellWord(scope.type === 'strategy' ? `strategy=${scope.strategy}` : `market=${scope.ticker}`)}`;
}
