// Controls of a bot whose config the console does not have: refused, with what to do instead.
import { expect, it } from 'vitest';
import { onlyWatched } from '../../src/console/controls/control-service.ts';

it('names the options with which the console controls the bot or the paper session', () => {
  const start = 'this bot is only watched: start the console with its';
  expect(onlyWatched({ isPaper: false }).message).toBe(`${start} --config to control it`);
  expect(onlyWatched({ isPaper: true }).message).toBe(`${start} --config and --paper to control it`);
});
