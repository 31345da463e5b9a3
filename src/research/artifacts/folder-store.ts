// A store in a folder, such as a mounted network drive. Must never show a half-written file under its name.
import { constants } from 'node:fs';
import { copyFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeFolder } from '../../log/make-folder.ts';
import { type ArtifactStore, StoreFault, artifactName } from './artifact-store.ts';

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
    if (await this.has(sha256)) return;
    const path = this.#pathOf(sha256);
    const part = `${path}.${process.pid}.part`;
    try {
      makeFolder(dirname(path));
      await copyFile(file, part, constants.COPYFILE_FICLONE);
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
      const name = `${sha256.slice(0, 16)}…`;
      const isThere = await this.has(sha256);
      throw this.#faultOf(
        isThere
          ? `cannot give ${name}: ${reasonOf(cause)}`
          : `does not have ${name}; expected the store of the study, which adds it`,
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

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
