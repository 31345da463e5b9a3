// A feed that never waits: writes book changes as fast as the client takes them, prepared ahead except for their
// sequence numbers.
import type { Duplex } from 'node:stream';
import { deltaRows, undoRows } from '../../support/tapes/workload.ts';
import { endWithParent, tellParent } from '../companion.ts';
import { type FrameBlock, blockOf, writeSeq } from '../frames.ts';
import { openStubFeed } from '../stub-feed.ts';

export const MARKETS = 1000;
const ROWS = 50_000;
/** Frames per write. */
const CHUNK = 400;

const rows = deltaRows({ markets: MARKETS, rows: ROWS, seed: 7 });
const blocks = [blockOf(rows), blockOf(undoRows(rows))];

/** Writes one block, a chunk at a time; returns the next sequence number. */
async function writeBlock(stream: Duplex, block: FrameBlock, firstSeq: number): Promise<number> {
  let seq = firstSeq;
  for (let row = 0; row < ROWS && stream.writable; row += CHUNK) {
    for (let each = row; each < row + CHUNK; each++) writeSeq(block, each, seq++);
    const chunk = block.bytes.subarray(block.starts[row], block.starts[row + CHUNK]);
    if (!stream.write(chunk)) await drained(stream);
  }
  return seq;
}

const drained = (stream: Duplex): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      stream.off('drain', go).off('close', go);
      resolve();
    };
    stream.on('drain', go).on('close', go);
  });

async function blast(stream: Duplex, firstSeq: number): Promise<void> {
  stream.on('error', () => stream.destroy());
  for (let seq = firstSeq, turn = 0; stream.writable; turn++) {
    const block = blocks[turn % blocks.length];
    if (block) seq = await writeBlock(stream, block, seq);
  }
}

endWithParent();
const port = await openStubFeed((stream, nextSeq) => void blast(stream, nextSeq));
tellParent({ port, markets: MARKETS });
