// The halts in force: who may not order anything, by whose word, and why. Pure: set and lifted by events alone.
// Must never lift a halt by itself, nor one of another scope than it was asked for: a halt is a person's to lift.
import type { StrategyName, Ticker } from '../domain/ids.ts';
import type { Halt, HaltScope } from '../domain/operator.ts';

/** One word for a scope: equal for equal scopes. */
export function scopeKey(scope: HaltScope): string {
  switch (scope.type) {
    case 'account':
      return 'account';
    case 'strategy':
      return strategyKey(scope.strategy);
    case 'market':
      return marketKey(scope.ticker);
  }
}

const strategyKey = (name: StrategyName): string => `strategy=${name}`;
const marketKey = (name: Ticker): string => `market=${name}`;

/** Whether an order of a strategy in a market is within a scope. */
export function isWithin(scope: HaltScope, strategy: StrategyName, ticker: Ticker): boolean {
  if (scope.type === 'account') return true;
  return scope.type === 'strategy' ? scope.strategy === strategy : scope.ticker === ticker;
}

/** Every halt that has not been lifted. A scope may be halted by several at once: each is told, one lifting ends all. */
export class Halts {
  readonly #byScope = new Map<string, readonly Halt[]>();

  /** Halts. `false` when the same one had halted the same scope already: the first word stands. */
  set(halt: Halt): boolean {
    const key = scopeKey(halt.scope);
    const halts = this.#byScope.get(key) ?? [];
    if (halts.some(({ by }) => by === halt.by)) return false;
    this.#byScope.set(key, [...halts, halt]);
    return true;
  }

  /** Lifts every halt of exactly this scope, and returns them; a strategy's outlives the lifting of the account's. */
  lift(scope: HaltScope): readonly Halt[] {
    const key = scopeKey(scope);
    const lifted = this.#byScope.get(key) ?? [];
    this.#byScope.delete(key);
    return lifted;
  }

  /** Every halt, in the order in which their scopes were first halted. */
  list(): readonly Halt[] {
    return [...this.#byScope.values()].flat();
  }

  /** The halt that keeps a strategy from ordering in a market; the account's before the narrower ones'. */
  blocking(strategy: StrategyName, ticker: Ticker): Halt | null {
    // Before every order: nothing is built when nothing is halted.
    if (this.#byScope.size === 0) return null;
    return this.#first('account') ?? this.#first(strategyKey(strategy)) ?? this.#first(marketKey(ticker));
  }

  /** Whether a scope itself is halted. */
  isHalted(scope: HaltScope): boolean {
    return this.#byScope.has(scopeKey(scope));
  }

  #first(key: string): Halt | null {
    return this.#byScope.get(key)?.[0] ?? null;
  }
}
