// The control server, by which an operator reaches a running process. Its socket is in the data folder, and only the
// process's user may open it. The socket is also a lock: a second process is refused. Must never carry out a line that
// it cannot parse, nor begin an instruction that comes too late.
import { chmodSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type Server, type Socket, createServer } from 'node:net';
import { dirname } from 'node:path';
import { makeFolder } from '../../log/make-folder.ts';
import type { FollowRequest } from '../follow/follow-messages.ts';
import { sendControlRequest } from './control-client.ts';
import { type ControlReply, type ControlRequest, requestSchema } from './control-messages.ts';
import { ControlFault, type ControlPath } from './control-path.ts';
import { machineNowMs, mustNotComeLate } from './order-deadline.ts';

/** A request that the process answers. The server itself answers `who` and handles `follow`. */
export type ProcessRequest = Exclude<ControlRequest, { type: 'who' | 'follow' }>;

/** A request about the session. The process answers all others without a session. */
export type SessionRequest = Extract<ProcessRequest, { type: 'status' | 'preview-flatten' | 'order' }>;

export interface ControlServerOptions {
  readonly path: ControlPath;
  /** The command that runs the server, such as `presage run`, for messages. */
  readonly role: string;
  /** True when the socket's folder must be there already: a removed folder stays removed. Default: it is created. */
  readonly isFolderMade?: boolean;
  readonly answerRequest: (request: ProcessRequest) => Promise<ControlReply>;
  /**
   * Takes over a connection that follows the process. `rest` is the text after its request. Returns `null`, or the
   * reason of a refusal. Without this member, the process cannot be followed.
   */
  readonly acceptFollower?: (socket: Socket, request: FollowRequest, rest: string) => string | null;
}

/** A process that already listens must identify itself within this time. */
const WHO_WITHIN_MS = 1000;
const LINE_BYTES_MAX = 65_536;
const IDLE_MS_MAX = 10_000;
/** Wait during which a process started at the same moment binds its socket. Milliseconds. */
const RACE_MS = 50;

/** A control server that listens. */
export class ControlServer {
  readonly #options: ControlServerOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Inode of the socket's file; `null` until it is bound. */
  #inode: number | null = null;
  readonly #startedAt = new Date().toISOString();

  private constructor(options: ControlServerOptions) {
    this.#options = options;
    this.#server = createServer((socket) => this.#receive(socket));
  }

  /**
   * Opens the socket.
   * @throws {ControlFault} when another process has it, or the socket cannot be created.
   */
  static async openSocket(options: ControlServerOptions): Promise<ControlServer> {
    const server = new ControlServer(options);
    if (options.path.isFile && options.isFolderMade !== true) makeSocketFolder(options.path);
    await refuseIfHeld(options.path);
    try {
      await server.#listen();
    } catch (fault) {
      // A server that still listens would keep the failed process from ending.
      if (server.#isReplaced()) server.#server.unref();
      else server.#server.close();
      throw fault;
    }
    return server;
  }

  async #listen(): Promise<void> {
    const { path } = this.#options;
    if (path.isFile) rmSync(path.file, { force: true });
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (fault) => reject(new ControlFault(path.file, `cannot be opened: ${fault.message}`)));
      this.#server.listen(path.address, resolve);
    });
    this.#server.on('error', () => undefined);
    if (!path.isFile) return;
    chmodSync(path.file, 0o600);
    const { ino } = statSync(path.file);
    await new Promise((resolve) => setTimeout(resolve, RACE_MS));
    this.#inode = ino;
    if (inodeOf(path.file) === ino) return writePid(path);
    throw new ControlFault(path.file, 'was taken by another process that started at the same moment');
  }

  /**
   * Another process may have bound the address meanwhile. Closing our server would then remove that process's socket.
   */
  #isReplaced(): boolean {
    const { path } = this.#options;
    const found = path.isFile ? inodeOf(path.file) : null;
    return found !== null && found !== this.#inode;
  }

  #receive(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setTimeout(IDLE_MS_MAX, () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket)).on('error', () => socket.destroy());
    let text = '';
    const onData = (part: string): void => {
      text += part;
      const end = text.indexOf('\n');
      if (end < 0 && text.length <= LINE_BYTES_MAX) return;
      socket.off('data', onData);
      // An idle connection is closed, but the work that now begins may take longer.
      socket.setTimeout(0);
      const [line, rest] = end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end + 1)];
      void this.#serve(socket, line, rest);
    };
    socket.setEncoding('utf8').on('data', onData);
  }

  async #serve(socket: Socket, line: string, rest: string): Promise<void> {
    const send = (reply: ControlReply): void => void socket.write(`${JSON.stringify(reply)}\n`);
    const request = parseRequest(line);
    if (typeof request !== 'string' && request.type === 'follow') {
      const why = this.#options.acceptFollower
        ? this.#options.acceptFollower(socket, request, rest)
        : 'this process cannot be followed';
      // An accepted connection stays open; the follower handles it from here on.
      if (why === null) return;
      send({ type: 'refused', why });
      return void socket.end();
    }
    if (typeof request === 'string') send({ type: 'refused', why: request });
    else if (request.type === 'who')
      send({ type: 'who', pid: process.pid, role: this.#options.role, startedAt: this.#startedAt });
    else await this.#answer(socket, request, send);
    socket.end();
  }

  async #answer(socket: Socket, request: ProcessRequest, send: (reply: ControlReply) => void): Promise<void> {
    if (request.type === 'order' && mustNotComeLate(request.order)) {
      if (await isSenderGone(socket)) return;
      const why = lateText(request.beginByMs);
      if (why !== null) return send({ type: 'refused', why });
    }
    send({ type: 'heard' });
    // A failing request must not end the process, and must still be answered.
    send(await this.#options.answerRequest(request).catch(refusalOf));
  }

  /** Closes the socket, so that another process can open it. */
  async close(): Promise<void> {
    if (this.#isReplaced()) return void this.#server.unref();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.end();
    setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, WHO_WITHIN_MS).unref();
    await closed;
    const { path } = this.#options;
    if (path.isFile) rmSync(path.pidFile, { force: true });
  }
}

/**
 * True when the sender has closed its connection. A process that hung reads the request and the end of the connection
 * together, so one turn of the event loop shows it. This also covers a sender that names no deadline.
 */
async function isSenderGone(socket: Socket): Promise<boolean> {
  await new Promise((resolve) => void setImmediate(resolve));
  return socket.destroyed || socket.readableEnded;
}

/** Returns the reason why an instruction comes too late, or `null`. */
function lateText(beginByMs: number | undefined): string | null {
  const lateMs = beginByMs === undefined ? 0 : machineNowMs() - beginByMs;
  return lateMs > 0 ? `it came ${lateMs} ms too late, and nothing was done` : null;
}

/** A symbolic link of that name is replaced, never followed. */
function writePid({ pidFile }: ControlPath): void {
  try {
    rmSync(pidFile, { force: true });
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600, flag: 'wx' });
  } catch (fault) {
    throw new ControlFault(pidFile, `cannot be written: ${textOf(fault)}`);
  }
}

async function refuseIfHeld(path: ControlPath): Promise<void> {
  const result = await sendControlRequest(
    path,
    { type: 'who' },
    { acknowledgedWithinMs: WHO_WITHIN_MS, doneWithinMs: WHO_WITHIN_MS },
  );
  if (result.type === 'absent') return;
  throw new ControlFault(
    path.file,
    result.type === 'answered' && result.reply.type === 'who'
      ? `is held by process ${result.reply.pid} (${result.reply.role}, since ${result.reply.startedAt}): only one can run at a time`
      : 'is held by a process that does not answer: only one can run at a time, and that one must end first',
  );
}

function makeSocketFolder({ file }: ControlPath): void {
  try {
    makeFolder(dirname(file), 0o700);
  } catch (fault) {
    throw new ControlFault(file, `cannot be opened, because its folder cannot be created: ${textOf(fault)}`);
  }
}

const textOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault));

const refusalOf = (fault: unknown): ControlReply => ({ type: 'refused', why: `it failed: ${textOf(fault)}` });

function inodeOf(file: string): number | null {
  try {
    return statSync(file).ino;
  } catch {
    return null;
  }
}

function parseRequest(line: string): ControlRequest | string {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return 'expected one line of JSON';
  }
  const parsed = requestSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  return parsed.error.issues.map((issue) => `${issue.path.join('.') || 'request'}: ${issue.message}`).join('; ');
}
