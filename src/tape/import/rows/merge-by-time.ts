// Merges rows of several files by time. Rows of one file keep their sequence. Must never hold more than one batch of
// each file.

interface Timed {
  readonly at: number;
}

interface Head<Row> {
  readonly source: AsyncGenerator<readonly Row[]>;
  rows: readonly Row[];
  next: number;
}

/** Merges rows by time. At equal times, the rows of the earlier file come first. */
export async function* mergeByTime<Row extends Timed>(
  sources: readonly AsyncGenerator<readonly Row[]>[],
): AsyncGenerator<readonly Row[]> {
  const [only] = sources;
  if (only !== undefined && sources.length === 1) return yield* only;
  let heads: Head<Row>[] = sources.map((source) => ({ source, rows: [], next: 0 }));
  for (;;) {
    for (const head of heads) await refill(head);
    heads = heads.filter((head) => head.next < head.rows.length);
    if (heads.length === 0) return;
    yield drain(heads);
  }
}

async function refill<Row>(head: Head<Row>): Promise<void> {
  while (head.next >= head.rows.length) {
    const { done, value } = await head.source.next();
    if (done === true) return;
    head.rows = value;
    head.next = 0;
  }
}

/** Returns the earliest rows, until one file's batch is used up. */
function drain<Row extends Timed>(heads: readonly Head<Row>[]): readonly Row[] {
  const merged: Row[] = [];
  for (;;) {
    let first: Head<Row> | undefined;
    for (const head of heads) {
      const row = head.rows[head.next];
      if (row === undefined) return merged;
      if (first === undefined || row.at < (first.rows[first.next]?.at ?? 0)) first = head;
    }
    const row = first?.rows[first.next];
    if (first === undefined || row === undefined) return merged;
    merged.push(row);
    first.next += 1;
  }
}
