// The name of a trial: SHA-256 over the canonical JSON (RFC 8785) of all that decides its results. Must never contain a
// path, a time or a number in the study: the same trial has the same name everywhere.
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../tape/format/canonical-json.ts';

/** Increased when the meaning of a part changes. */
const IDENTITY_VERSION = 1;

/** All that decides the results of a trial. */
export interface TrialIdentity {
  /** Hash of the strategy's bundle. */
  readonly strategy: string;
  /** Parameters after the schema's defaults and coercion. */
  readonly params: unknown;
  /** Hash of the content of all tapes. */
  readonly tape: string;
  /** Hash of the rest of the config. */
  readonly setup: string;
  readonly engine: string;
  /** Seed of the simulated venue. */
  readonly seed: number;
  /** Hash of the parts of a study's split; absent without a split. */
  readonly split?: string;
}

/** Returns the hash of a value's canonical JSON, in hexadecimal. */
export const canonicalHash = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value), 'utf8').digest('hex');

/** Returns the name of a trial. */
export const trialHash = ({ strategy, params, tape, setup, engine, seed, split }: TrialIdentity): string =>
  canonicalHash({
    v: IDENTITY_VERSION,
    strategy,
    params,
    tape,
    setup,
    engine,
    seed,
    ...(split !== undefined && { split }),
  });
