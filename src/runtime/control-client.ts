// Asks a running process over its control socket. Tells apart that nobody is there, that somebody does not answer, and
// what was answered. Must never wait longer than it was told.
import { connect } from 'node:net';
import { type ControlReply, type ControlRequest, replySchema } from './control-messages.ts';
import type { ControlPath } from './control-path.ts';

/** What came of asking. */
export type Asked =
  /** Nobody has the socket. */
  | { readonly type: 'absent' }
  /** Somebody has it, and did not answer in time, or not in words that we know. `wasHeard`: it has begun. */
  | { readonly type: 'silent'; readonly wasHeard: boolean }
  | { readonly type: 'answered'; readonly reply: Exclude<ControlReply, { type: 'heard' }> };

export interface AskOptions {
  /** How long until the first word. */
  readonly heardMs: number;
  /** How long until the last. */
  readonly doneMs: number;
}

/** Nobody listens, or there is no such socket. */
const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK']);

/** Asks one thing. Never rejects. */
export function askControl(path: ControlPath, request: ControlRequest, within: AskOptions): Promise<Asked> {
  return new Promise((resolve) => {
    const socket = connect(path.address);
    let wasHeard = false;
    const end = (asked: Asked): void => {
      clearTimeout(timer);
      clearTimeout(last);
      socket.destroy();
      resolve(asked);
    };
    const timer = setTimeout(() => end({ type: 'silent', wasHeard }), within.heardMs);
    const last = setTimeout(() => end({ type: 'silent', wasHeard }), within.doneMs);
    socket.on('connect', () => socket.write(`${JSON.stringify(request)}\n`));
    socket.on('error', (fault: NodeJS.ErrnoException) =>
      end(ABSENT.has(fault.code ?? '') && !wasHeard ? { type: 'absent' } : { type: 'silent', wasHeard }),
    );
    socket.on('close', () => end({ type: 'silent', wasHeard }));
    onLines(socket, (line) => {
      const reply = replyOf(line);
      if (reply === null) return end({ type: 'silent', wasHeard });
      if (reply.type !== 'heard') return end({ type: 'answered', reply });
      wasHeard = true;
      clearTimeout(timer);
    });
  });
}

/** Calls back for every whole line of a stream. */
function onLines(stream: NodeJS.ReadableStream, take: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (part: string) => {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
}

function replyOf(line: string): ControlReply | null {
  try {
    return replySchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
