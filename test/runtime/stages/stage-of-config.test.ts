// The go-live stage of a config, and how passed stages are saved.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BotConfig, botConfigSchema } from '../../../src/config/bot-config.ts';
import { parseYaml } from '../../../src/config/yaml.ts';
import type { StageStep } from '../../../src/runtime/stages/go-live-stages.ts';
import { configHash, stageOf, strategiesHash } from '../../../src/runtime/stages/stage-of-config.ts';
import { environmentOf } from '../../../src/runtime/stages/venue-environment.ts';
import {
  STAGES_FILE,
  StagesFileFault,
  appendStep,
  stagesFolder,
  readSteps,
} from '../../../src/runtime/stages/stage-steps.ts';
import { fileStorage } from '../../../src/tape/journal/file-storage.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi-profile.ts';

const LIMITS = `orderCostMax: 20, positionQtyMax: 60, marketCostMax: 60, groupCostMax: 100, dailyLossMax: 100,
  drawdownMax: 200, workingOrdersMax: 40, ordersPerSecondMax: 50, priceMin: 0.02, priceMax: 0.98, priceDistanceMax: 0.20,
  bookAgeMax: 15s, closeGuard: 2s`;

function config(
  venue: string,
  { qty = '20', cost = '400', strategies = '[{ name: q, file: q.ts }]', extra = '' } = {},
): BotConfig {
  const text = `
venue: { profile: kalshi, ${venue} }
markets: { events: [A] }
strategies: ${strategies}
limits: { orderQtyMax: ${qty}, accountCostMax: ${cost}, ${LIMITS} }
log: { file: x.log }
dataFolder: var/x
${extra}`;
  return parseYaml(text, { file: 'x.yaml', schema: botConfigSchema });
}

const rung = (...args: Parameters<typeof config>) => stageOf(config(...args), kalshiProfile);

describe('the stage of a config', () => {
  it('the stage depends on the environment, and on the size where money is real', () => {
    expect(rung('environment: demo')).toBe('demo');
    expect(rung('environment: production')).toBe('full');
    expect(rung('environment: production', { qty: '1', cost: '10' })).toBe('smallest');
    expect(rung('environment: production', { qty: '1', cost: '10.01' })).toBe('full');
    expect(rung('environment: production', { qty: '1.01', cost: '10' })).toBe('full');
  });

  it.each([
    ['https://external-api.kalshi.com', 'full'],
    ['https://api.elections.kalshi.com', 'full'],
    ['https://API.Elections.Kalshi.COM.', 'full'],
    ['https://demo-api.kalshi.co', 'demo'],
    ['http://127.0.0.1:8790', null],
    ['https://kalshi.com.example', null],
  ])('the stage at the address %s is %s', (url, expected) => {
    expect(rung(`url: "${url}"`)).toBe(expected);
  });

  it('a config that only watches, or has an exchange of its own, has no stage', () => {
    expect(rung('environment: production', { strategies: '[]' })).toBeNull();
    expect(rung('embedded: e.yaml, account: demo')).toBeNull();
    expect(environmentOf(config('embedded: e.yaml, account: demo').venue, kalshiProfile)).toBeNull();
  });
});

describe('the saved hash', () => {
  it('the hash of a config does not change with its key and folders, and changes with anything else', () => {
    const plain = config('environment: demo');
    const keyed = config('environment: demo, key: { id: secret, file: secret.pem }');
    expect(configHash(keyed)).toBe(configHash(plain));
    expect(configHash({ ...plain, dataFolder: 'elsewhere' })).toBe(configHash(plain));
    expect(configHash(config('environment: demo', { qty: '21' }))).not.toBe(configHash(plain));
  });

  it('the hash of strategies is the same in any order, and another for another file', () => {
    expect(strategiesHash(['a', 'b'])).toBe(strategiesHash(['b', 'a', 'a']));
    expect(strategiesHash(['a', 'c'])).not.toBe(strategiesHash(['a', 'b']));
  });
});

describe('the steps on disk', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'presage-ladder-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const STEP: StageStep = {
    rung: 'paper',
    atMs: 1,
    world: null,
    strategies: 's',
    config: 'c',
    isGood: true,
    elapsedMs: 2,
    words: 'w',
  };

  it('the file of steps is beside the data folder, does not exist at first, and is read as it was written', () => {
    const storage = fileStorage(stagesFolder(join(folder, 'bot')));
    expect(storage.path).toBe(folder);
    expect(readSteps(storage)).toEqual([]);
    appendStep(storage, STEP);
    appendStep(storage, { ...STEP, isGood: false });
    storage.close();
    const file = join(folder, STAGES_FILE);
    expect(readSteps(storage)).toEqual([STEP, { ...STEP, isGood: false }]);
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(3);
  });

  it('a line that cannot be read is a fault with its number', () => {
    const file = join(folder, 'ladder.jsonl');
    writeFileSync(file, `${JSON.stringify(STEP)}\n{"rung":"moon"}\n`);
    expect(() => readSteps(fileStorage(folder))).toThrow(
      new StagesFileFault(`${file}:2: expected a step of the go-live stages, found something else`),
    );
  });
});
