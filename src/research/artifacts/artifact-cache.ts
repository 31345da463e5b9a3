// A worker's own copies of the store's files. The longest unused are removed when they exceed the cache's size. Must never
// give a file whose content does not have the wanted hash, nor remove one that is in use.
import { existsSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../log/make-folder.ts';
import { syncAndRename } from '../../history/export/sync-and-rename.ts';
import { type ArtifactStore, StoreFault, artifactName, fileHash } from './artifact-store.ts';

export interface ArtifactCacheOptions {
  readonly folder: string;
  readonly store: ArtifactStore;
  /** Most bytes that are kept; files in use count, and stay. */
  readonly bytesMax: number;
}

/** Codes that only the writing of a file has. */
const WRITE_FAULTS: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS']);

const codeOf = (cause: unknown): unknown => (cause instanceof Error && 'code' in cause ? cause.code : null);

const copyFault = (path: string, cause: unknown): StoreFault => {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StoreFault(`${path}: this copy of a file of the store cannot be written: ${reason}`, { cause });
};

/** @throws {StoreFault} that names the copy, when the work fails. */
function ofCopy(path: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    throw copyFault(path, cause);
  }
}

/** Files by the hash of their content, in a folder of this machine. */
export class ArtifactCache {
  readonly #options: ArtifactCacheOptions;
  /** Hashes of the files that this process uses. Added when given; never removed: a tape stays open. */
  readonly #used = new Set<string>();
  #fetching = 0;

  /** Opens the folder, which no other process uses: what one that was killed left of its copies is removed. */
  constructor(options: ArtifactCacheOptions) {
    this.#options = options;
    for (const { path, name } of this.#filesBelow())
      if (/\.\d+\.(?:part|gone)$/.test(name)) rmSync(path, { force: true });
  }

  /** True while the store is to give a file. */
  get isFetching(): boolean {
    return this.#fetching > 0;
  }

  /**
   * Returns the path of a file, fetched from the store if necessary.
   * @param suffix end of the path, such as `.arrow`: a reader may go by it.
   * @throws {StoreFault} when the store does not have the file, or has other content under its hash, or when the copy cannot be
   * written.
   */
  async fileOf(sha256: string, suffix: string): Promise<string> {
    const path = `${join(this.#options.folder, artifactName(sha256))}${suffix}`;
    this.#used.add(sha256);
    if (existsSync(path)) {
      const now = new Date();
      utimesSync(path, now, now);
      return path;
    }
    ofCopy(path, () => makeFolder(dirname(path), 0o700));
    const part = `${path}.${process.pid}.part`;
    this.#fetching += 1;
    try {
      await this.#fetch(sha256, part, path);
      const found = await fileHash(part);
      if (found !== sha256)
        throw new StoreFault(
          `store ${this.#options.store.place}: expected content with hash ${sha256}, found ${found}; remove ${artifactName(sha256)} there, and resume the study, which adds it again`,
        );
      ofCopy(path, () => syncAndRename(part, path));
    } finally {
      rmSync(part, { force: true });
      this.#fetching -= 1;
    }
    this.#evict();
    return path;
  }

  /** A store reads from its place and writes here: a full disk here is no fault of the store. */
  async #fetch(sha256: string, part: string, path: string): Promise<void> {
    try {
      await this.#options.store.fetchFile(sha256, part);
    } catch (fault) {
      const cause = fault instanceof StoreFault ? fault.cause : fault;
      throw WRITE_FAULTS.has(codeOf(cause)) ? copyFault(path, cause) : fault;
    }
  }

  /** Removes the longest unused files until the rest fits. */
  #evict(): void {
    const files = this.#filesByUse();
    let bytes = files.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size, sha256 } of files) {
      if (bytes <= this.#options.bytesMax) return;
      if (this.#used.has(sha256)) continue;
      // A process that has the file open keeps its content; one that opens it at this moment fetches it again.
      renameSync(path, `${path}.${process.pid}.gone`);
      rmSync(`${path}.${process.pid}.gone`, { force: true });
      bytes -= size;
    }
  }

  #filesBelow(): { readonly path: string; readonly name: string }[] {
    const folder = join(this.#options.folder, 'sha256');
    if (!existsSync(folder)) return [];
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => ({ path: join(parentPath, name), name }));
  }

  #filesByUse() {
    return this.#filesBelow()
      .filter(({ name }) => /^[0-9a-f]{64}(?:\.\w+)?$/.test(name))
      .map(({ path, name }) => {
        const { size, mtimeMs } = statSync(path);
        return { path, size, mtimeMs, sha256: name.slice(0, 64) };
      })
      .sort((a, b) => a.mtimeMs - b.mtimeMs);
  }
}
