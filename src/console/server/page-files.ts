// The files of the page, read once. Must never serve a name that was not read.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { extname, join } from 'node:path';

/** Content types by ending. Other files are not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webmanifest': 'application/manifest+json',
};
const FILES_MAX = 200;

/** Encodings of the built files, with their endings, the best first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

interface PageFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly encoded: ReadonlyMap<string, Buffer>;
  /** True: the name holds a hash of the content, so the file never changes. */
  readonly isImmutable: boolean;
}

/** The answer to a request for a file. */
export interface PageAnswer {
  readonly status: 200 | 304;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

const HASHED = /[.-][A-Za-z0-9_-]{8,}\.[a-z]+$/;

/** The files of a folder. */
export class PageFiles {
  /** By path of the address, such as `/index.html`. */
  readonly #files = new Map<string, PageFile>();

  /** @param folder The folder of the built page. A missing folder has no files. */
  constructor(folder: string) {
    for (const name of namesIn(folder)) {
      const type = TYPES[extname(name)];
      if (type === undefined) continue;
      const plain = readFileSync(join(folder, name));
      this.#files.set(`/${name}`, {
        type,
        plain,
        etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
        encoded: encodedForms(join(folder, name)),
        isImmutable: HASHED.test(name),
      });
    }
  }

  get isBuilt(): boolean {
    return this.#files.has('/index.html');
  }

  /** Returns the answer for a path; `null` when there is no such file. */
  answerFor(path: string, accepted: string, known: string): PageAnswer | null {
    const file = this.#files.get(path === '/' ? '/index.html' : path);
    if (file === undefined) return null;
    const cache = file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache';
    const shared = { ETag: file.etag, 'Cache-Control': cache, Vary: 'Accept-Encoding' };
    if (known.split(',').some((tag) => tag.trim() === file.etag)) return { status: 304, headers: shared, body: null };
    const encoding = ENCODINGS.find(([name]) => file.encoded.has(name) && acceptsEncoding(accepted, name))?.[0];
    const body = (encoding === undefined ? undefined : file.encoded.get(encoding)) ?? file.plain;
    const headers = { ...shared, 'Content-Type': file.type, 'Content-Length': String(body.length) };
    return {
      status: 200,
      headers: encoding === undefined ? headers : { ...headers, 'Content-Encoding': encoding },
      body,
    };
  }
}

/** The quality zero refuses an encoding. */
function acceptsEncoding(accepted: string, name: string): boolean {
  const found = accepted.split(',').find((part) => part.split(';')[0]?.trim().toLowerCase() === name);
  return found !== undefined && !/;\s*q=0(?:\.0*)?\s*$/.test(found);
}

function namesIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder, { withFileTypes: true });
    return names.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).slice(0, FILES_MAX);
  } catch {
    return [];
  }
}

function encodedForms(file: string): ReadonlyMap<string, Buffer> {
  const found = ENCODINGS.flatMap(([name, ending]) =>
    statSync(`${file}${ending}`, { throwIfNoEntry: false })?.isFile()
      ? [[name, readFileSync(`${file}${ending}`)] as const]
      : [],
  );
  return new Map(found);
}
