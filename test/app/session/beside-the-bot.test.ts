// A paper session and a recording of a bot's config, which may run beside the bot: neither may use its log or its port.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { logBeside } from '../../../src/app/session/log-beside.ts';
import { PAPER_MODE } from '../../../src/app/session/paper-session.ts';
import { runRecording } from '../../../src/app/session/recording-run.ts';
import { LIVE_MODE } from '../../../src/app/session/session-run.ts';
import { paperCommand } from '../../../src/cli/paper-command.ts';
import { shippedConfig } from '../../e2e/presage.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-beside-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function configFile(change: (text: string) => string = (text) => text): string {
  const file = join(folder, 'paper.yaml');
  writeFileSync(file, change(shippedConfig('paper.yaml', folder)));
  return file;
}

it('a paper session has a log of its own, beside the log of a live session of the same config', () => {
  const file = configFile();
  const [live, paper] = [LIVE_MODE.readConfig(file), PAPER_MODE.readConfig(file)];
  expect(paper.log).toEqual({ ...live.log, file: live.log.file.replace(/\.log$/, '.paper.log') });
});

it('a recording has a log of its own', async () => {
  const file = configFile((text) => text.replace('profile: service', 'profile: nothing'));
  const { log } = LIVE_MODE.readConfig(file);
  await expect(runRecording({ file, forMs: 1 })).rejects.toThrow('venue.profile');
  expect(existsSync(log.file)).toBe(false);
  expect(existsSync(logBeside(log.file, 'record'))).toBe(true);
});

it.runIf(existsSync('/dev/null'))('a device keeps its name', () => {
  expect(logBeside('/dev/null', 'paper')).toBe('/dev/null');
});

it('a log without an ending gets the mark at its end', () => {
  expect(logBeside(join('a.b', 'log'), 'paper')).toBe(join('a.b', 'log.paper'));
});

it('metrics of a paper session are served where its command line says, as monitor.md says', () => {
  expect(paperCommand().options.map(({ long }) => long)).toContain('--metrics');
});
