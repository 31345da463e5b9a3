// The program's log: pino, to a file or standard error, with secrets removed. Must never be used to show something to
// the user; that is the command line's work.
import { type DestinationStream, type Logger, destination, pino } from 'pino';
import { RollingFile, dropOnError } from './log/rolling-file.ts';

export type { Logger };

/** Members whose values never reach a log, at the first four levels of a record. */
const SECRET_MEMBERS = [
  'privateKey',
  'signature',
  'headers',
  'pem',
  'secret',
  'passphrase',
  'authorization',
  'ACCESS-SIGNATURE',
  'access-signature',
  'KALSHI-ACCESS-SIGNATURE',
  'kalshi-access-signature',
];

const REDACTED_PATHS = SECRET_MEMBERS.flatMap((member) => {
  const key = /^\w+$/.test(member) ? member : `["${member}"]`;
  const below = key.startsWith('[') ? key : `.${key}`;
  return [key, `*${below}`, `*.*${below}`, `*.*.*${below}`];
});

/** A private key within a line of JSON, up to its end or the end of its string. */
const PRIVATE_PEM = /-----BEGIN [A-Z ]*PRIVATE KEY(?:\\.|[^"\\])*?(?:-----END [A-Z ]*PRIVATE KEY-----|(?="))/g;

/** Hides keys that no list of members can catch: quoted in a message, a stack, or a member of any name. */
const hidePrivateKeys = (line: string): string =>
  line.includes('PRIVATE KEY') ? line.replaceAll(PRIVATE_PEM, '[secret]') : line;

/** Destination and level of a log. */
export interface LogOptions {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** A file, created with its folder when necessary; `null` for standard error. */
  readonly file: string | null;
  /** Maximum size on disk in megabytes, in six parts: a full file is moved to `<file>.1`. Default 300. */
  readonly keepMegabytes?: number;
}

/** A log that cannot be opened. */
export class LogFault extends Error {
  override readonly name = 'LogFault';
}

const STDERR = 2;

/** Number of files of a log, one of which is being written. */
const FILES = 6;
const KEEP_MEGABYTES = 300;

/**
 * Opens the log. A log file that later cannot be written is dropped, and reported once to standard error: a full disk
 * must not end a bot before it has canceled its resting orders.
 * @throws {LogFault} when its file cannot be opened.
 */
export function openLog({ level, file, keepMegabytes = KEEP_MEGABYTES }: LogOptions): Logger {
  if (file === null)
    return logTo(
      dropOnError(destination({ dest: STDERR, sync: false }), () => undefined),
      level,
    );
  try {
    const onLost = (fault: Error): void =>
      void process.stderr.write(`presage: the log ${file} cannot be written and ends here: ${fault.message}\n`);
    const bytesMax = Math.floor((keepMegabytes * 1_000_000) / FILES);
    return logTo(new RollingFile({ file, bytesMax, kept: FILES - 1, onLost }), level);
  } catch (fault) {
    const why = fault instanceof Error && 'code' in fault ? String(fault.code) : String(fault);
    throw new LogFault(`the log ${file} cannot be opened: ${why}`, { cause: fault });
  }
}

/** A log that writes to a stream: for tests, and for programs that bring their own. */
export function logTo(stream: DestinationStream, level: LogOptions['level'] = 'info'): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: REDACTED_PATHS, censor: '[secret]' },
      hooks: { streamWrite: hidePrivateKeys },
      serializers: { err: pino.stdSerializers.err },
    },
    stream,
  );
}
