// Names of the queue's keys in Redis. All begin with `study`, so that an access list can be narrow. All but two hold the
// tenant, the users of one secret, so that others can use the same server. Pure.
import { createHmac } from 'node:crypto';

/** Set-up and results of a study that was stopped wait in the queue for this many seconds: a week. */
export const STUDY_KEPT_S = 7 * 86_400;

/** Hexadecimal digits of a hash that a name holds. */
const SHORT = 16;

/** Name of the tenant: the studies and workers that share a secret. It is a hash, which does not show the secret. */
export const tenantOf = (secret: string): string =>
  createHmac('sha256', secret).update('tenant').digest('hex').slice(0, SHORT);

/** Name of the queue of an engine and a tenant: workers of another version or tenant cannot see its trials. */
export const queueNameOf = (engine: string, tenant: string): string => `study-${engine.slice(0, SHORT)}-${tenant}`;

/** Studies that are open, of all tenants: a hash of their identities, by tenant and study. */
export const OPEN_STUDIES = 'study:open';

/** Workers of all tenants: a hash of their tenants, by the worker's id. */
export const ALL_WORKERS = 'study:all-workers';

export const openField = (tenant: string, study: string): string => `${tenant}:${study}`;

export const setupKey = (tenant: string, study: string): string => `study:${tenant}:${study}:setup`;

export const resultKey = (tenant: string, study: string, trial: string): string =>
  `study:${tenant}:${study}:result:${trial}`;

/** The workers that have begun the trial and have not ended it: a set of their ids. */
export const beginnersKey = (tenant: string, study: string, trial: string): string =>
  `study:${tenant}:${study}:beginners:${trial}`;

/** Workers of an engine and a tenant: a hash of their descriptions, by the worker's id. */
export const workersKey = (engine: string, tenant: string): string =>
  `study:workers:${engine.slice(0, SHORT)}:${tenant}`;

/** A job's id: the same trial of the same study is in the queue once. */
export const jobIdOf = (study: string, trial: string): string => `${study.slice(0, SHORT)}-${trial}`;
