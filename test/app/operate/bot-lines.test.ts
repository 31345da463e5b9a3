// The lines of a bot: a watchdog takes the first one, and none is lost that comes before it can handle the others.
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { BotLines } from '../../../src/app/operate/bot-lines.ts';
import { readBotConfig } from '../../../src/config/bot-config.ts';
import { configLine, parseConfigLine } from '../../../src/runtime/watchdog/watchdog-messages.ts';

const soon = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function handled(lines: BotLines): string[] {
  const all: string[] = [];
  lines.handleWith({ onLine: (line) => all.push(line), onEnd: () => all.push('the end') });
  return all;
}

it('keeps the lines that come before the handler, and gives it the later ones and the end', async () => {
  const input = new PassThrough();
  const lines = new BotLines(input);
  const first = lines.takeFirst();
  input.write('config\none\n');
  expect(await first).toBe('config');
  input.write('two\n');
  await soon();
  const all = handled(lines);
  input.end('three\n');
  await soon();
  expect(all).toEqual(['one', 'two', 'three', 'the end']);
});

it('has no first line when the bot has died, and says so to the handler', async () => {
  const input = new PassThrough();
  const lines = new BotLines(input);
  input.end();
  expect(await lines.takeFirst()).toBeNull();
  expect(handled(lines)).toEqual(['the end']);
});

it.each(['demo.yaml', 'local.yaml', 'paper.yaml', 'kalshi-demo.yaml'])(
  'carries the config of %s whole, and takes no heartbeat for a config',
  (name) => {
    const config = readBotConfig(`config/${name}`);
    expect(parseConfigLine(configLine(config))).toEqual(config);
    expect(parseConfigLine('{"type":"beat","session":"s","resting":2,"beats":1}')).toBeNull();
    expect(parseConfigLine('config')).toBeNull();
  },
);
