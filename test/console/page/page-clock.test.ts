// The clock of the page: only what the console says of the present sets it. The page keeps the figures of a dead bot, and
// their times must never pass for the present.
import { afterEach, expect, it } from 'vitest';
import type { LiveEventName } from '../../../src/console/api/view-schemas.ts';
import { applyEvent, clearBot } from '../../../src/console/page/state/live-data.ts';
import { DemoBot } from './demo-bot.ts';

afterEach(clearBot);

const apply = (event: LiveEventName, data: unknown): number | null => applyEvent(event, JSON.stringify(data));

it('is not set by the kept figures of a bot that is gone', () => {
  const bot = new DemoBot(3);
  const frames = ['events', 'market', 'markets'].flatMap((view) =>
    bot.frames(new URLSearchParams({ view, market: bot.markets.rows[0]?.ticker ?? '' }), true),
  );
  // tidy: as (the demo bot names events of the stream)
  const times = frames.map(({ event, data }) => [event, apply(event as LiveEventName, data)]);
  expect(times.map(([event]) => event)).toEqual(expect.arrayContaining(['hello', 'session', 'detail', 'marketsPage']));
  expect(times.filter(([, atUs]) => atUs !== null)).toEqual([]);
});

it('is set by a heartbeat, by the news that the bot is gone, and by the overview', () => {
  const bot = new DemoBot(3);
  expect(apply('beat', { atUs: 1_000_000 })).toBe(1_000_000);
  // tidy: as (the demo bot answers with an object)
  expect(apply('gone', { ...(bot.gone() as object), atUs: 2_000_000 })).toBe(2_000_000);
  expect(apply('overview', { atUs: 3_000_000, bots: [] })).toBe(3_000_000);
});
