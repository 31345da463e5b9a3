// The strategies called for a change of a book: all that follow the market and are not halted, one after the other.
import { describe, expect, it } from 'vitest';
import { type MarketIndex, strategyName } from '../../src/domain/ids.ts';
import { type Micros, cents } from '../../src/domain/units.ts';
import { State } from '../../src/state/state.ts';
import { StrategyView } from '../../src/state/strategy-view.ts';
import {
  type BookListener,
  BookListeners,
  type BookListenerSink,
  type LevelChange,
} from '../../src/strategy/book-listeners.ts';
import { OthersBestWatch } from '../../src/strategy/others-best-watch.ts';
import type { Handlers } from '../../src/strategy/strategy-definition.ts';
import { StrategyTimers } from '../../src/strategy/strategy-timers.ts';
import { M0, M1, after } from '../support/engine/builders.ts';

type OnBook = NonNullable<Handlers['onBook']>;

const listener = (name: string, index: number, onBook: OnBook): BookListener => {
  const view = new StrategyView(new State(), [], { strategy: strategyName(name), markets: [] });
  const running = {
    name: strategyName(name),
    index,
    handlers: { onBook },
    view,
    timers: new StrategyTimers(),
    haltedBy: null,
  };
  return { running, onBook, view, isSelective: false };
};

/** Listeners whose books stay empty. */
const listenersOf = (sink: BookListenerSink): BookListeners =>
  new BookListeners(sink, new OthersBestWatch(new State(), 0), 0);

const changeOf = (market: MarketIndex, at: Micros): LevelChange => ({ market, at, side: 'bid', price: cents(40) });

const quiet: BookListenerSink = { onIntents: () => false, onFailure: () => true };

describe('a change of a book', () => {
  it('is delivered to the followers of the market, in their order and unchanged', () => {
    const calls: string[] = [];
    const listeners = listenersOf(quiet);
    const noting =
      (name: string): OnBook =>
      ({ market, at, isTouch }) =>
        void calls.push(`${name} ${market} ${at} ${isTouch}`);
    const [first, second] = [listener('one', 0, noting('one')), listener('two', 1, noting('two'))];
    listeners.setListeners(M0, [first, second]);
    listeners.setListeners(M1, [second]);
    for (const market of [M0, M1]) listeners.emitBookChange(changeOf(market, after(1)), market === M0);
    listeners.showBook(M0, after(2));
    expect(calls).toEqual([
      `one 0 ${after(1)} true`,
      `two 0 ${after(1)} true`,
      `two 1 ${after(1)} false`,
      `one 0 ${after(2)} true`,
      `two 0 ${after(2)} true`,
    ]);
    calls.length = 0;
    listeners.close();
    listeners.emitBookChange(changeOf(M0, after(3)), true);
    listeners.showBook(M1, after(3));
    expect(calls).toEqual([]);
  });

  it('is not delivered to a halted strategy, and again to a resumed one', () => {
    const calls: string[] = [];
    const listeners = listenersOf(quiet);
    const second = listener('two', 1, () => void calls.push('two'));
    const first = listener('one', 0, () => void calls.push('one'));
    listeners.setListeners(M0, [first, second]);
    const change = (): string => {
      calls.length = 0;
      listeners.emitBookChange(changeOf(M0, after(1)), true);
      return calls.join();
    };
    const halt = (why: string | null): string => {
      first.running.haltedBy = why;
      listeners.setListeners(M0, [first, second]);
      return change();
    };
    expect([change(), halt('too much'), halt(null)]).toEqual(['one,two', 'two', 'one,two']);
  });

  it('is not delivered to a strategy that the answer of an earlier one has halted', () => {
    let calls = 0;
    const second = listener('two', 1, () => void (calls += 1));
    const listeners: BookListeners = listenersOf({
      onIntents: () => {
        second.running.haltedBy = 'the account is halted';
        listeners.setListeners(M0, []);
        return true;
      },
      onFailure: () => true,
    });
    listeners.setListeners(M0, [listener('one', 0, () => [{ type: 'cancel-all' }]), second]);
    expect(listeners.emitBookChange(changeOf(M0, after(1)), true)).toBe(true);
    expect(calls).toBe(0);
  });

  it('is delivered unchanged to the second strategy although another book was shown meanwhile', () => {
    const calls: number[] = [];
    const listeners: BookListeners = listenersOf({
      onIntents: () => {
        listeners.showBook(M1, after(5));
        return true;
      },
      onFailure: () => true,
    });
    const second = listener('two', 1, ({ market }) => void calls.push(market));
    const other = listener('three', 2, ({ market }) => void calls.push(market));
    listeners.setListeners(M0, [listener('one', 0, () => [{ type: 'cancel-all' }]), second]);
    listeners.setListeners(M1, [other]);
    listeners.emitBookChange(changeOf(M0, after(1)), true);
    expect(calls).toEqual([M1, M0]);
  });

  it('is delivered to the next strategy after one that fails', () => {
    const failed: unknown[] = [];
    let calls = 0;
    const listeners = listenersOf({ onIntents: () => false, onFailure: (_, fault) => failed.push(fault) > 0 });
    const bad = listener('bad', 0, () => {
      throw new RangeError('too far');
    });
    listeners.setListeners(M0, [bad, listener('good', 1, () => void (calls += 1))]);
    expect(listeners.emitBookChange(changeOf(M0, after(1)), false)).toBe(true);
    expect([failed.length, calls]).toEqual([1, 1]);
  });
});
