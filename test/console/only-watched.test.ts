// Controls of a bot whose config the console does not have: refused, with what to do instead.
import { expect, it } from 'vitest';
import { onlyWatched } from '../../src/console/controls/control-service.ts';
import { MadeBot } from './support/made-bot.ts';

it('asks for the config of a bot, and names no command that would halt the live bot of a paper session', () => {
  const source = new MadeBot(1);
  expect(onlyWatched({ source }).message).toContain('start the console with its --config');
  const { state } = source;
  const paper = { ...state, hello: { ...state.hello, isPaper: true } };
  expect(onlyWatched({ source: Object.assign(new MadeBot(1), { state: paper }) }).message).toBe(
    'a paper session is only watched: control it in a terminal',
  );
});
