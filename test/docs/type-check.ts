// Type-checks TypeScript on the pages as a user's compiler would: against the public surface, with the project's own
// options.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './pages.ts';

/** A module and its name in messages. */
export interface Snippet {
  readonly place: string;
  readonly text: string;
}

/** Returns the compiler's errors in modules that do not import each other; an empty list when there are none. */
export async function typeFaults(snippets: readonly Snippet[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'presage-snippets-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config(folder)));
    for (const [index, { text }] of snippets.entries()) writeFileSync(join(folder, `snippet-${index}.ts`), text);
    const output = await compile(folder);
    return output.split('\n').flatMap((line) => {
      const [, index, place = '', fault = ''] = /^snippet-(\d+)\.ts\((\d+),\d+\): (.*)$/.exec(line) ?? [];
      if (index === undefined) return /^\S/.test(line) ? [line] : [];
      return [`${snippets[Number(index)]?.place}, line ${place} of it: ${fault}`];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const config = (folder: string) => ({
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: {
    rootDir: '/',
    typeRoots: [join(folder, 'node_modules/@types')],
    noUnusedLocals: false,
    noUnusedParameters: false,
    paths: {
      'presage-trading': [join(ROOT, 'src/index.ts')],
      'presage-trading/testing': [join(ROOT, 'src/testing/testing-entry.ts')],
      'presage-trading/research': [join(ROOT, 'src/research/research-entry.ts')],
    },
  },
  include: ['snippet-*.ts'],
  exclude: [],
});

async function compile(folder: string): Promise<string> {
  const compiler = join(ROOT, 'node_modules/typescript-native/bin/tsc');
  return promisify(execFile)(process.execPath, [compiler, '--noEmit', '--pretty', 'false'], { cwd: folder }).then(
    ({ stdout }) => stdout,
    (fault: { stdout: string; stderr: string }) => fault.stdout + fault.stderr,
  );
}
