// An override that a config would refuse is refused before it reaches the bot.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OperatorContext, openOperatorContext } from '../../../src/app/operate/operator-context.ts';
import { type OverrideOutcome, overrideLimit } from '../../../src/app/operate/override-order.ts';
import { UsageError } from '../../../src/app/usage-error.ts';
import { micros, price } from '../../../src/domain/units.ts';
import { shippedConfig } from '../../e2e/presage.ts';

let folder = '';
let context: OperatorContext;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-override-'));
  writeFileSync(join(folder, 'bot.yaml'), shippedConfig('demo.yaml', folder));
  context = openOperatorContext(join(folder, 'bot.yaml'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const set = (limit: string, value: string, strategy?: string): Promise<OverrideOutcome> =>
  overrideLimit(context, { limit, value, strategy, forMs: 60_000, reason: 'test' });

describe('an override', () => {
  it('is refused when no price satisfies the limits with it', async () => {
    await expect(set('priceMin', '0.999')).rejects.toThrow(UsageError);
    await expect(set('priceMin', '0.999')).rejects.toThrow(
      /^--value: limits\.priceMax: expected a price not below priceMin, found priceMin 0\.999, with which priceMin is 0\.999 and priceMax 0\.\d+$/,
    );
    const [first] = context.config.strategies;
    await expect(set('priceMax', '0.0001', first?.name)).rejects.toThrow('expected a price not below priceMin');
  });

  it('counts the overrides in force, and no others', async () => {
    const override = { limit: 'priceMax', value: price(2000), strategy: null, reason: 'test' };
    context.latch.writeOverrides([{ ...override, until: micros(context.clock.now() + 60_000_000) }]);
    await expect(set('priceMin', '0.3')).rejects.toThrow('with which priceMin is 0.3 and priceMax 0.2');
    context.latch.writeOverrides([{ ...override, until: micros(context.clock.now() - 1) }]);
    expect(await set('priceMin', '0.3')).toMatchObject({ refusal: 'no bot runs on this data folder' });
  });
});
