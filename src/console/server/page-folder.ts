// Finds the folder of the built page. Must never name a folder without the page.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const FOLDERS_MAX = 8;
const newestSchema = z.object({ id: z.string().regex(/^[0-9a-f]{12}$/) });

/**
 * Returns the folder of the built page; `null` when the page is not built.
 * @param start Folder where the search begins, upwards.
 * @default the folder of this file.
 */
export function builtPageFolder(start = import.meta.dirname): string | null {
  let folder = start;
  for (let up = 0; up < FOLDERS_MAX; up++) {
    const found = candidatesIn(folder).find((candidate) => existsSync(join(candidate, 'index.html')));
    if (found !== undefined) return found;
    folder = dirname(folder);
  }
  return null;
}

function candidatesIn(folder: string): readonly string[] {
  const builds = join(folder, 'dist/builds');
  const newest = newestBuild(join(builds, 'newest.json'));
  const ofNewest = newest === null ? [] : [join(builds, newest, 'console')];
  return [join(folder, 'console'), join(folder, 'dist/console'), ...ofNewest];
}

function newestBuild(file: string): string | null {
  try {
    return newestSchema.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data?.id ?? null;
  } catch {
    return null;
  }
}
