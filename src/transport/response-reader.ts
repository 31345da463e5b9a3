// Reads one HTTP/1.1 answer from the bytes of a connection. Must never accept an answer whose end is uncertain: whatever is
// not plainly correct is a fault, and the connection must then be cut.
import type { HttpHeaders } from './http-client.ts';

/** An answer that cannot be read. The message holds no byte of it. */
export class ResponseFault extends Error {
  override readonly name = 'ResponseFault';
}

/** Receives the parts of an answer as they come. */
export interface ResponseListener {
  onResponseStart(status: number, headers: HttpHeaders): void;
  /** The bytes are borrowed: they may be part of a larger buffer. */
  onResponseData(bytes: Buffer): void;
  onResponseEnd(): void;
}

const HEAD_BYTES_MAX = 16 * 1024;
const CHUNK_LINE_MAX = 256;
const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');
const NOTHING = Buffer.alloc(0);
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const HEADER_LINE = /^([!#$%&'*+.^_`|~\dA-Za-z-]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/;
const CHUNK_LINE = /^([\dA-Fa-f]{1,8})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;
const LENGTH = /^\d{1,12}$/;

/** The part of an answer that the next bytes belong to. */
type Part = 'head' | 'sized-body' | 'chunk-line' | 'chunk' | 'chunk-end' | 'trailers' | 'body-until-close' | 'over';

/** Reads answers, one after the other. */
export class ResponseReader {
  readonly #listener: ResponseListener;
  /** Bytes that came, and are not yet a whole part. */
  #rest: Buffer = NOTHING;
  #part: Part = 'over';
  #bytesLeft = 0;
  #isReusable = false;
  #headers: HttpHeaders = {};

  constructor(listener: ResponseListener) {
    this.#listener = listener;
  }

  /** Expects an answer. */
  begin(): void {
    this.#part = 'head';
    this.#rest = NOTHING;
    this.#isReusable = false;
  }

  /** True when the answer was complete and the connection may carry another request. */
  get isReusable(): boolean {
    return this.#part === 'over' && this.#isReusable && this.#rest.length === 0;
  }

  /** Seconds that the server keeps an idle connection, as its latest answer says; `null` when it does not say. */
  get keepAliveSeconds(): number | null {
    const value = this.#headers['keep-alive'];
    const seconds = typeof value === 'string' ? /(?:^|[,;\s])timeout=(\d{1,6})/i.exec(value)?.[1] : undefined;
    return seconds === undefined ? null : Number(seconds);
  }

  /**
   * Reads bytes.
   * @throws {ResponseFault} when they are no correct answer.
   */
  readBytes(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (this.#part !== 'over' && this.#readPart());
  }

  /**
   * Learns that the server sends no more.
   * @throws {ResponseFault} when the answer is not complete.
   */
  endInput(): void {
    if (this.#part !== 'body-until-close')
      throw new ResponseFault('the connection closed before the answer was complete');
    this.#finish();
  }

  /** Reads one part; returns false when more bytes are needed. */
  #readPart(): boolean {
    switch (this.#part) {
      case 'head':
        return this.#readHead();
      case 'sized-body':
      case 'chunk':
        return this.#readBody();
      case 'chunk-line':
        return this.#readChunkLine();
      case 'chunk-end':
        return this.#readChunkEnd();
      case 'trailers':
        return this.#readTrailers();
      case 'body-until-close':
        return this.#readUntilClose();
      case 'over':
        return false;
    }
  }

  #readHead(): boolean {
    const end = this.#rest.indexOf(HEAD_END);
    if ((end < 0 ? this.#rest.length : end) > HEAD_BYTES_MAX)
      throw new ResponseFault('the head of the answer is too long');
    if (end < 0) return false;
    const [first = '', ...lines] = this.#rest.toString('latin1', 0, end).split('\r\n');
    this.#rest = this.#rest.subarray(end + HEAD_END.length);
    const [, minor, code] = STATUS_LINE.exec(first) ?? [];
    if (code === undefined) throw new ResponseFault('the first line of the answer is not of HTTP/1.1');
    const status = Number(code);
    const headers = headersOf(lines);
    // The real answer follows an interim one. A switch of protocols was not asked for.
    if (status === 101) throw new ResponseFault('the server changed the protocol');
    if (status >= 200) this.#beginBody(status, { headers, isOld: minor === '0' });
    return true;
  }

  #beginBody(status: number, { headers, isOld }: { readonly headers: HttpHeaders; readonly isOld: boolean }): void {
    this.#headers = headers;
    this.#isReusable = !isOld && !tokensOf(headers['connection']).includes('close');
    const length = lengthOf(headers);
    const coding = headers['transfer-encoding'];
    if (coding !== undefined && (tokensOf(coding).join() !== 'chunked' || length !== null || isOld))
      throw new ResponseFault('the length of the answer is ambiguous');
    this.#listener.onResponseStart(status, headers);
    if (status === 204 || status === 304 || length === 0) return this.#finish();
    if (coding !== undefined) this.#part = 'chunk-line';
    else if (length === null) this.#part = 'body-until-close';
    else this.#part = 'sized-body';
    this.#bytesLeft = length ?? 0;
  }

  /** Passes on the bytes of a body or of a chunk, as far as they have come. */
  #readBody(): boolean {
    const bytes = this.#rest.subarray(0, this.#bytesLeft);
    if (bytes.length === 0) return false;
    this.#rest = this.#rest.subarray(bytes.length);
    this.#bytesLeft -= bytes.length;
    this.#listener.onResponseData(bytes);
    if (this.#bytesLeft > 0) return false;
    if (this.#part === 'chunk') this.#part = 'chunk-end';
    else this.#finish();
    return true;
  }

  #readChunkLine(): boolean {
    const line = this.#takeLine(CHUNK_LINE_MAX);
    if (line === null) return false;
    const [, size] = CHUNK_LINE.exec(line) ?? [];
    if (size === undefined) throw new ResponseFault('a chunk of the answer has no size');
    this.#bytesLeft = Number.parseInt(size, 16);
    this.#part = this.#bytesLeft === 0 ? 'trailers' : 'chunk';
    return true;
  }

  #readChunkEnd(): boolean {
    const line = this.#takeLine(0);
    if (line === null) return false;
    this.#part = 'chunk-line';
    return true;
  }

  /** Headers behind a chunked body mean nothing to a client that did not ask for them. */
  #readTrailers(): boolean {
    const line = this.#takeLine(HEAD_BYTES_MAX);
    if (line === null) return false;
    if (line === '') this.#finish();
    return true;
  }

  #readUntilClose(): boolean {
    const bytes = this.#rest;
    this.#rest = NOTHING;
    if (bytes.length > 0) this.#listener.onResponseData(bytes);
    return false;
  }

  /** The next line without its end; `null` while it is not complete. */
  #takeLine(lengthMax: number): string | null {
    const end = this.#rest.indexOf(LINE_END);
    if (end > lengthMax || (end < 0 && this.#rest.length > lengthMax + 1))
      throw new ResponseFault('a line of the answer is too long');
    if (end < 0) return null;
    const line = this.#rest.toString('latin1', 0, end);
    this.#rest = this.#rest.subarray(end + LINE_END.length);
    return line;
  }

  #finish(): void {
    this.#part = 'over';
    this.#listener.onResponseEnd();
  }
}

/** @throws {ResponseFault} when a line is no header. */
function headersOf(lines: readonly string[]): HttpHeaders {
  const headers: Record<string, string | string[] | undefined> = Object.create(null);
  for (const line of lines) {
    const [, rawName, rawValue = ''] = HEADER_LINE.exec(line) ?? [];
    if (rawName === undefined) throw new ResponseFault('a header of the answer is not of HTTP/1.1');
    const [name, value] = [rawName.toLowerCase(), rawValue.trimEnd()];
    const earlier = headers[name];
    headers[name] = earlier === undefined ? value : [...(typeof earlier === 'string' ? [earlier] : earlier), value];
  }
  return headers;
}

/**
 * The length of the body; `null` where no header says it.
 * @throws {ResponseFault} when the headers disagree.
 */
function lengthOf(headers: HttpHeaders): number | null {
  const value = headers['content-length'];
  if (value === undefined) return null;
  if (typeof value !== 'string' || !LENGTH.test(value))
    throw new ResponseFault('the length of the answer is no number');
  return Number(value);
}

/** The words of a header, in lower case. */
function tokensOf(value: string | string[] | undefined): string[] {
  if (value === undefined) return [];
  const text = typeof value === 'string' ? value : value.join(',');
  return text
    .toLowerCase()
    .split(',')
    .map((token) => token.trim());
}
