// The halts in force: scope, author and reason. Must never lift a halt of another scope than the request names.
import { assert } from '../../base/assert.ts';
import type { StrategyName, Ticker } from '../../domain/ids.ts';
import type { Halt, HaltScope } from '../../domain/operator-order.ts';

/** The key of a scope; equal scopes have equal keys. */
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

/** True when an order of a strategy in a market is within a scope. */
export function isInHaltScope(scope: HaltScope, strategy: StrategyName, ticker: Ticker): boolean {
  if (scope.type === 'account') return true;
  return scope.type === 'strategy' ? scope.strategy === strategy : scope.ticker === ticker;
}

/** Every halt that has not been lifted. A scope may be halted by several authors; one resume lifts all its halts. */
export class Halts {
  /** By scope. Added with the first halt of a scope; removed when the scope is resumed. */
  readonly #byScope = new Map<string, readonly Halt[]>();

  /**
   * Adds a halt. Returns the halt in force when it is new or has another reason, else `null`. The operator's latest reason
   * replaces the earlier one; a rule's or fault's first reason is kept.
   */
  addHalt(halt: Halt): { readonly halt: Halt; readonly isNew: boolean } | null {
    const key = scopeKey(halt.scope);
    const halts = this.#byScope.get(key) ?? [];
    const at = halts.findIndex(({ by }) => by === halt.by);
    const known = halts[at];
    if (known === undefined) {
      this.#byScope.set(key, [...halts, halt]);
      return { halt, isNew: true };
    }
    if (halt.by !== 'operator' || halt.reason === known.reason) return null;
    const changed = { ...known, reason: halt.reason };
    this.#byScope.set(key, halts.with(at, changed));
    return { halt: changed, isNew: false };
  }

  /**
   * Lifts every halt of exactly this scope, and returns them. Resuming the account leaves halts of strategies and
   * markets in force.
   */
  liftHalts(scope: HaltScope): readonly Halt[] {
    const key = scopeKey(scope);
    const lifted = this.#byScope.get(key) ?? [];
    this.#byScope.delete(key);
    assert(
      lifted.every((halt) => scopeKey(halt.scope) === key),
      'a resume must lift halts of its own scope only',
    );
    return lifted;
  }

  /** Every halt, by scope; the scope that was halted first is at the head. */
  listHalts(): readonly Halt[] {
    return [...this.#byScope.values()].flat();
  }

  /** The halt that blocks orders of a strategy in a market, the account's first; `null` when there is none. */
  blockingHalt(strategy: StrategyName, ticker: Ticker): Halt | null {
    // Called before every order, so it allocates nothing while nothing is halted.
    if (this.#byScope.size === 0) return null;
    return this.#first('account') ?? this.#first(strategyKey(strategy)) ?? this.#first(marketKey(ticker));
  }

  isHalted(scope: HaltScope): boolean {
    return this.#byScope.has(scopeKey(scope));
  }

  #first(key: string): Halt | null {
    const halts = this.#byScope.get(key);
    assert(halts === undefined || halts.length > 0, 'a halted scope must have a halt');
    return halts?.[0] ?? null;
  }
}
