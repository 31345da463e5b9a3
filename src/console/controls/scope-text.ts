// Parses the scopes of the API: `account`, `strategy NAME` or `market TICKER`. Pure.
import { strategyName, ticker } from '../../domain/ids.ts';
import type { HaltScope } from '../../domain/operator-order.ts';
import { SCOPE_NAME_MAX } from '../../runtime/saved/latch.ts';
import { ProblemFault } from '../server/problem.ts';

/** Parses a scope. @throws {ProblemFault} when the text is not a scope. */
export function parseScope(text: string): HaltScope {
  if (text === 'account') return { type: 'account' };
  const [, type, name = ''] = /^(strategy|market) (.+)$/.exec(text) ?? [];
  if (name.length > 0 && name.length <= SCOPE_NAME_MAX && type === 'strategy')
    return { type, strategy: strategyName(name) };
  if (name.length > 0 && name.length <= SCOPE_NAME_MAX && type === 'market') return { type, ticker: ticker(name) };
  const message = 'expected `account`, `strategy NAME` or `market TICKER`';
  throw new ProblemFault('invalid', 'the request does not fit its schema', { errors: [{ path: 'scope', message }] });
}
