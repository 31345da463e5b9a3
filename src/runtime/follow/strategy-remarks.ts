// The latest denials, rejections and reasons of each strategy. Must never hold more than `REMARKS_MAX` remarks of a
// strategy.
import { describeDenial } from '../../domain/denial.ts';
import type { MarketIndex, StrategyName } from '../../domain/ids.ts';
import type { Intent } from '../../domain/intent.ts';
import type { Micros } from '../../domain/units.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import type { z } from 'zod';
import type { strategyRemarkSchema } from './follow-messages.ts';

export type StrategyRemark = z.output<typeof strategyRemarkSchema>;

/** Most remarks kept of a strategy. */
export const REMARKS_MAX = 20;

type RemarkNotice = Extract<Notice, { type: 'approved' | 'denied' | 'order' }>;

/** The remarks of all strategies. */
export class StrategyRemarks {
  readonly #tickerOf: (market: MarketIndex) => string | null;
  /**
   * Remarks by strategy and key, the oldest first. Added with the first remark; the oldest is removed above
   * `REMARKS_MAX`.
   */
  readonly #byStrategy = new Map<StrategyName, Map<string, StrategyRemark>>();

  /** @param tickerOf returns `null` for an unknown market: an intent may name any index. */
  constructor(tickerOf: (market: MarketIndex) => string | null) {
    this.#tickerOf = tickerOf;
  }

  addNotice(notice: RemarkNotice, at: Micros): void {
    switch (notice.type) {
      case 'approved': {
        const { strategy, intent } = notice;
        const text = 'reason' in intent ? (intent.reason ?? '') : '';
        if (text !== '')
          this.#addRemark(strategy, { ...this.#placeOf(intent), atUs: at, kind: 'reason', code: null, text });
        return;
      }
      case 'denied': {
        const { strategy, intent, denial } = notice;
        const { code } = denial;
        const text = describeDenial(denial);
        return this.#addRemark(strategy, { ...this.#placeOf(intent), atUs: at, kind: 'denied', code, text });
      }
      case 'order': {
        const { order, to, why } = notice;
        if (to !== 'rejected') return;
        const ticker = this.#tickerOf(order.market);
        return this.#addRemark(order.strategy, { ticker, atUs: at, kind: 'rejected', code: null, text: why });
      }
    }
  }

  #placeOf(intent: Intent): Pick<StrategyRemark, 'ticker'> {
    const market = 'market' in intent ? intent.market : undefined;
    return { ticker: market === undefined ? null : this.#tickerOf(market) };
  }

  /**
   * Adds a remark, or counts it with an equal remark. Denials with the same code are equal, and the latest figures are
   * kept.
   */
  #addRemark(strategy: StrategyName, remark: Omit<StrategyRemark, 'count'>): void {
    const remarks = this.#byStrategy.get(strategy) ?? new Map<string, StrategyRemark>();
    this.#byStrategy.set(strategy, remarks);
    const key = `${remark.kind} ${remark.code ?? remark.text} ${remark.ticker ?? ''}`;
    const count = (remarks.get(key)?.count ?? 0) + 1;
    remarks.delete(key);
    remarks.set(key, { ...remark, count });
    if (remarks.size <= REMARKS_MAX) return;
    for (const oldest of remarks.keys()) return void remarks.delete(oldest);
  }

  /** The remarks of a strategy, newest last. */
  remarksOf(strategy: StrategyName): StrategyRemark[] {
    return [...(this.#byStrategy.get(strategy)?.values() ?? [])];
  }

  /** The latest remark of a strategy about a market, or `null`. */
  latestAbout(strategy: StrategyName, ticker: string): StrategyRemark | null {
    return this.remarksOf(strategy).findLast((remark) => remark.ticker === ticker) ?? null;
  }
}
