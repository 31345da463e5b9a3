// Names of the queue's keys in Redis. All begin with `study`, so that an access list can be narrow. All but one hold the
// circle of those who share a secret, so that others can use the same server. Pure.
import { createHmac } from 'node:crypto';

/** Set-up and results of a study that was stopped wait in the queue for this many seconds: a week. */
export const STUDY_KEPT_S = 7 * 86_400;

/** Hexadecimal digits of a hash that a name holds. */
const SHORT = 16;

/** Name of the circle of studies and workers that share a secret. The secret cannot be found from it. */
export const circleOf = (secret: string): string =>
  createHmac('sha256', secret).update('circle').digest('hex').slice(0, SHORT);

/** Name of the queue of an engine and a circle: workers of another version or circle cannot see its trials. */
export const queueNameOf = (engine: string, circle: string): string => `study-${engine.slice(0, SHORT)}-${circle}`;

/** Studies that are open, of all circles: a hash of their identities, by circle and study. */
export const OPEN_STUDIES = 'study:open';

export const openField = (circle: string, study: string): string => `${circle}:${study}`;

export const setupKey = (circle: string, study: string): string => `study:${circle}:${study}:setup`;

export const resultKey = (circle: string, study: string, trial: string): string =>
  `study:${circle}:${study}:result:${trial}`;

/** How often a worker began the trial. */
export const beginsKey = (circle: string, study: string, trial: string): string =>
  `study:${circle}:${study}:begins:${trial}`;

/** Workers of an engine and a circle: a hash of their descriptions, by the worker's id. */
export const workersKey = (engine: string, circle: string): string =>
  `study:workers:${engine.slice(0, SHORT)}:${circle}`;

/** A job's id: the same trial of the same study is in the queue once. */
export const jobIdOf = (study: string, trial: string): string => `${study.slice(0, SHORT)}-${trial}`;
