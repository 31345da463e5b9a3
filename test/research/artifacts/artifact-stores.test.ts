// Stores of tapes and code: a folder and a bucket keep the same contract; a worker's cache gives only what has the wanted hash.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { type IncomingMessage, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArtifactCache } from '../../../src/research/artifacts/artifact-cache.ts';
import {
  type ArtifactStore,
  StoreFault,
  artifactName,
  fileHash,
} from '../../../src/research/artifacts/artifact-store.ts';
import { FolderStore } from '../../../src/research/artifacts/folder-store.ts';
import { openArtifactStore } from '../../../src/research/artifacts/open-store.ts';
import { S3Store, s3StoreOptions } from '../../../src/research/artifacts/s3-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-'));
const KEYS = { accessKeyId: 'AKEXAMPLE', secretAccessKey: 'a secret key' };

/** A bucket on 127.0.0.1 that checks every signature (AWS Signature Version 4), with parts and ranges. */
class Bucket {
  readonly objects = new Map<string, Buffer>();
  readonly #uploads = new Map<string, Map<number, Buffer>>();
  readonly #server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const [status, body, headers] = this.#answer(request, Buffer.concat(parts));
      response.writeHead(status, { 'content-length': body.length, ...headers });
      response.end(request.method === 'HEAD' ? undefined : body);
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    // tidy: as (a server that listens on a port has such an address)
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(request: IncomingMessage, body: Buffer): [number, Buffer, Record<string, string | number>] {
    const url = new URL(request.url ?? '/', 'http://bucket');
    if (!isSigned(request, url, body))
      return [403, Buffer.from('<Error><Code>SignatureDoesNotMatch</Code></Error>'), {}];
    const key = decodeURIComponent(url.pathname);
    const upload = url.searchParams.get('uploadId');
    if (request.method === 'POST' && url.searchParams.has('uploads')) {
      this.#uploads.set('one', new Map());
      const xml = '<InitiateMultipartUploadResult><UploadId>one</UploadId></InitiateMultipartUploadResult>';
      return [200, Buffer.from(xml), { 'content-type': 'application/xml' }];
    }
    if (request.method === 'PUT' && upload !== null) {
      this.#uploads.get(upload)?.set(Number(url.searchParams.get('partNumber')), body);
      return [200, Buffer.alloc(0), { etag: `"${url.searchParams.get('partNumber')}"` }];
    }
    if (request.method === 'POST' && upload !== null) {
      const parts = [...(this.#uploads.get(upload) ?? [])].sort(([a], [b]) => a - b).map(([, part]) => part);
      this.objects.set(key, Buffer.concat(parts));
      const xml = '<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>';
      return [200, Buffer.from(xml), { 'content-type': 'application/xml' }];
    }
    if (request.method === 'PUT') {
      this.objects.set(key, body);
      return [200, Buffer.alloc(0), { etag: '"x"' }];
    }
    const found = this.objects.get(key);
    if (found === undefined) return [404, Buffer.from('<Error><Code>NoSuchKey</Code></Error>'), {}];
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    if (from === undefined || to === undefined) return [200, found, { etag: '"x"' }];
    return [206, found.subarray(Number(from), Number(to) + 1), { etag: '"x"' }];
  }
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Computes the signature of a request again, by AWS's description of Signature Version 4. */
function isSigned(request: IncomingMessage, url: URL, body: Buffer): boolean {
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)$/;
  const [, id, day = '', region = '', signed = '', signature] = pattern.exec(request.headers.authorization ?? '') ?? [];
  const content = String(request.headers['x-amz-content-sha256']);
  if (id !== KEYS.accessKeyId || (content !== 'UNSIGNED-PAYLOAD' && content !== sha256(body))) return false;
  const query = [...url.searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort()
    .join('&');
  const headers = signed.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const canonical = [request.method, url.pathname, query, headers.join(''), signed, content].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${KEYS.secretAccessKey}`, day), region));
  return hmac(key, text).toString('hex') === signature;
}

const bucket = new Bucket();
let endpoint = '';
beforeAll(async () => {
  endpoint = await bucket.listen();
});
afterAll(() => {
  bucket.close();
  rmSync(folder, { recursive: true, force: true });
});

let count = 0;
async function fileOf(bytes: Buffer): Promise<{ readonly file: string; readonly sha256: string }> {
  const file = join(folder, `file-${count++}`);
  writeFileSync(file, bytes);
  return { file, sha256: await fileHash(file) };
}

const stores: readonly (readonly [string, () => ArtifactStore])[] = [
  ['a folder', () => new FolderStore(join(folder, 'store'))],
  ['a bucket', () => new S3Store({ bucket: 'tapes', prefix: 'a/b', endpoint, region: 'eu-west-1', ...KEYS })],
];

describe.each(stores)('%s', (_name, storeOf) => {
  it.each([
    ['nothing', 0],
    ['a small file', 1000],
    ['a file of several parts', (20 << 20) + 5],
  ])('gives %s back as it was', async (_size, bytes) => {
    const store = storeOf();
    const { file, sha256: hash } = await fileOf(randomBytes(bytes));
    expect(await store.has(hash)).toBe(false);
    await store.addFile(hash, file);
    await store.addFile(hash, file);
    expect(await store.has(hash)).toBe(true);
    const to = join(folder, `back-${count++}`);
    await store.fetchFile(hash, to);
    expect(readFileSync(to).equals(readFileSync(file))).toBe(true);
  });

  it('replaces half a file that a machine left when it went down', async () => {
    const store = storeOf();
    const bytes = randomBytes(1000);
    const { file, sha256: hash } = await fileOf(bytes);
    const half = await fileOf(bytes.subarray(0, 500));
    await store.addFile(hash, half.file);
    await store.addFile(hash, file);
    const to = join(folder, `back-${count++}`);
    await store.fetchFile(hash, to);
    expect(readFileSync(to).equals(bytes)).toBe(true);
  });

  it('says what it does not have', async () => {
    const fault = await storeOf()
      .fetchFile('f'.repeat(64), join(folder, 'none'))
      .catch((found: unknown) => found);
    expect(fault).toBeInstanceOf(StoreFault);
    expect(String(fault)).toMatch(/does not have f{16}…; expected the store of the study, which adds it/);
  });
});

describe('a bucket', () => {
  it('with a wrong key is refused, without the key in the message', async () => {
    const store = new S3Store({
      bucket: 'tapes',
      prefix: '',
      endpoint,
      region: 'x',
      ...KEYS,
      secretAccessKey: 'hunter2',
    });
    const { file, sha256: hash } = await fileOf(Buffer.from('x'));
    const fault = await store.addFile(hash, file).catch((found: unknown) => found);
    expect(fault).toBeInstanceOf(StoreFault);
    expect(String(fault)).not.toContain('hunter2');
    expect(String(fault)).toMatch(
      /cannot be read: S3 returned 403.*; the key of AWS_ACCESS_KEY_ID is wrong, or may not/,
    );
  });

  it('that does not answer is named with the reason', async () => {
    const store = new S3Store({ bucket: 'tapes', prefix: '', endpoint: 'http://127.0.0.1:1', region: 'x', ...KEYS });
    await expect(store.has('a'.repeat(64))).rejects.toThrow(/^store s3:\/\/tapes: cannot be read: .*\S$/);
    await expect(store.has('a'.repeat(64))).rejects.not.toThrow(/fetch failed$/);
  });

  it('is named by an address, with credentials from the environment', () => {
    const environment = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'eu-west-1' };
    expect(s3StoreOptions('s3://tapes/a/b/', environment)).toEqual({
      bucket: 'tapes',
      prefix: 'a/b',
      endpoint: 'https://s3.eu-west-1.amazonaws.com',
      region: 'eu-west-1',
      accessKeyId: 'a',
      secretAccessKey: 'b',
    });
    expect(() => s3StoreOptions('s3://tapes', {})).toThrow(/expected AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/);
    expect(() => s3StoreOptions('s3://T', environment)).toThrow(/expected s3:\/\/bucket or s3:\/\/bucket\/prefix/);
    for (const endpoint of ['https://u:hunter2@storage.example.com', 'hunter2'])
      expect(() => s3StoreOptions('s3://tapes', { ...environment, PRESAGE_STORE_ENDPOINT: endpoint })).toThrow(
        /^PRESAGE_STORE_ENDPOINT: expected an address such as (?!.*hunter2)/,
      );
    expect(openArtifactStore('store', {})).toBeInstanceOf(FolderStore);
    expect(openArtifactStore('s3://tapes', environment)).toBeInstanceOf(S3Store);
  });
});

describe('a worker’s cache', () => {
  const cacheOf = (store: ArtifactStore, bytesMax = 1e9) => {
    const place = join(folder, `cache-${count++}`);
    return { place, cache: new ArtifactCache({ folder: place, store, bytesMax }) };
  };

  it('fetches a file once, and checks its content', async () => {
    const store = new FolderStore(join(folder, 'checked'));
    const { file, sha256: hash } = await fileOf(Buffer.from('content'));
    await store.addFile(hash, file);
    const { cache } = cacheOf(store);
    const path = await cache.fileOf(hash, '.arrow');
    expect(path.endsWith(`${hash}.arrow`)).toBe(true);
    rmSync(store.place, { recursive: true });
    expect(readFileSync(await cache.fileOf(hash, '.arrow'), 'utf8')).toBe('content');
  });

  it('refuses other content under a hash, and leaves nothing behind', async () => {
    const store = new FolderStore(join(folder, 'planted'));
    const path = join(store.place, artifactName('a'.repeat(64)));
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, 'planted');
    const { cache, place } = cacheOf(store);
    await expect(cache.fileOf('a'.repeat(64), '')).rejects.toThrow(/expected content with hash aaaa.*, found/);
    const left = readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(left).toEqual([]);
  });

  it.each(['ENOSPC', 'EDQUOT', 'EROFS'])(
    'names its own file, not the store, when it cannot be written: %s',
    async (code) => {
      const store = new FolderStore(join(folder, 'sound'));
      const refused = Object.assign(new Error(`${code}: refused, write`), { code });
      store.fetchFile = () => Promise.reject(new StoreFault('store sound: cannot be read', { cause: refused }));
      const { cache, place } = cacheOf(store);
      const name = artifactName('b'.repeat(64));
      await expect(cache.fileOf('b'.repeat(64), '.arrow')).rejects.toThrow(
        new StoreFault(
          `${join(place, name)}.arrow: this copy of a file of the store cannot be written: ${code}: refused, write`,
        ),
      );
    },
  );

  it('removes what a worker that was killed left of a copy', async () => {
    const store = new FolderStore(join(folder, 'left'));
    const { file, sha256: hash } = await fileOf(Buffer.from('content'));
    await store.addFile(hash, file);
    const { cache, place } = cacheOf(store);
    const path = await cache.fileOf(hash, '.arrow');
    for (const left of ['4711.part', '4711.gone']) writeFileSync(`${path}.${left}`, 'half');
    const next = new ArtifactCache({ folder: place, store, bytesMax: 1e9 });
    expect(await next.fileOf(hash, '.arrow')).toBe(path);
    expect(readdirSync(join(path, '..'))).toEqual([`${hash}.arrow`]);
  });

  it('names its own file when its folder cannot be made', async () => {
    const { place, cache } = cacheOf(new FolderStore(join(folder, 'sound')));
    writeFileSync(place, 'a file in the place of the folder');
    await expect(cache.fileOf('c'.repeat(64), '')).rejects.toThrow(
      /cache-\d+\/sha256\/cc\/c+: this copy of a file of the store cannot be written: ENOTDIR/,
    );
  });

  it('removes the longest unused files, and none that is in use', async () => {
    const store = new FolderStore(join(folder, 'many'));
    const files = await Promise.all([1, 2, 3].map((byte) => fileOf(Buffer.alloc(1000, byte))));
    for (const { file, sha256: hash } of files) await store.addFile(hash, file);
    const { cache: before, place } = cacheOf(store, 2500);
    const [a, b, c] = files.map(({ sha256: hash }) => hash) as [string, string, string];
    const old = [await before.fileOf(a, ''), await before.fileOf(b, '')];
    for (const [index, path] of old.entries()) utimesSync(path, index + 1, index + 1);
    const cache = new ArtifactCache({ folder: place, store, bytesMax: 2500 });
    await cache.fileOf(c, '');
    expect(old.map((path) => existsSync(path))).toEqual([false, true]);
    const small = new ArtifactCache({ folder: place, store, bytesMax: 1 });
    const used = await Promise.all([small.fileOf(a, ''), small.fileOf(b, '')]);
    expect(used.map((path) => existsSync(path))).toEqual([true, true]);
  });
});
