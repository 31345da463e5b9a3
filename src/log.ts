// The program's log: pino, to a file or standard error, with secrets removed. Must never be used to show something to
// the user.
import { type DestinationStream, type Logger, destination, pino } from 'pino';
import { RollingFile, dropOnError } from './log/rolling-file.ts';

export type { Logger };

/** Members whose values never reach a log, in any case, at any depth of a record. */
const SECRET_MEMBERS = [
  'privateKey',
  'signature',
  'headers',
  'pem',
  'secret',
  'passphrase',
  'authorization',
  'ACCESS-SIGNATURE',
  'KALSHI-ACCESS-SIGNATURE',
];
const SECRET_NAMES: ReadonlySet<string> = new Set(SECRET_MEMBERS.map((member) => member.toLowerCase()));
/** Such a member in a line of JSON. A quote within a text is escaped there, and does not match. */
const SECRET_MEMBER = new RegExp(`"(?:${SECRET_MEMBERS.join('|')})":`, 'i');
const CENSORED = '[secret]';

/** Hides the values of secret members. A line that cannot be read again is hidden as a whole. */
function hideSecretMembers(line: string): string {
  if (!SECRET_MEMBER.test(line)) return line;
  try {
    const hide = (name: string, value: unknown): unknown => (SECRET_NAMES.has(name.toLowerCase()) ? CENSORED : value);
    return `${JSON.stringify(JSON.parse(line, hide))}\n`;
  } catch {
    return `${JSON.stringify({ level: 50, msg: `a line with a secret in it could not be read: ${CENSORED}` })}\n`;
  }
}

/** A private key within a line of JSON, up to its end or to the end of its string. */
const PRIVATE_PEM = /-----BEGIN [A-Z ]*PRIVATE KEY(?:\\.|[^"\\])*?(?:-----END [A-Z ]*PRIVATE KEY-----|(?="))/g;

/** Hides keys outside the known members, such as in a message or a stack. */
const hidePrivateKeys = (line: string): string =>
  line.includes('PRIVATE KEY') ? line.replaceAll(PRIVATE_PEM, '[secret]') : line;

/** Options of a log. */
export interface LogOptions {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** A file, created with its folder when necessary. `null`: standard error. */
  readonly file: string | null;
  /**
   * Maximum size on disk, megabytes: a sixth for the file, the rest for older files, from `<file>.1` on. @default 300
   */
  readonly keepMegabytes?: number;
  /** Time for which full files are kept, microseconds. @default as long as their size allows */
  readonly keepFor?: number;
}

/** A log that cannot be opened. */
export class LogFault extends Error {
  override readonly name = 'LogFault';
}

const STDERR = 2;

/** The current file takes at most this part of the size on disk. */
const PARTS = 6;
/** Maximum number of full files. A quiet bot begins a file each day. */
const FILES_MAX = 400;
const KEEP_MEGABYTES = 300;

/**
 * Opens the log. When the file later cannot be written, the log ends, and standard error reports it once. A full disk
 * must not end a bot before it has canceled its orders.
 * @throws {LogFault} when the file cannot be opened.
 */
export function openLog({ level, file, keepMegabytes = KEEP_MEGABYTES, keepFor }: LogOptions): Logger {
  if (file === null)
    return logTo(
      dropOnError(destination({ dest: STDERR, sync: false }), () => undefined),
      level,
    );
  try {
    const onLost = (fault: Error): void =>
      void process.stderr.write(`presage: the log ${file} cannot be written and ends here: ${fault.message}\n`);
    const bytesMax = Math.floor((keepMegabytes * 1_000_000) / PARTS);
    const bytesKeptMax = bytesMax * (PARTS - 1);
    const age = keepFor === undefined ? {} : { ageMsMax: keepFor / 1000 };
    const rolling = new RollingFile({ file, bytesMax, kept: FILES_MAX, bytesKeptMax, ...age, onLost });
    const log = logTo(rolling, level);
    FILE_OF.set(log, rolling);
    return log;
  } catch (fault) {
    const why = fault instanceof Error && 'code' in fault ? String(fault.code) : String(fault);
    throw new LogFault(`the log ${file} cannot be opened: ${why}`, { cause: fault });
  }
}

/** The file of each log that has one. */
const FILE_OF = new WeakMap<Logger, RollingFile>();

/**
 * Opens the file of a log again, as after logrotate or a full disk. Returns the reason when that fails, `null`
 * otherwise. After a failure, the log goes on as before.
 */
export function reopenLog(log: Logger): string | null {
  const rolling = FILE_OF.get(log);
  if (rolling === undefined) return 'this log has no file';
  try {
    rolling.reopenFile();
    return null;
  } catch (fault) {
    return `the log cannot be opened: ${fault instanceof Error ? fault.message : String(fault)}`;
  }
}

/** Creates a log that writes to a stream: for tests, and for programs with a stream of their own. */
export function logTo(stream: DestinationStream, level: LogOptions['level'] = 'info'): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: (line) => hidePrivateKeys(hideSecretMembers(line)) },
      serializers: { err: pino.stdSerializers.err },
    },
    stream,
  );
}
