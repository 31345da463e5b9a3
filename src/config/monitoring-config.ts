// The schemas of a bot's log, metrics and watchdog. Must never hold a token: only the path of its file.
import { resolve } from 'node:path';
import { z } from 'zod';
import type { Micros } from '../domain/units.ts';
import { durationField, intervalField } from './fields.ts';
import { parseListenAddress } from './listen-address.ts';

/** The log of a bot. */
export const logSchema = z.strictObject({
  /** Lowest level that is written. */
  level: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  /** Path of the log. Relative to the config. */
  file: z.string().min(1),
  /**
   * Maximum size on disk: a sixth for the file, the rest for `<file>.1`, `<file>.2` and so on. Older files are removed.
   */
  keepMegabytes: z.int().min(1).max(1_000_000).default(300),
  /** Time for which full files are kept. At midnight UTC, a new file begins. */
  keepFor: durationField.prefault('30d'),
});

/** The metrics of a bot. */
export const metricsSchema = z.strictObject({
  /**
   * Address and port of the bot's metrics, such as `127.0.0.1:9464`. Without it, metrics are offered by the console and
   * the control socket only. An address beyond this machine needs a `tokenFile`.
   */
  listen: z
    .string()
    .refine((text) => parseListenAddress(text) !== null, { error: 'an address and a port, such as 127.0.0.1:9464' })
    .optional(),
  /** File of the token that a scrape must send as `Authorization: Bearer`. Relative to the config. */
  tokenFile: z.string().min(1).optional(),
  /** Measures garbage collections, at some cost in time. */
  gc: z.boolean().default(false),
});

type MetricsConfig = z.output<typeof metricsSchema>;

/** Makes the path of the token's file absolute. */
export const withTokenPath = ({ tokenFile, ...metrics }: MetricsConfig, folder: string): MetricsConfig => ({
  ...metrics,
  ...(tokenFile !== undefined && { tokenFile: resolve(folder, tokenFile) }),
});

export const watchdogSchema = z.strictObject({
  /**
   * Runs a separate process for crashes and hangs of the bot: it cancels the resting orders. Needs a key and a venue at
   * an address.
   */
  enabled: z.boolean().default(true),
  /** Maximum time without a heartbeat of the bot. */
  deadline: intervalField.prefault('5s'),
  /** Orders that the watchdog cancels: those of the crashed session, or all orders resting in the account. */
  cancels: z.enum(['session', 'account']).default('session'),
  /** Time for which the watchdog keeps trying when the venue refuses. Above `orders.grace`. */
  giveUpAfter: durationField.prefault('1h'),
});

interface Watched {
  readonly watchdog: z.output<typeof watchdogSchema>;
  readonly orders: { readonly grace: Micros };
}

interface Issues {
  addIssue(issue: { code: 'custom'; path: string[]; message: string }): void;
}

/** Refuses a watchdog that gives up within `orders.grace`: it could never see that nothing rests. */
export function checkWatchdog({ watchdog, orders }: Watched, issues: Issues): void {
  if (!watchdog.enabled || watchdog.giveUpAfter > orders.grace) return;
  const message = 'a duration above orders.grace, in which a sent order may still arrive';
  issues.addIssue({ code: 'custom', path: ['watchdog', 'giveUpAfter'], message });
}
