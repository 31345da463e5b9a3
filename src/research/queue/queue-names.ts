// Names of the queue's keys in Redis. All begin with `study`, so that an access list can be narrow. Pure.

/** Set-up and results of a study that was stopped wait in the queue for this many seconds: a week. */
export const STUDY_KEPT_S = 7 * 86_400;

/** Hexadecimal digits of a hash that a name holds. */
const SHORT = 16;

/** Name of the queue of an engine: a worker of another version cannot see its trials. */
export const queueNameOf = (engine: string): string => `study-${engine.slice(0, SHORT)}`;

/** Studies that are open: a hash of their identities, by the study's hash. */
export const OPEN_STUDIES = 'study:open';

export const setupKey = (study: string): string => `study:${study}:setup`;

export const resultKey = (study: string, trial: string): string => `study:${study}:result:${trial}`;

/** How often a worker began the trial. */
export const beginsKey = (study: string, trial: string): string => `study:${study}:begins:${trial}`;

/** Workers of an engine: a hash of their descriptions, by the worker's id. */
export const workersKey = (engine: string): string => `study:workers:${engine.slice(0, SHORT)}`;

/** A job's id: the same trial of the same study is in the queue once. */
export const jobIdOf = (study: string, trial: string): string => `${study.slice(0, SHORT)}-${trial}`;
