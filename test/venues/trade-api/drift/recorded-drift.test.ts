// The venue's recordings against its published files and our schemas: the comparison finds the known differences and no
// others.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DriftTally } from '../../../../src/venues/trade-api/drift/drift-tally.ts';
import {
  PublishedApi,
  PublishedFeed,
  type SeenAnswer,
} from '../../../../src/venues/trade-api/drift/published-schemas.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { RECORDINGS } from '../../../support/runner/recordings-folder.ts';

const SPECS = join(RECORDINGS, 'kalshi-specs');
const REST = join(RECORDINGS, 'kalshi-rest-2026-06');
const FEED = join(RECORDINGS, 'kalshi-ws-2026-07/session.jsonl');

const document = (name: string): unknown =>
  parse(gunzipSync(readFileSync(join(SPECS, readdirSync(SPECS).find((each) => each.includes(name)) ?? ''))).toString());

const HERE = [SPECS, REST, FEED].every((place) => existsSync(place));

describe.skipIf(!HERE)('drift in the recordings', () => {
  const read = () => {
    const api = new PublishedApi(document('openapi'), kalshiProfile.basePath);
    const tally = new DriftTally({ profile: kalshiProfile, api, feed: new PublishedFeed(document('asyncapi')) });
    for (const name of readdirSync(REST).filter((each) => each.endsWith('.meta.json') && !each.startsWith('ws__'))) {
      const meta = JSON.parse(readFileSync(join(REST, name), 'utf8')) as Omit<SeenAnswer, 'body'>;
      tally.answer({ ...meta, body: readFileSync(join(REST, name.replace('.meta', '')), 'utf8') });
    }
    for (const line of readFileSync(FEED, 'utf8').split('\n')) if (line.trim() !== '') tally.message(line);
    return tally.currentReport();
  };

  it('finds only that refusals are wrapped, while the published file has them bare', () => {
    const { rows, answers, messages } = read();
    expect({ answers, messages }).toEqual({ answers: 42, messages: 2898 });
    expect(new Set(rows.map(({ beside, kind, path }) => `${beside} ${kind} ${path}`))).toEqual(
      new Set(['published unknown-field error']),
    );
    expect(rows.every(({ where }) => / 4\d\d$/.test(where))).toBe(true);
  });
});
