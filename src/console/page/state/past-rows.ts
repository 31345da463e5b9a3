// Rows of a bot's history, for a bot that does not answer.
import { useEffect, useState } from 'preact/hooks';
import { botPath, callSlowApi, textOfFault } from './api-calls.ts';

/** Rows of the history, or why there are none. `rows` is empty until they come. */
export interface PastRows<Row> {
  readonly rows: readonly Row[];
  readonly fault: string | null;
}

const NONE = { rows: [], fault: null };

/** Reads rows of a bot's history, such as those of `pnl?by=day`, when a view opens. */
export function usePastRows<Row>(bot: string, question: string): PastRows<Row> {
  const [past, setPast] = useState<PastRows<Row>>(NONE);
  useEffect(() => {
    let isShown = true;
    setPast(NONE);
    callSlowApi<{ rows: Row[] }>(botPath(bot, `/history/${question}`)).then(
      ({ rows }) => isShown && setPast({ rows, fault: null }),
      (reason: unknown) => isShown && setPast({ rows: [], fault: textOfFault(reason) }),
    );
    return () => {
      isShown = false;
    };
  }, [bot, question]);
  return past;
}
