// Finds the first decision in which two runs differ, and describes it.
import { centsText, contractsText } from '../../domain/amounts.ts';
import type { Command, PlaceCommand } from '../../domain/venue-command.ts';
import type { Micros } from '../../domain/units.ts';
import { millisOf } from '../streams/stream-rows.ts';
import type { Decision } from './trial.ts';

export interface DecisionDifference {
  readonly words: string;
  readonly at: Micros;
}

/** Makes the text by which decisions are compared. */
export type DecisionText = (decision: Decision) => string;

/** Returns the first decision that differs, or `null`. */
export function firstDifference(
  first: readonly Decision[],
  second: readonly Decision[],
  textOf: DecisionText = ({ text }) => text,
): DecisionDifference | null {
  const length = Math.max(first.length, second.length);
  for (let index = 0; index < length; index++) {
    const [a, b] = [first[index], second[index]];
    if (a !== undefined && b !== undefined && textOf(a) === textOf(b)) continue;
    const times = [a, b].flatMap((decision) => (decision === undefined ? [] : [decision.at]));
    // tidy: as The lesser of times is a time.
    return { words: `${decisionWords(a)}, then ${decisionWords(b)}`, at: Math.min(...times) as Micros };
  }
  return null;
}

function decisionWords(decision: Decision | undefined): string {
  if (decision === undefined) return 'nothing';
  return `${commandWords(decision.command)} at ${timeText(decision.at)}`;
}

const timeText = (at: Micros): string => `${(millisOf(at) / 1000).toFixed(3)}s`;

function commandWords(command: Command): string {
  switch (command.type) {
    case 'place':
      return `${command.side} ${contractsText(command.qty)} ${command.ticker} at ${centsText(command.price)}${termsWords(command)}`;
    case 'amend':
      return `amend ${command.clientOrderId} to ${contractsText(command.qty)} at ${centsText(command.price)}`;
    case 'decrease':
      return `decrease ${command.clientOrderId} to ${contractsText(command.leavesQty)}`;
    case 'cancel':
      return `cancel ${command.clientOrderId}`;
    case 'read':
    case 'subscribe':
    case 'unsubscribe':
    case 'resync':
    case 'renew':
    case 'renew-private':
    case 'reconnect':
      return command.type;
  }
}

/** The terms of an order beyond price and quantity; empty for an ordinary order. */
function termsWords({ timeInForce, expiresAt, postOnly, reduceOnly }: PlaceCommand): string {
  const inForce = expiresAt === null ? timeInForce : `${timeInForce} until ${timeText(expiresAt)}`;
  const words = [
    ...(timeInForce === 'gtc' ? [] : [inForce]),
    ...(postOnly ? ['post-only'] : []),
    ...(reduceOnly ? ['reduce-only'] : []),
  ];
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}
