// The included strategies over the sample recording: each of them trades, and the account balances.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runBacktestOnce } from '../../src/app/backtest/backtest-session.ts';
import { openTapeAt } from '../../src/app/tape-place.ts';
import { type BacktestConfig, readBacktestConfig } from '../../src/config/backtest-config.ts';
import { paramsFromConfig } from '../../src/runtime/plugins/config-params.ts';
import type { RowSource } from '../../src/tape/baked/tape-rows.ts';

const FILE = 'config/strategies.yaml';
const config: BacktestConfig = readBacktestConfig(FILE);

describe('the six strategies on the sample tape', () => {
  let folder = '';
  let source: RowSource;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'presage-'));
    source = openTapeAt(config.tape, { bakedFile: join(folder, 'baked.arrow') });
  });
  afterAll(() => {
    source.close();
    rmSync(folder, { recursive: true });
  });

  it('are six', () => {
    expect(new Set(config.strategies.map(({ file }) => file)).size).toBe(6);
  });

  it('all trade in one account, which is paid out and balances, and none is halted', async () => {
    const strategyOf = new Map<string, string>();
    const halted: string[] = [];
    const run = await runBacktestOnce(config, source, {
      paramsFrom: paramsFromConfig(FILE),
      onDecision: (_text, command) => {
        if (command.type === 'place') strategyOf.set(command.clientOrderId, command.strategy);
      },
      observe: (notice) => {
        if (notice.type === 'halt') halted.push(notice.halt.reason);
      },
    });
    const { account } = run.driver.venue;
    const traded = new Set(account.fills.map(({ clientOrderId }) => strategyOf.get(clientOrderId ?? '')));
    expect(traded).toEqual(new Set(config.strategies.map(({ name }) => name)));
    expect(account.settled).not.toBe(0);
    expect([run.imbalances, halted]).toEqual([[], []]);
  });
});
