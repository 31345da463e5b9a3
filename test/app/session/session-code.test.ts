// A session knows the hash of the code that it runs, although the file of a strategy is changed meanwhile.
import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SessionCode } from '../../../src/app/session/session-code.ts';
import { LIVE_MODE, type SessionMode, runSession } from '../../../src/app/session/session-run.ts';
import { limitsExample } from '../../../src/config/limit-fields.ts';
import { strategiesHash } from '../../../src/runtime/stages/stage-of-config.ts';
import { fileStorage } from '../../../src/tape/journal/file-storage.ts';
import { TapeReader } from '../../../src/tape/journal/tape-reader.ts';
import { hashStrategy } from '../../../src/runtime/plugins/strategy-loader.ts';

const ROOT = join(import.meta.dirname, '../../..');

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-code-'));
  file = join(folder, 'quoter.ts');
  copyFileSync(join(ROOT, 'strategies/two-sided-quoter.ts'), file);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const changeCode = (): void => appendFileSync(file, '// changed\n');

describe('the code of a session', () => {
  it('keeps the hash of what was read', async () => {
    const code = new SessionCode();
    await code.readHashes({ strategies: [{ name: 'q', file, params: {} }] as never });
    const before = strategiesHash([await hashStrategy(file)]);
    changeCode();
    expect(code.hash).toBe(before);
  });

  it('is refused when it was changed while the session started', async () => {
    const code = new SessionCode();
    await code.load(file);
    changeCode();
    await expect(code.load(file)).rejects.toThrow('was changed while the session was starting: start it again');
  });

  it('is what the go-live stage and the journal record, also when the file is changed while the session runs', async () => {
    const config = join(folder, 'bot.yaml');
    const exchange = join(ROOT, 'config/exchange.yaml');
    writeFileSync(
      config,
      `venue: { embedded: ${exchange}, account: demo }
markets: { events: [RAIN-OSLO] }
strategies: [{ name: q, file: ${file}, params: { events: [RAIN-OSLO], qtyContracts: 1 } }]
${limitsExample()}
dataFolder: data
log: { file: bot.log }
`,
    );
    const sha256 = await hashStrategy(file);
    const mode: SessionMode = {
      ...LIVE_MODE,
      stagePosition: () => ({ rung: 'doctor', world: 'demo', folder }),
      openVenue: (options) => {
        setTimeout(changeCode, 0);
        return LIVE_MODE.openVenue(options);
      },
    };
    await runSession({ file: config, mode, forMs: 300 });
    expect(await hashStrategy(file)).not.toBe(sha256);
    expect(JSON.parse(readFileSync(join(folder, 'ladder.jsonl'), 'utf8'))).toMatchObject({
      strategies: strategiesHash([sha256]),
    });
    const [begin] = new TapeReader(fileStorage(join(folder, 'data/journal'))).entries();
    expect(begin?.payload.toString()).toContain(sha256);
  });
});
