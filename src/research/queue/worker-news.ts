// News of a queue's worker, for those who watch it.
import type { ServerNews } from './queue-watch.ts';

/** News of a worker. */
export type WorkerNews =
  | ServerNews
  | { readonly type: 'waiting' }
  /** The worker waits although studies are open: all of these have another secret. */
  | { readonly type: 'others'; readonly studies: number }
  | { readonly type: 'study'; readonly study: string; readonly hash: string }
  /** Other workers have to run a study: it is not for this one. */
  | { readonly type: 'refused'; readonly reason: string }
  /** The study cannot be made ready now, for example because the store is away; it is tried again. */
  | { readonly type: 'fault'; readonly reason: string }
  | { readonly type: 'trial'; readonly study: string; readonly n: number; readonly end: string; readonly ms: number };
