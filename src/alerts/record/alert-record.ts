// The record of an alert. Every target's message is made from it. Must never hold a secret, or text with control
// characters.
import { z } from 'zod';
import { SEVERITIES, type Severity } from '../../config/alerts-config.ts';

const text = z.string();

export const alertRecordSchema = z.strictObject({
  /** Unique id. A record that is sent twice has the same id. */
  id: text,
  /** The condition: bot, code and scope. */
  key: text,
  severity: z.enum(SEVERITIES),
  bot: text,
  code: text,
  /** ISO 8601 in UTC. */
  at: text,
  title: text,
  /** The event, in whole sentences. `did`: the bot's own acts. `do`: the advice to a person. */
  happened: text,
  did: text,
  do: text,
  figures: z.record(text, z.union([text, z.number()])),
  /** Address for more; `null` when the config names none. */
  link: z.union([text, z.null()]),
  state: z.enum(['firing', 'over']),
  /** Number of times that the condition was seen since it began. */
  count: z.int().min(1),
});

/** One alert. */
export type AlertRecord = Readonly<z.output<typeof alertRecordSchema>>;

/** The part of an alert that its source knows. */
export interface AlertDraft extends Pick<
  AlertRecord,
  'severity' | 'code' | 'title' | 'happened' | 'did' | 'do' | 'figures'
> {
  /** Subject of the condition: a market, a strategy, a session. Empty for the bot as a whole. */
  readonly scope: string;
}

/** An act of a source: a condition was seen, has ended, or ended unseen. */
export type AlertAct =
  | { readonly type: 'firing'; readonly draft: AlertDraft }
  | { readonly type: 'over'; readonly code: string; readonly scope: string; readonly happened: string }
  /** Conditions of a code have ended, except those of the given scopes. */
  | {
      readonly type: 'over-except';
      readonly code: string;
      readonly scopes: readonly string[];
      readonly happened: string;
    };

/** A higher rank is more severe. */
export const rankOfSeverity = (severity: Severity): number => SEVERITIES.indexOf(severity);

export const worseSeverity = (a: Severity, b: Severity): Severity => (rankOfSeverity(a) >= rankOfSeverity(b) ? a : b);
