// The studies that are open at a queue, and the workers there, as notes in Redis with a time. Notes that are not renewed
// count no longer. Must never trust a note beyond its form: it decides nothing about results.
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { serverSeconds } from './queue-connection.ts';
import { workerNoteSchema } from './queue-messages.ts';
import { ALL_WORKERS, OPEN_STUDIES, openField, workersKey } from './queue-names.ts';
import { type WorkerIdentity, identitySchema } from './worker-identity.ts';

/** Seconds after which a note that was not renewed no longer counts. */
const FRESH_S = 45;
/** How often notes are renewed. Milliseconds. */
export const NOTE_INTERVAL_MS = 10_000;

const tenantNoteSchema = z.strictObject({ tenant: z.string(), at: z.number() });
const openNoteSchema = z.strictObject({ identity: identitySchema, at: z.number() });

/** An open study. */
export interface OpenStudy {
  /** The users of the study’s secret: `tenantOf`. */
  readonly tenant: string;
  readonly hash: string;
  readonly identity: WorkerIdentity;
}

/** Says that a study is open, or renews the note. */
export async function noteOpenStudy(redis: Redis, { tenant, hash, identity }: OpenStudy): Promise<void> {
  const at = await serverSeconds(redis);
  await redis.hset(OPEN_STUDIES, openField(tenant, hash), JSON.stringify({ identity, at }));
}

export async function removeOpenStudy(redis: Redis, { tenant, hash }: Omit<OpenStudy, 'identity'>): Promise<void> {
  await redis.hdel(OPEN_STUDIES, openField(tenant, hash));
}

/** The studies whose processes run, of all tenants. */
export async function openStudies(redis: Redis): Promise<OpenStudy[]> {
  const notes = await freshNotes(redis, OPEN_STUDIES, openNoteSchema);
  return notes.map(([field, { identity }]) => {
    const [tenant = '', hash = ''] = field.split(':');
    return { tenant, hash, identity };
  });
}

/** A worker, as it describes itself. */
export type WorkerNote = Omit<z.output<typeof workerNoteSchema>, 'at'>;

/** The engine and the tenant whose trials a worker takes. */
export interface WorkerPlace {
  readonly engine: string;
  readonly tenant: string;
}

/** Says that a worker is there, or renews the note. */
export async function noteWorker(
  redis: Redis,
  { id, note, ...of }: WorkerPlace & { readonly id: string; readonly note: WorkerNote },
): Promise<void> {
  const at = await serverSeconds(redis);
  await redis.hset(workersKey(of.engine, of.tenant), id, JSON.stringify({ ...note, at }));
  await redis.hset(ALL_WORKERS, id, JSON.stringify({ tenant: of.tenant, at }));
}

export async function removeWorker(redis: Redis, { engine, tenant }: WorkerPlace, id: string): Promise<void> {
  await redis.hdel(workersKey(engine, tenant), id);
  await redis.hdel(ALL_WORKERS, id);
}

/** The workers of an engine and a tenant that are there. */
export async function presentWorkers(redis: Redis, { engine, tenant }: WorkerPlace): Promise<WorkerNote[]> {
  const notes = await freshNotes(redis, workersKey(engine, tenant), workerNoteSchema);
  return notes.map(([, note]) => note);
}

/** Number of workers that are there and have another secret, of any version. */
export async function countOtherWorkers(redis: Redis, tenant: string): Promise<number> {
  const notes = await freshNotes(redis, ALL_WORKERS, tenantNoteSchema);
  return notes.filter(([, note]) => note.tenant !== tenant).length;
}

/** The notes of a key that are of a known form and not too old. Older ones are removed. */
async function freshNotes<Note extends { readonly at: number }>(
  redis: Redis,
  key: string,
  schema: z.ZodType<Note>,
): Promise<[string, Note][]> {
  const [now, all] = await Promise.all([serverSeconds(redis), redis.hgetall(key)]);
  const notes = Object.entries(all).map(([id, text]) => [id, parsedNote(text, schema)] as const);
  const isFresh = (note: Note | null): note is Note => note !== null && note.at > now - FRESH_S;
  const stale = notes.flatMap(([id, note]) => (isFresh(note) ? [] : [id]));
  if (stale.length > 0) await redis.hdel(key, ...stale);
  return notes.flatMap(([id, note]): [string, Note][] => (isFresh(note) ? [[id, note]] : []));
}

function parsedNote<Note>(text: string, schema: z.ZodType<Note>): Note | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
