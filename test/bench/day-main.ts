// Records a day of a bot in a data folder, for measuring `presage why` and other readers on a large journal. Must never
// write to a folder that it was not given.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { recordDay } from './day-session.ts';

const text = (byDefault: string) => ({ type: 'string', default: byDefault }) as const;
const { values } = parseArgs({
  options: { folder: { type: 'string' }, hours: text('24'), markets: text('0'), changes: text('25'), seed: text('1') },
});
if (values.folder === undefined) {
  process.stderr.write('day: expected --folder\n');
  process.exit(2);
}
const startedAt = performance.now();
const day = await recordDay({
  folder: join(values.folder, 'journal'),
  hours: Number(values.hours),
  seed: Number(values.seed),
  furtherMarkets: Number(values.markets),
  changesPerSecond: Number(values.changes),
  onHour: (hour, { seq, bytesWritten }) => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    process.stderr.write(`hour ${hour}: ${seq} entries, ${(bytesWritten / 1e6).toFixed(0)} MB, ${seconds} s\n`);
  },
});
process.stdout.write(`${JSON.stringify({ ...day, tickers: day.tickers.length })}\n`);
process.exit(0);
