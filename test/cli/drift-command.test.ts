// `presage drift`: reading recordings, and printing differences.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recordedProfiles, readRecordings } from '../../src/app/drift/drift-recordings.ts';
import { driftCommand, render } from '../../src/cli/drift-command.ts';
import type { ReadCommand } from '../../src/domain/venue-command.ts';
import { micros } from '../../src/domain/units.ts';
import { DriftTally } from '../../src/venues/trade-api/drift/drift-tally.ts';
import { kalshiProfile } from '../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { RequestBuilder } from '../../src/venues/trade-api/rest/request-builder.ts';
import type { SeenAnswer } from '../../src/venues/trade-api/drift/published-schemas.ts';
import { fileStorage } from '../../src/tape/journal/file-storage.ts';
import { AT, MANIFEST, frame, journalOn, read as readOf, start } from '../support/tapes/journal-entries.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-drift-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const STATUS = '{"exchange_active":true,"trading_active":true}';

function shown() {
  const answers: SeenAnswer[] = [];
  const messages: string[] = [];
  const tally = {
    answer: (answer: SeenAnswer) => answers.push(answer),
    message: (text: string) => messages.push(text),
  };
  const builder = new RequestBuilder(kalshiProfile);
  const read = () => readRecordings(folder, { tally, builder });
  return { answers, messages, read };
}

const put = (name: string, text: string): void => writeFileSync(join(folder, name), text);

describe('readRecordings', () => {
  it('reads answers with their requests beside them, also in subfolders', () => {
    mkdirSync(join(folder, 'more'));
    put('more/status.json', STATUS);
    put('more/status.meta.json', '{"method":"GET","path":"/trade-api/v2/exchange/status","status":200}');
    const { answers, read } = shown();
    expect(read()).toEqual([]);
    expect(answers).toEqual([{ method: 'GET', path: '/trade-api/v2/exchange/status', status: 200, body: STATUS }]);
  });

  it('reads messages and answers line by line, and skips empty lines', () => {
    const line = { method: 'GET', url: 'https://a.example/trade-api/v2/x?y=1', status: 200, response_body: STATUS };
    put('feed.jsonl', `{"type":"ticker","msg":{}}\n\n{"type":"trade","msg":{}}\n`);
    put('rest.jsonl', JSON.stringify(line));
    const { answers, messages, read } = shown();
    expect(read()).toEqual([]);
    expect(messages).toEqual(['{"type":"ticker","msg":{}}', '{"type":"trade","msg":{}}']);
    expect(answers).toEqual([{ method: 'GET', path: '/trade-api/v2/x', status: 200, body: STATUS }]);
  });

  it('returns the files that do not say what they answer', () => {
    put('alone.json', STATUS);
    put('odd.json', STATUS);
    put('odd.meta.json', '{"method":"GET"}');
    put('noise.jsonl', 'no JSON\n[1]\n');
    const { answers, read } = shown();
    expect(read()).toEqual(['alone.json', 'noise.jsonl', 'odd.json'].map((name) => join(folder, name)));
    expect(answers).toEqual([]);
  });

  it('reads frames and answers of a tape, each answer with its request’s path', async () => {
    const journal = journalOn(fileStorage(join(folder, 'tape')));
    const command: ReadCommand = { ...readOf(7), target: { what: 'status' } };
    const at = micros(AT);
    journal.writeInput(frame('{"type":"ticker","msg":{}}'));
    journal.writeCommands([command]);
    const outcome = { type: 'answered', status: 200, body: STATUS, retryAfter: null, venueAt: null } as const;
    journal.writeInput({ type: 'answer', at, askedAt: at, command, outcome });
    await journal.close('stopped');
    const { answers, messages, read } = shown();
    expect(read()).toEqual([]);
    expect(messages).toEqual(['{"type":"ticker","msg":{}}']);
    expect(answers).toEqual([{ method: 'GET', path: '/trade-api/v2/exchange/status', status: 200, body: STATUS }]);
  });
});

describe('the report', () => {
  const tally = new DriftTally({ profile: kalshiProfile });

  it('says when nothing differs', () => {
    expect(render(tally.currentReport(), [])).toEqual(['compared 0 answers and 0 messages', 'nothing differs']);
  });

  it('lists differences by place, with their counts', () => {
    const body = '{"exchange_active":true,"trading_active":true,"moon":1}';
    const answer = { method: 'GET', path: '/trade-api/v2/exchange/status', status: 200, body };
    tally.answer(answer);
    tally.answer(answer);
    expect(render(tally.currentReport(), ['/a/b.json'])).toEqual([
      'compared 2 answers and 0 messages',
      'passed over, because they do not say what they answer: b.json',
      '',
      'differences from our schemas:',
      '  GET /exchange/status 200',
      '    unknown member: exchange_status.moon  ×2  expected no such member, found one',
    ]);
    expect(render(tally.currentReport(), [], 60).slice(-2)).toEqual([
      '    unknown member: exchange_status.moon  ×2',
      '      expected no such member, found one',
    ]);
  });
});

describe('presage drift', () => {
  const refused = (...words: string[]) => expect(driftCommand().parseAsync(words, { from: 'user' })).rejects;

  it('shows its default duration as a duration', () => {
    expect(driftCommand().helpInformation()).toContain('(default: 1m)');
  });

  it('names the option when a profile is unknown', async () => {
    const found = 'expected one of service, kalshi, found "kalsi"';
    await refused('--recordings', folder, '--profile', 'kalsi').toThrow(`--profile: ${found}`);
  });

  /** A change of a level in `service`: its price is in cents, while `kalshi` sends dollars. */
  const DELTA =
    '{"type":"orderbook_delta","sid":1,"seq":2,"msg":{"market_ticker":"RAIN-26-A","price":40,"delta":5,"side":"yes"}}';

  /** Writes a tape of a profile with one answer of its own venue. */
  async function tape(name: string, profile: string): Promise<void> {
    const storage = fileStorage(join(folder, name));
    const journal = journalOn(storage, { manifest: { ...MANIFEST, profile } });
    const command: ReadCommand = { ...readOf(7), target: { what: 'balance' } };
    const at = micros(AT);
    journal.writeInput(start(name));
    journal.writeInput(frame(DELTA));
    journal.writeCommands([command]);
    const body = '{"balance":100000,"updated_ts":1763700000}';
    journal.writeInput({
      type: 'answer',
      at,
      askedAt: at,
      command,
      outcome: { type: 'answered', status: 200, body, retryAfter: null, venueAt: null },
    });
    await journal.close('stopped');
  }

  it('compares tapes with the profile that they were recorded of', async () => {
    await tape('mine', 'service');
    expect(recordedProfiles(folder)).toEqual(['service']);
    expect(recordedProfiles(join(folder, 'mine'))).toEqual(['service']);
    const printed: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
    try {
      await driftCommand().parseAsync(['--recordings', folder], { from: 'user' });
      expect(printed.join('')).toBe('compared 1 answer and 1 message\nnothing differs\n');
      printed.length = 0;
      await driftCommand().parseAsync(['--recordings', folder, '--profile', 'kalshi'], { from: 'user' });
      expect(printed.join('')).not.toContain('nothing differs');
    } finally {
      vi.restoreAllMocks();
      process.exitCode = undefined;
    }
  });

  it('refuses tapes of several profiles without --profile', async () => {
    await tape('mine', 'service');
    await tape('theirs', 'kalshi');
    await refused('--recordings', folder).toThrow(
      `--profile: expected one, for there are tapes of kalshi, service in ${folder}`,
    );
  });

  it('reports that there was nothing to compare', async () => {
    await refused('--recordings', folder).toThrow(`nothing to compare in ${folder}`);
  });

  it('refuses a packed file that unpacks to more than an API describes, without unpacking it whole', async () => {
    const file = join(folder, 'api.yaml.gz');
    writeFileSync(file, gzipSync(Buffer.alloc(65 * 1024 * 1024, 'a')));
    await refused('--recordings', folder, '--openapi', file).toThrow(
      `${file}: expected at most 67108864 bytes unpacked, found more`,
    );
  });

  it('reports an unreadable file, or one that is not YAML, in one line', async () => {
    const file = join(folder, 'api.yaml');
    await refused('--recordings', folder, '--openapi', file).toThrow(
      /^\S+api\.yaml: expected a readable file, found ENOENT$/,
    );
    writeFileSync(file, 'a: b\nc\nd: [\n');
    await refused('--recordings', folder, '--openapi', file).toThrow(/^\S+api\.yaml: [^\n]+[^:\n]$/);
  });
});
