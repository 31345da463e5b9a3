// Compares a venue's answers and messages, live or recorded, with its published files and with our schemas. Must never
// trade.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { type BotConfig, readBotConfig } from '../../config/bot-config.ts';
import { withConfigLines } from '../../config/yaml.ts';
import { type DriftReport, DriftTally } from '../../venues/trade-api/drift/drift-tally.ts';
import { PublishedApi, PublishedFeed } from '../../venues/trade-api/drift/published-schemas.ts';
import type { WireProfile } from '../../venues/trade-api/profiles/wire-profile.ts';
import { RequestBuilder } from '../../venues/trade-api/rest/request-builder.ts';
import { UsageError } from '../usage-error.ts';
import { knownProfile } from '../venue/known-profile.ts';
import { watchVenue } from './drift-live.ts';
import { passedOverText, readRecordings, recordedProfiles } from './drift-recordings.ts';

/** Options of a comparison. Exactly one of `configFile` and `recordings` must be given. */
export interface DriftRunOptions {
  /** A bot's config. Its venue is watched. */
  readonly configFile?: string | undefined;
  /** A folder of recorded answers and messages, or a tape. */
  readonly recordings?: string | undefined;
  /** Profile of the recordings. @default the profile that their tapes name, else kalshi. */
  readonly profile?: string | undefined;
  /** Time for which the venue is watched, milliseconds. */
  readonly forMs: number;
  /** The venue's OpenAPI file, which describes requests: plain or gzipped. The AsyncAPI file describes the feed. */
  readonly openapi?: string;
  readonly asyncapi?: string;
}

/** The result of a comparison. */
export interface DriftResult {
  readonly report: DriftReport;
  /** Recorded files without a known request. */
  readonly passedOver: readonly string[];
  /** Reason of a bad end. `null` after a good end. */
  readonly problem: string | null;
}

/**
 * Compares a venue's answers and messages with its published files and with our schemas.
 * @throws {UsageError} when the options contradict each other, a file cannot be read, or there is nothing to compare.
 * @throws {ConfigError} when the bot's config cannot be used.
 * @throws {TapeFault} when a recorded tape is damaged.
 */
export async function runDrift(options: DriftRunOptions): Promise<DriftResult> {
  const { configFile } = options;
  refuseMisfits(options);
  if (configFile === undefined) return compareDrift(options, null);
  const config = readBotConfig(configFile);
  return withConfigLines(configFile, () => compareDrift(options, config));
}

async function compareDrift(options: DriftRunOptions, config: BotConfig | null): Promise<DriftResult> {
  const { recordings, profile: named, forMs } = options;
  const profile = config === null ? recordedProfile(named, recordings) : knownProfile(config.venue.profile);
  const tally = new DriftTally({ profile, ...publishedSchemas(options, profile) });
  const sink = { tally, builder: new RequestBuilder(profile) };
  const problem = config === null ? null : await watchVenue({ ...sink, config, forMs });
  const passedOver = recordings === undefined ? [] : readRecordings(recordings, sink);
  const report = tally.currentReport();
  if (problem === null && report.answers + report.messages === 0)
    throw new UsageError(nothingToCompare(recordings, passedOver));
  return { report, passedOver, problem };
}

/** @throws {UsageError} when the options do not name one source, or name a profile twice. */
function refuseMisfits({ configFile, recordings, profile }: DriftRunOptions): void {
  if ((configFile === undefined) === (recordings === undefined))
    throw new UsageError('expected one of --config and --recordings');
  if (configFile !== undefined && profile !== undefined)
    throw new UsageError('--profile: only with --recordings; a config names its own profile');
}

function recordedProfile(named: string | undefined, recordings = ''): WireProfile {
  if (named !== undefined) return knownProfile(named, '--profile');
  const [recorded = 'kalshi', ...others] = recordedProfiles(recordings);
  if (others.length > 0)
    throw new UsageError(
      `--profile: expected one, for there are tapes of ${[recorded, ...others].join(', ')} in ${recordings}`,
    );
  return knownProfile(recorded);
}

function nothingToCompare(recordings: string | undefined, passedOver: readonly string[]): string {
  if (recordings === undefined) return 'nothing to compare: the venue sent nothing; see presage doctor';
  return `nothing to compare in ${recordings}${passedOver.length > 0 ? `; ${passedOverText(passedOver)}` : ''}`;
}

function publishedSchemas({ openapi, asyncapi }: DriftRunOptions, { basePath }: WireProfile) {
  return {
    ...(openapi !== undefined && { api: readSchema(openapi, (document) => new PublishedApi(document, basePath)) }),
    ...(asyncapi !== undefined && { feed: readSchema(asyncapi, (document) => new PublishedFeed(document)) }),
  };
}

/** Largest packed file when unpacked, far more than a description of an API. Bytes. */
const UNPACKED_BYTES_MAX = 64 * 1024 * 1024;

function readSchema<T>(file: string, makeSchema: (document: unknown) => T): T {
  try {
    const bytes = readFileSync(file);
    const text = isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength: UNPACKED_BYTES_MAX }) : bytes;
    return makeSchema(parse(text.toString(), { logLevel: 'error' }));
  } catch (fault) {
    if (!(fault instanceof Error)) throw fault;
    throw new UsageError(`${file}: ${problemOf(fault)}`, { cause: fault });
  }
}

function problemOf(fault: Error): string {
  if ('code' in fault && fault.code === 'ERR_BUFFER_TOO_LARGE')
    return `expected at most ${UNPACKED_BYTES_MAX} bytes unpacked, found more`;
  if ('code' in fault && 'syscall' in fault) return `expected a readable file, found ${String(fault.code)}`;
  const [firstLine = ''] = fault.message.split('\n');
  return firstLine.replace(/:$/, '');
}

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;
