// The state of a data folder that a session takes over, by the kind of its account.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Supervision } from '../../../src/app/session/supervision.ts';
import { type Halt, NOTHING_UNRESOLVED, type RestoredState } from '../../../src/domain/operator-order.ts';
import { dollars, micros } from '../../../src/domain/units.ts';
import { logTo } from '../../../src/log.ts';
import { SystemClock } from '../../../src/runtime/session/system-clock.ts';
import { configIn, makeDataFolder, removeDataFolder } from '../../support/sessions/supervised-folder.ts';
import { must } from '../../../src/base/assert.ts';

let folder = '';
beforeEach(() => {
  folder = makeDataFolder();
});
afterEach(() => removeDataFolder(folder));

const LOSSES = { day: '2026-11-30', dayEquity: dollars(1300), peakEquity: dollars(1500), dayMarkEquity: dollars(1300) };
const BOOKS = { at: micros(1), session: 's1', strategies: [], books: [], others: [], orders: [], fills: [] };
const HALT: Halt = { scope: { type: 'account' }, by: 'risk', reason: 'a loss', since: micros(1) };

/** Saves figures and a halt, and returns what a session of the folder takes over. */
async function restored(isAccountNew: boolean): Promise<RestoredState> {
  const log = logTo({ write: () => undefined }, 'silent');
  const common = { openSecond: null, config: configIn(folder), file: 'bot.yaml', log, clock: new SystemClock() };
  const supervision = must(
    await Supervision.openDataFolder({ ...common, account: null, isAccountNew }),
    'a data folder',
  );
  supervision.latch.writeLosses(LOSSES);
  supervision.latch.writeLedgers(BOOKS);
  supervision.latch.writeHalt(HALT);
  const state = supervision.restoredState(NOTHING_UNRESOLVED);
  await supervision.close(null);
  return state;
}

describe('a session', () => {
  it('takes over losses, ledgers and halts of the account', async () => {
    expect(await restored(false)).toMatchObject({ losses: LOSSES, books: { session: 's1' }, halts: [HALT] });
  });

  it('of an account that begins again takes over the halts alone', async () => {
    const state = await restored(true);
    expect(state).toMatchObject({ losses: null, halts: [HALT] });
    expect(state.books).toBeUndefined();
  });
});
