// A store in a folder, such as a mounted network drive. Must never show a half-written file under its name.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeFolder } from '../../log/make-folder.ts';
import { type ArtifactStore, StoreFault, absentText, artifactName } from './artifact-store.ts';

/** A folder that every machine can reach. */
export class FolderStore implements ArtifactStore {
  readonly place: string;

  constructor(folder: string) {
    this.place = resolve(folder);
  }

  async has(sha256: string): Promise<boolean> {
    return stat(this.#pathOf(sha256)).then(
      (found) => found.isFile(),
      () => false,
    );
  }

  async addFile(sha256: string, file: string): Promise<void> {
    const path = this.#pathOf(sha256);
    // Processes of two machines may have one number.
    const part = `${path}.${randomUUID()}.part`;
    try {
      const { size } = await stat(file);
      if ((await sizeOf(path)) === size) return;
      makeFolder(dirname(path));
      await copyFile(file, part, constants.COPYFILE_FICLONE);
      await syncFile(part);
      await rename(part, path);
    } catch (cause) {
      await rm(part, { force: true }).catch(() => undefined);
      throw this.#faultOf(`cannot be written: ${reasonOf(cause)}`, cause);
    }
  }

  async fetchFile(sha256: string, to: string): Promise<void> {
    try {
      await copyFile(this.#pathOf(sha256), to, constants.COPYFILE_FICLONE);
    } catch (cause) {
      const isThere = await this.has(sha256);
      throw this.#faultOf(
        isThere ? `cannot give ${sha256.slice(0, 16)}…: ${reasonOf(cause)}` : absentText(sha256),
        cause,
      );
    }
  }

  #pathOf(sha256: string): string {
    return join(this.place, artifactName(sha256));
  }

  #faultOf(problem: string, cause: unknown): StoreFault {
    return new StoreFault(`store ${this.place}: ${problem}`, { cause });
  }
}

/** Size of a file in bytes; `null` when it is not there. */
const sizeOf = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ size }) => size,
    () => null,
  );

/** Waits until the bytes of a file are on the disk. */
async function syncFile(path: string): Promise<void> {
  // The copy of a tape that is read-only is read-only, too.
  const file = await open(path, 'r');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
