// Commands to the feed as texts, spelled as the profile says.
// Must never decide what to ask: that is the plan's.
import type { Ask, NumberedAsk } from './feed-plan.ts';
import type { WireProfile } from './profile.ts';
import { codecOf } from './wire/codec.ts';

/** Commands as the profile spells them. */
export class CommandTexts {
  readonly #profile: WireProfile;

  constructor(profile: WireProfile) {
    this.#profile = profile;
  }

  /** The text of one command. */
  textOf({ id, ask }: NumberedAsk): string {
    return JSON.stringify({ id, ...this.#commandOf(ask) });
  }

  #commandOf(ask: Ask): { cmd: string; params: unknown } {
    const { subscribe, unsubscribe, update } = this.#profile.feed.commands;
    switch (ask.kind) {
      case 'subscribe':
        return { cmd: subscribe.cmd, params: codecOf(subscribe.params).encode(this.#subscribeRecord(ask)) };
      case 'unsubscribe':
        return { cmd: unsubscribe.cmd, params: codecOf(unsubscribe.params).encode({ sids: [ask.sid] }) };
      case 'snapshot':
      case 'delete': {
        const { sid, tickers, kind } = ask;
        const action = { sid, sids: null, ticker: null, tickers, names: null, withSnapshot: null, action: kind };
        return { cmd: update.cmd, params: codecOf(update.params).encode(action) };
      }
    }
  }

  #subscribeRecord({ channels, tickers }: Extract<Ask, { kind: 'subscribe' }>) {
    const onYesScale = channels.includes('book') ? this.#profile.feed.onYesScale : null;
    const withSnapshot = channels.includes('ticker') ? true : null;
    const rest = { skipsList: null, parts: null, part: null };
    return { channels, ticker: null, tickers, onYesScale, withSnapshot, ...rest };
  }
}
