// Halts in words. Pure.
import type { Halt, HaltScope } from '../../domain/operator-order.ts';

/** Names a scope: `the account`, `strategy quoter`, `market ABC-1`. */
export function scopeText(scope: HaltScope): string {
  switch (scope.type) {
    case 'account':
      return 'the account';
    case 'strategy':
      return `strategy ${scope.strategy}`;
    case 'market':
      return `market ${scope.ticker}`;
  }
}

/** Describes a halt in one line. */
export const haltText = ({ scope, by, reason, since }: Halt): string =>
  `${scopeText(scope)} is HALTED by ${by} since ${new Date(since / 1000).toISOString()}: ${reason}`;
