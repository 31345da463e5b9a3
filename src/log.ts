// The program's log: pino, to a file or standard error, with secrets taken out.
// Must never be used to tell the user something on the screen; that is the command line's work.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DestinationStream, type Logger, destination, pino } from 'pino';

export type { Logger };

/** Members whose values never reach a log, wherever they stand. */
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

/** A private key within a line of JSON, to its end or the end of the text it stands in. */
const PRIVATE_PEM = /-----BEGIN [A-Z ]*PRIVATE KEY(?:\\.|[^"\\])*?(?:-----END [A-Z ]*PRIVATE KEY-----|(?="))/g;

/** What no list of members can catch: a key quoted in a message, a stack, a member of any name. */
const hidePrivateKeys = (line: string): string =>
  line.includes('PRIVATE KEY') ? line.replaceAll(PRIVATE_PEM, '[secret]') : line;

/** Where a log goes, and how much of it. */
export interface LogOptions {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** A file, made with its folder when it is not there; `null` for standard error. */
  readonly file: string | null;
}

/** Opens the log. */
export function openLog({ level, file }: LogOptions): Logger {
  if (file !== null) mkdirSync(dirname(file), { recursive: true });
  return logTo(destination({ dest: file ?? 2, sync: false }), level);
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
