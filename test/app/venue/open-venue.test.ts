// The venue that a config names, and its guards. Connects to nothing.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { guardRailsFor } from '../../../src/app/venue/guard-rails.ts';
import { openVenue } from '../../../src/app/venue/open-venue.ts';
import { type BotConfig, botConfigSchema } from '../../../src/config/bot-config.ts';
import { parseYaml } from '../../../src/config/yaml.ts';
import { contracts } from '../../../src/domain/units.ts';
import { openLog } from '../../../src/log.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';

const log = openLog({ level: 'silent', file: null });

const configOf = (venue: string): BotConfig =>
  parseYaml(`venue: { ${venue} }\nmarkets: { tickers: [A] }\nlog: { file: a }\n`, {
    file: 'bot.yaml',
    schema: botConfigSchema,
  });

/** A config with the one limit that matters here. */
const limited = (venue: string): Parameters<typeof guardRailsFor>[0] => {
  const limits = { positionQtyMax: contracts(60) };
  // tidy: as Of the limits only this one is read.
  return { ...configOf(venue), limits: limits as NonNullable<BotConfig['limits']> };
};

describe('openVenue', () => {
  it.each([
    ['profile: other, url: "http://localhost"', 'venue.profile: expected one of service, kalshi, found "other"'],
    ['profile: kalshi, environment: prod', 'venue.environment: expected one of production, demo, found "prod"'],
    ['environment: demo', 'venue.environment: expected venue.url, for profile service has none, found "demo"'],
    [
      'url: "http://localhost", subaccount: 1',
      'venue.subaccount: expected nothing, because profile service cannot carry it, found 1',
    ],
    [
      'url: "http://localhost", guards: { orderGroup: 40 }',
      'venue.guards.orderGroup: expected nothing, because profile service cannot carry it, found 4000',
    ],
  ])('refuses a config, and says why: %s', async (venue, words) => {
    await expect(openVenue({ config: configOf(venue), log })).rejects.toThrow(words);
  });

  it('uses the profile that the config names', async () => {
    const opened = await openVenue({ config: configOf('url: "http://localhost"'), log, publicOnly: true });
    expect(opened.venue.name).toBe('service');
    // The feed of this profile requires a key.
    await expect(openVenue({ config: configOf('profile: kalshi, url: "http://localhost"'), log })).rejects.toThrow(
      'the feed of profile "kalshi" needs a key',
    );
  });
});

describe('an embedded exchange', () => {
  it('is asked for its limits and costs with a signed request before trading', async () => {
    const exchange = fileURLToPath(new URL('../../../config/exchange.yaml', import.meta.url));
    const config = configOf(`profile: kalshi, embedded: "${exchange}", account: demo`);
    const opened = await openVenue({ config, log });
    const { venue } = opened;
    expect(venue.capabilities.costs).toMatchObject({ createOrder: 10, cancelOrder: 2, order: 2 });
    expect(venue.capabilities.limits.trade).toEqual(kalshiProfile.limits.trade);
    await venue.gateway.stop();
    await opened.close();
  });

  it('is refused while another exchange stores its inputs in the data folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-embedded-'));
    const exchange = join(folder, 'exchange.yaml');
    const shipped = fileURLToPath(new URL('../../../config/exchange.yaml', import.meta.url));
    writeFileSync(exchange, `${readFileSync(shipped, 'utf8')}\ndataFolder: data\n`);
    const config = configOf(`embedded: "${exchange}", account: demo`);
    const open = () => openVenue({ config, log, assumesTerms: true });
    const first = await open();
    await expect(open()).rejects.toThrow(`${join(folder, 'data')}: is in use by process ${process.pid}`);
    await first.venue.gateway.stop();
    await first.close();
    const next = await open();
    await next.venue.gateway.stop();
    await next.close();
    rmSync(folder, { recursive: true });
  });
});

describe('the rounding of an account’s fees', () => {
  const balanceSteps = async (venue: string): Promise<readonly number[]> => {
    const opened = await openVenue({ config: configOf(venue), log, assumesTerms: true });
    const { feeRounding = [] } = opened.venue.capabilities;
    await opened.venue.gateway.stop();
    await opened.close();
    return feeRounding.map(({ balanceStep }) => balanceStep);
  };

  it('follows the profile, and uses whole cents when the config clears indirectly', async () => {
    expect(await balanceSteps('url: "https://h"')).toEqual([100]);
    expect(await balanceSteps('url: "https://h", clearing: indirect')).toEqual([10_000]);
  });

  it('follows the embedded exchange’s account when the config does not say how it clears', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-venue-'));
    const file = join(folder, 'exchange.yaml');
    const listed = `series: [{ ticker: RAIN, title: Rain, category: Weather }]
eventGroups: [{ ticker: RAIN-26, series: RAIN, title: Rain }]
markets: [{ ticker: A, eventGroup: RAIN-26, title: Rain?, closesIn: 1h }]
`;
    writeFileSync(file, `seed: 1\naccounts: [{ name: ann, cash: 1, clearing: indirect }]\n${listed}`);
    expect(await balanceSteps(`embedded: "${file}", account: ann`)).toEqual([10_000]);
    expect(await balanceSteps(`embedded: "${file}", account: ann, clearing: direct`)).toEqual([100]);
    rmSync(folder, { recursive: true, force: true });
  });
});

describe('guardRailsFor', () => {
  const HOUR_MS = 3_600_000;

  it('enables all guards in the venue’s own environments, with a group as large as the position limit', () => {
    expect(guardRailsFor(limited('profile: kalshi, environment: production'), kalshiProfile)).toEqual({
      guards: { cancelOnPause: true, restMsMax: HOUR_MS, groupId: null, subaccount: null },
      orderGroupQty: contracts(60),
    });
  });

  it('enables guards on any other exchange when the config asks for them', () => {
    const none = { cancelOnPause: false, restMsMax: null, groupId: null, subaccount: null };
    expect(guardRailsFor(limited('url: "http://localhost"'), kalshiProfile)).toEqual({
      guards: none,
      orderGroupQty: null,
    });
    const asked = limited('url: "http://localhost", subaccount: 2, guards: { restMax: 90s, orderGroup: 40 }');
    expect(guardRailsFor(asked, kalshiProfile)).toEqual({
      guards: { cancelOnPause: true, restMsMax: 90_000, groupId: null, subaccount: 2 },
      orderGroupQty: contracts(40),
    });
  });

  it('turns each guard off when the config says so', () => {
    const off = limited(
      'profile: kalshi, environment: demo, guards: { cancelOnPause: false, restMax: false, orderGroup: false }',
    );
    expect(guardRailsFor(off, kalshiProfile)).toEqual({
      guards: { cancelOnPause: false, restMsMax: null, groupId: null, subaccount: null },
      orderGroupQty: null,
    });
  });

  it('enables only the guards that the profile can carry by default', () => {
    expect(guardRailsFor(limited('url: "http://localhost", guards: {}'), serviceProfile)).toEqual({
      guards: { cancelOnPause: true, restMsMax: HOUR_MS, groupId: null, subaccount: null },
      orderGroupQty: null,
    });
  });
});
