// Encodes feed commands as JSON texts in a profile's wire format. Must never decide which commands to send: the
// subscription plan decides.
import type { SubscriptionCommand, NumberedCommand } from './subscription-command.ts';
import type { WireProfile } from '../profiles/wire-profile.ts';
import { codecOf } from '../wire/codec.ts';

/** Encodes commands for one profile. */
export class FeedCommandEncoder {
  readonly #profile: WireProfile;

  constructor(profile: WireProfile) {
    this.#profile = profile;
  }

  encodeCommand({ id, command }: NumberedCommand): string {
    return JSON.stringify({ id, ...this.#commandOf(command) });
  }

  #commandOf(command: SubscriptionCommand): { cmd: string; params: unknown } {
    const { subscribe, unsubscribe, update } = this.#profile.feed.commands;
    switch (command.kind) {
      case 'subscribe':
        return { cmd: subscribe.cmd, params: codecOf(subscribe.params).encode(this.#subscribeRecord(command)) };
      case 'unsubscribe':
        return { cmd: unsubscribe.cmd, params: codecOf(unsubscribe.params).encode({ sids: [command.sid] }) };
      case 'snapshot':
      case 'delete': {
        const { sid, tickers, kind } = command;
        const action = { sid, sids: null, ticker: null, tickers, names: null, withSnapshot: null, action: kind };
        return { cmd: update.cmd, params: codecOf(update.params).encode(action) };
      }
    }
  }

  #subscribeRecord({ channels, tickers }: Extract<SubscriptionCommand, { kind: 'subscribe' }>) {
    const onYesScale = channels.includes('book') ? this.#profile.feed.onYesScale : null;
    const withSnapshot = channels.includes('ticker') ? true : null;
    const rest = { skipsList: null, parts: null, part: null };
    return { channels, ticker: null, tickers, onYesScale, withSnapshot, ...rest };
  }
}
