// Reads the bodies of requests. Must never hold more bytes than its bounds, of one body and of all together, however
// small the pieces are in which clients send them, and however slowly.
import type { IncomingMessage } from 'node:http';
import type { WireAnswer } from './endpoint-call.ts';
import { BODY_TOO_LARGE, TOO_MANY_BODIES } from './api-errors.ts';

/** Longest request body, in bytes: far more than a full batch needs. */
const BODY_MAX = 1_000_000;
/** Bytes held for unfinished bodies. Beyond them, the body that began first is refused. */
const HELD_MAX = 64_000_000;

/** Called with a body as text, or with the refusal of a body that is not read to its end. */
type OnBody = (body: string | WireAnswer) => void;

/** The bodies that one server reads. Added at a request; removed at the body's end, its refusal, or when the client leaves. */
export class RequestBodies {
  /** The earliest first. */
  readonly #unfinished = new Map<IncomingMessage, UnfinishedBody>();
  #heldBytes = 0;

  /** Calls back once, or never when the client leaves before the end of the body. */
  readBody(incoming: IncomingMessage, onBody: OnBody): void {
    if (!hasBody(incoming)) return onBody('');
    this.#unfinished.set(incoming, new UnfinishedBody(onBody));
    incoming.on('data', (chunk: Buffer) => this.#add(incoming, chunk));
    incoming.on('end', () => this.#finish(incoming));
    incoming.on('error', () => undefined);
    incoming.on('close', () => this.#remove(incoming));
  }

  #add(incoming: IncomingMessage, chunk: Buffer): void {
    const body = this.#unfinished.get(incoming);
    if (body === undefined) return;
    if (body.size + chunk.length > BODY_MAX) return this.#refuse(incoming, BODY_TOO_LARGE);
    this.#heldBytes += body.add(chunk);
    if (this.#heldBytes <= HELD_MAX) return;
    const [earliest] = this.#unfinished.keys();
    if (earliest !== undefined) this.#refuse(earliest, TOO_MANY_BODIES);
  }

  #finish(incoming: IncomingMessage): void {
    const body = this.#remove(incoming);
    body?.onBody(body.text());
  }

  #refuse(incoming: IncomingMessage, answer: WireAnswer): void {
    this.#remove(incoming)?.onBody(answer);
  }

  #remove(incoming: IncomingMessage): UnfinishedBody | undefined {
    const body = this.#unfinished.get(incoming);
    this.#heldBytes -= body?.heldBytes ?? 0;
    this.#unfinished.delete(incoming);
    return body;
  }
}

function hasBody({ method, headers }: IncomingMessage): boolean {
  return method !== 'GET' && (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined);
}

const NO_BYTES = Buffer.alloc(0);

/** The part of a body that has arrived, in one piece: a chunk of one byte would cost hundreds if it were kept. */
class UnfinishedBody {
  readonly onBody: OnBody;
  size = 0;
  #bytes: Buffer = NO_BYTES;

  constructor(onBody: OnBody) {
    this.onBody = onBody;
  }

  get heldBytes(): number {
    return this.#bytes.length;
  }

  /** Adds a chunk. Returns the number of bytes that are held in addition. */
  add(chunk: Buffer): number {
    const { heldBytes, size } = this;
    this.size += chunk.length;
    if (size === 0) this.#bytes = chunk;
    else if (this.size > heldBytes) this.#grow(size);
    if (size > 0) chunk.copy(this.#bytes, size);
    return this.heldBytes - heldBytes;
  }

  #grow(size: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(this.size, Math.min(2 * size, BODY_MAX)));
    this.#bytes.copy(grown, 0, 0, size);
    this.#bytes = grown;
  }

  text(): string {
    return this.#bytes.toString('utf8', 0, this.size);
  }
}
