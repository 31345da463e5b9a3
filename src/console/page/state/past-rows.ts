// Rows of a bot's history, for a bot that does not answer.
import { useEffect, useState } from 'preact/hooks';
import { botPath, callSlowApi, textOfFault } from './api-calls.ts';

/** Rows of the history, or why there are none. `rows` is empty until they come. */
export interface PastRows<Row> {
  readonly rows: readonly Row[];
  /** True: the history has more rows than the console gave. */
  readonly hasMore: boolean;
  readonly fault: string | null;
}

const NONE = { rows: [], hasMore: false, fault: null };

/** Reads rows of a bot's history, such as those of `pnl?by=day`, when a view opens. */
export function usePastRows<Row>(bot: string, question: string): PastRows<Row> {
  const [past, setPast] = useState<PastRows<Row>>(NONE);
  useEffect(() => {
    let isShown = true;
    setPast(NONE);
    callSlowApi<{ rows: Row[]; next: string | null }>(botPath(bot, `/history/${question}`)).then(
      ({ rows, next }) => isShown && setPast({ rows, hasMore: next !== null, fault: null }),
      (reason: unknown) => isShown && setPast({ ...NONE, fault: textOfFault(reason) }),
    );
    return () => {
      isShown = false;
    };
  }, [bot, question]);
  return past;
}
