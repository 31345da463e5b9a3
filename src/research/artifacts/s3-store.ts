// A store in a bucket of Amazon S3, or of a service with the same API. Files travel in parts of 8 MiB, several at a time.
// Must never put a key into an error.
import { open, stat } from 'node:fs/promises';
import PQueue from 'p-queue';
import { S3mini } from 's3mini';
import { fetch as undiciFetch } from 'undici';
import { UsageError } from '../../app/usage-error.ts';
import { type ArtifactStore, StoreFault, absentText, artifactName } from './artifact-store.ts';

const PART = 8 * 1024 * 1024;
const AT_ONCE = 4;
const TYPE = 'application/octet-stream';

export interface S3StoreOptions {
  readonly bucket: string;
  /** Begin of every name, without a slash at its end; may be empty. */
  readonly prefix: string;
  /** Address of the service, without the bucket. */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The variables that are read. */
export type StoreEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * Reads where a bucket is: `s3://bucket/prefix`, with the credentials from the environment.
 * @throws {UsageError} when the place is of another form, or a credential is absent.
 */
export function s3StoreOptions(place: string, environment: StoreEnvironment): S3StoreOptions {
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?)\/?)?$/.exec(place) ?? [];
  if (bucket === undefined)
    throw new UsageError(`--store: expected s3://bucket or s3://bucket/prefix, found ${JSON.stringify(place)}`);
  const region = environment['AWS_REGION'] ?? 'us-east-1';
  const endpoint = environment['PRESAGE_STORE_ENDPOINT'] ?? `https://s3.${region}.amazonaws.com`;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  if (!accessKeyId || !secretAccessKey)
    throw new UsageError(
      '--store: expected AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, found none',
    );
  refuseEndpoint(endpoint);
  return { bucket, prefix, endpoint: endpoint.replace(/\/$/, ''), region, accessKeyId, secretAccessKey };
}

/** @throws {UsageError} for no address, or one with credentials: every fault of a request would show them. */
function refuseEndpoint(endpoint: string): void {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return;
  throw new UsageError(
    'PRESAGE_STORE_ENDPOINT: expected an address such as https://storage.example.com, without credentials, found another; the key is in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  );
}

/**
 * The fetch of the installed undici: once that package is loaded, it also sends the requests of Node's own fetch, and refuses the
 * lengths that an older fetch writes.
 */
// tidy: as (the package's fetch has the type of the platform's, under its own names)
const ownFetch = undiciFetch as unknown as typeof fetch;

/** A bucket that every machine can reach. */
export class S3Store implements ArtifactStore {
  readonly place: string;
  readonly #prefix: string;
  readonly #client: S3mini;

  constructor({ bucket, prefix, endpoint, region, accessKeyId, secretAccessKey }: S3StoreOptions) {
    this.place = `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`;
    this.#prefix = prefix === '' ? '' : `${prefix}/`;
    this.#client = new S3mini({
      accessKeyId,
      secretAccessKey,
      region,
      endpoint: `${endpoint}/${bucket}`,
      fetch: ownFetch,
    });
  }

  has(sha256: string): Promise<boolean> {
    return this.#attempt('read', async () => (await this.#client.objectExists(this.#keyOf(sha256))) === true);
  }

  async addFile(sha256: string, file: string): Promise<void> {
    const { size } = await stat(file);
    if ((await this.#attempt('read', () => this.#sizeOf(sha256))) === size) return;
    await this.#attempt('written', async () => {
      const key = this.#keyOf(sha256);
      if (size <= PART) await this.#client.putObject(key, await partOf(file, { from: 0, length: size }), TYPE);
      else await this.#addParts(key, file, size);
    });
  }

  async #addParts(key: string, file: string, size: number): Promise<void> {
    const upload = await this.#client.getMultipartUploadId(key, TYPE);
    try {
      const parts = await inParts(size, async ({ from, length }) =>
        this.#client.uploadPart(key, upload, await partOf(file, { from, length }), from / PART + 1),
      );
      await this.#client.completeMultipartUpload(key, upload, parts);
    } catch (fault) {
      await this.#client.abortMultipartUpload(key, upload).catch(() => undefined);
      throw fault;
    }
  }

  async fetchFile(sha256: string, to: string): Promise<void> {
    const size = await this.#attempt('read', () => this.#sizeOf(sha256));
    if (size === null) throw new StoreFault(`store ${this.place}: ${absentText(sha256)}`);
    await this.#attempt('read', async () => {
      const key = this.#keyOf(sha256);
      const file = await open(to, 'w', 0o600);
      try {
        await inParts(size, async ({ from, length }) => {
          // The upper bound of this client's ranges is excluded.
          const answer = await this.#client.getObjectRaw(key, false, from, from + length);
          const bytes = new Uint8Array(await answer.arrayBuffer());
          if (bytes.length !== length) throw new Error(`expected ${length} bytes from ${from}, found ${bytes.length}`);
          // A disk that is nearly full takes a part of the bytes, and refuses the next ones.
          for (let done = 0; done < length;)
            done += (await file.write(bytes, done, length - done, from + done)).bytesWritten;
        });
      } finally {
        await file.close();
      }
    });
  }

  /** Size of a file in bytes; `null` when it is not there. */
  async #sizeOf(sha256: string): Promise<number | null> {
    return (await this.has(sha256)) ? this.#client.getContentLength(this.#keyOf(sha256)) : null;
  }

  #keyOf(sha256: string): string {
    return `${this.#prefix}${artifactName(sha256)}`;
  }

  async #attempt<Result>(what: 'read' | 'written', work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof StoreFault) throw cause;
      throw new StoreFault(`store ${this.place}: cannot be ${what}: ${reasonOf(cause)}`, { cause });
    }
  }
}

/** The reason of a fault. The client says no more than `403`, and Node.js no more than `fetch failed`. */
function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  if ('status' in fault && fault.status === 403)
    return `${fault.message}; the key of AWS_ACCESS_KEY_ID is wrong, or may not do this`;
  return fault.message === 'fetch failed' && fault.cause instanceof Error
    ? `fetch failed: ${fault.cause.message}`
    : fault.message;
}

interface Part {
  readonly from: number;
  readonly length: number;
}

/** Handles a file part by part. Returns the results in the sequence of the parts. */
async function inParts<Result>(size: number, handle: (part: Part) => Promise<Result>): Promise<Result[]> {
  const queue = new PQueue({ concurrency: AT_ONCE });
  const parts = Array.from({ length: Math.ceil(size / PART) }, (_, index) => index * PART);
  return Promise.all(parts.map((from) => queue.add(() => handle({ from, length: Math.min(PART, size - from) }))));
}

async function partOf(path: string, { from, length }: Part): Promise<Buffer> {
  const file = await open(path);
  try {
    const bytes = Buffer.alloc(length);
    await file.read(bytes, 0, length, from);
    return bytes;
  } finally {
    await file.close();
  }
}
