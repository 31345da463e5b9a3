// Sends a request to a running process over its control socket. Distinguishes three results: no process listens, no
// proper answer came, or the process answered. Must never wait longer than the given times.
import { connect } from 'node:net';
import { type ControlReply, type ControlRequest, replySchema } from './control-messages.ts';
import type { ControlPath } from './control-path.ts';

/** The result of a control request. */
export type ControlResult =
  /** No process listens on the socket. */
  | { readonly type: 'absent' }
  /** The socket exists, but no usable reply came in time. `wasHeard`: the process acknowledged the request. */
  | { readonly type: 'silent'; readonly wasHeard: boolean }
  | { readonly type: 'answered'; readonly reply: Exclude<ControlReply, { type: 'heard' }> };

export interface ControlWaits {
  /** Longest wait for the acknowledgment. Milliseconds. */
  readonly acknowledgedWithinMs: number;
  /** Longest wait for the final reply, from the beginning. Milliseconds. */
  readonly doneWithinMs: number;
  readonly onReceived?: () => void;
}

/** Error codes of a missing socket, and of a socket at which no process listens. */
const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK']);

/** Longest line of a reply: more than the orders of ten thousand markets take. */
const LINE_CHARACTERS_MAX = 16 * 1024 * 1024;

/** Sends one request and waits for its reply. Never rejects. */
export function sendControlRequest(
  path: ControlPath,
  request: ControlRequest,
  within: ControlWaits,
): Promise<ControlResult> {
  return new Promise((resolve) => {
    const socket = connect(path.address);
    let wasHeard = false;
    const finish = (result: ControlResult): void => {
      clearTimeout(ackTimer);
      clearTimeout(doneTimer);
      socket.destroy();
      resolve(result);
    };
    const ackTimer = setTimeout(() => finish({ type: 'silent', wasHeard }), within.acknowledgedWithinMs);
    const doneTimer = setTimeout(() => finish({ type: 'silent', wasHeard }), within.doneWithinMs);
    socket.on('connect', () => socket.write(`${JSON.stringify(request)}\n`));
    socket.on('error', (fault: NodeJS.ErrnoException) =>
      finish(ABSENT.has(fault.code ?? '') && !wasHeard ? { type: 'absent' } : { type: 'silent', wasHeard }),
    );
    socket.on('close', () => finish({ type: 'silent', wasHeard }));
    onLines(socket, (line) => {
      const reply = line === null ? null : replyOf(line);
      if (reply === null) return finish({ type: 'silent', wasHeard });
      if (reply.type !== 'heard') return finish({ type: 'answered', reply });
      wasHeard = true;
      within.onReceived?.();
      clearTimeout(ackTimer);
    });
  });
}

/** Calls back with each line, and with `null` once when a line is too long. */
function onLines(stream: NodeJS.ReadableStream, onLine: (line: string | null) => void): void {
  let rest = '';
  const receive = (part: string): void => {
    // Only the new part is searched: a long line comes in hundreds of parts.
    const [first = '', ...others] = part.split('\n');
    const lines = [rest + first, ...others];
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
    if (rest.length <= LINE_CHARACTERS_MAX) return;
    stream.off('data', receive);
    onLine(null);
  };
  stream.setEncoding('utf8').on('data', receive);
}

function replyOf(line: string): ControlReply | null {
  try {
    return replySchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
