// The shipped configs of the venue’s environments, and the go-live stages between them.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must } from '../../src/base/assert.ts';
import { render } from '../../src/cli/ladder-command.ts';
import {
  type StagePosition,
  requireEarlierStages,
  recordStep,
  sessionOutcome,
  stagePositionOf,
} from '../../src/app/stages/stage-gate.ts';
import { guardRailsFor } from '../../src/app/venue/guard-rails.ts';
import { type BotConfig, readBotConfig } from '../../src/config/bot-config.ts';
import { contracts } from '../../src/domain/units.ts';
import { strategiesHashOf } from '../../src/runtime/stages/stage-of-config.ts';
import type { GoLiveStage } from '../../src/runtime/stages/go-live-stages.ts';
import { SessionTally } from '../../src/runtime/session/session-tally.ts';
import { kalshiProfile } from '../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { runSession } from '../../src/app/session/session-run.ts';

const CONFIGS = fileURLToPath(new URL('../../config/', import.meta.url));

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-ladder-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const LIMITS = `limits:
  { orderQtyMax: 1, orderCostMax: 1, positionQtyMax: 3, marketCostMax: 3, groupCostMax: 10, accountCostMax: 10,
    dailyLossMax: 5, drawdownMax: 5, workingOrdersMax: 10, ordersPerSecondMax: 5, priceMin: 0.02, priceMax: 0.98,
    priceDistanceMax: 0.20, bookAgeMax: 30s, closeGuard: 5m }
`;

/** Writes a shipped config, with additions, into the test’s folder. */
function shipped(name: string, added = ''): string {
  const file = join(folder, name);
  const text = readFileSync(join(CONFIGS, name), 'utf8')
    .replaceAll('../strategies', join(CONFIGS, '../strategies'))
    .replaceAll('../var', folder);
  writeFileSync(file, text + added);
  return file;
}

const live = (): BotConfig => readBotConfig(shipped('kalshi-live.yaml', LIMITS));
const standing = (config: BotConfig): StagePosition => must(stagePositionOf(config), 'a standing');

describe('the shipped demo config', () => {
  it('is valid, and trades in the demo environment with every guard', () => {
    const config = readBotConfig(join(CONFIGS, 'kalshi-demo.yaml'));
    expect(config.venue).toMatchObject({ profile: 'kalshi', environment: 'demo' });
    expect(stagePositionOf(config)).toMatchObject({ rung: 'demo', world: 'demo' });
    expect(guardRailsFor(config, kalshiProfile)).toMatchObject({
      guards: { cancelOnPause: true, restMsMax: 3_600_000 },
      orderGroupQty: contracts(20),
    });
  });

  it('has its guards by default, also when the environment is given by its address, and not at other addresses', () => {
    const { venue, limits } = readBotConfig(join(CONFIGS, 'kalshi-demo.yaml'));
    const { guards: _asked, environment: _named, ...rest } = venue;
    const railsAt = (url: string) => guardRailsFor({ venue: { ...rest, url }, limits }, kalshiProfile);
    const { rest: demo = '' } = kalshiProfile.environments['demo'] ?? {};
    expect(railsAt(demo)).toMatchObject({
      guards: { cancelOnPause: true, restMsMax: 3_600_000 },
      orderGroupQty: contracts(20),
    });
    expect(railsAt('http://127.0.0.1:1')).toMatchObject({ guards: { cancelOnPause: false }, orderGroupQty: null });
  });
});

describe('the shipped config of real money', () => {
  it('does not start without limits, and lists them', async () => {
    const refused = expect(runSession({ file: shipped('kalshi-live.yaml') })).rejects;
    await refused.toThrow(
      /limits: expected limits, because strategies run; each of these must be chosen:\n.*orderQtyMax/s,
    );
  });

  it('is at the stage “smallest” with the smallest limits, and is refused until the earlier stages are passed', async () => {
    const config = live();
    expect(stagePositionOf(config)).toMatchObject({ rung: 'smallest', world: 'production', folder });
    await expect(runSession({ file: join(folder, 'kalshi-live.yaml') })).rejects.toThrow(
      'the ladder does not reach smallest in production yet: doctor: presage doctor has not checked production yet; next: presage doctor',
    );
  });
});

describe('the go-live stages', () => {
  const good = { isGood: true, elapsedMs: 3_600_000, words: 'well' };

  it('are passed one after another by configs of the same strategy files', async () => {
    const config = live();
    const at = standing(config);
    const demo = readBotConfig(shipped('kalshi-demo.yaml'));
    const strategies = await strategiesHashOf(config);
    const refusal = (): string => {
      try {
        requireEarlierStages({ ...at, strategies });
        return 'reached';
      } catch (fault) {
        return /yet: (\w+)/.exec(String(fault))?.[1] ?? String(fault);
      }
    };
    const climbs: [BotConfig, GoLiveStage][] = [
      [config, 'doctor'],
      [demo, 'replay'],
      [demo, 'paper'],
      [demo, 'demo'],
    ];
    const seen: string[] = [];
    for (const [climber, rung] of climbs) {
      seen.push(refusal());
      recordStep(climber, { ...standing(climber), rung, strategies: await strategiesHashOf(climber) }, good);
    }
    expect(seen).toEqual(['doctor', 'replay', 'paper', 'demo']);
    expect(refusal()).toBe('reached');
  });

  it('are printed with what is missing', () => {
    const missing = { reason: 'none yet', remedy: 'do it' };
    const rungs = [
      { rung: 'doctor', missing: null },
      { rung: 'replay', missing },
    ] as const;
    expect(render({ rung: 'paper', world: 'demo', rungs })).toEqual([
      'ok       doctor',
      'MISSING  replay  none yet',
      '                 → do it',
      'paper in demo: may not run yet',
    ]);
    expect(render({ rung: 'demo', world: 'demo', rungs: [] }).at(-1)).toBe('demo: may run');
  });
});

describe('sessionOutcome', () => {
  const done = (end: Parameters<typeof sessionOutcome>[0]['end'], alarms: readonly string[] = [], isWritten = true) => {
    const tally = new SessionTally([]);
    for (const code of alarms) tally.alarms.set(code as 'drift', 1);
    const snapshot = { elapsedMs: 3_600_000, runMs: 5, halts: [] } as unknown as Parameters<
      typeof sessionOutcome
    >[0]['snapshot'];
    return sessionOutcome({ end, tally, snapshot, logFile: '', journal: null, differences: null }, isWritten);
  };

  it('is good when the session ended reconciled and without an alarm', () => {
    const end = { type: 'stopped', isReconciled: true, hadAccount: true } as const;
    expect(done(end)).toEqual({ isGood: true, elapsedMs: 5, words: 'reconciled, no alarm, 0 fills' });
    expect(done(end, ['drift'])).toMatchObject({ isGood: false, words: 'alarm drift ×1' });
    expect(done(end, [], false)).toMatchObject({ isGood: false, words: 'its journal is not whole' });
  });

  it('is bad when the session ended in any other way', () => {
    expect(done({ type: 'stopped', isReconciled: false, hadAccount: true })).toMatchObject({ isGood: false });
    expect(done({ type: 'timed-out', ordersLeft: 2 })).toMatchObject({ isGood: false, words: 'it ended as timed-out' });
    expect(done({ type: 'fault', fault: new Error('x'), ordersLeft: null })).toMatchObject({ isGood: false });
  });
});
