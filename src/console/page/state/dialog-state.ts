// The open dialog, and the button that halts. Must never ask anything before the halt is sent.
import { signal } from '@preact/signals';
import { sendControl } from './control-calls.ts';
import { botNames } from './page-state.ts';

export type OpenDialog =
  | { readonly kind: 'help' }
  | { readonly kind: 'more' }
  | { readonly kind: 'alert-test' }
  /** `sent` holds the ids of the sent halts, one for each bot. It is empty before the halt. */
  | {
      readonly kind: 'halt';
      readonly bots: readonly string[];
      readonly scope: string;
      readonly sent: readonly string[];
    }
  | { readonly kind: 'resume'; readonly bot: string; readonly scope: string }
  | { readonly kind: 'cancel-all'; readonly bot: string; readonly scope: string }
  | { readonly kind: 'flatten'; readonly bot: string }
  | { readonly kind: 'override'; readonly bot: string; readonly limit: string; readonly strategy: string | null };

export const openDialog = signal<OpenDialog | null>(null);

export const closeDialog = (): void => {
  openDialog.value = null;
};

/** Halts bots at once, and opens the dialog of the halt. */
export function pressHalt(bots: readonly string[], scope = 'account'): void {
  const sent = bots.map((bot) => sendControl({ bot, kind: 'halt', scope, body: { scope } }));
  openDialog.value = { kind: 'halt', bots, scope, sent };
}

/** Returns the bots of the halt button: the bot in view, or else all. */
export const haltTargets = (bot: string | null): readonly string[] =>
  bot === null ? botNames.value : botNames.value.filter((name) => name === bot);
