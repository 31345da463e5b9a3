// Keeps the house rules of src/README.md: doors, purity, sizes and manners. Every fault is listed with its remedy.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkTree } from './support/tidy/check-tree.ts';
import { formatFault } from './support/tidy/fault.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PARTS = ['src', 'strategies', 'backtest', 'test'];

function readTree(): Map<string, string> {
  const files = new Map<string, string>();
  for (const part of PARTS.filter((each) => existsSync(join(ROOT, each))))
    for (const entry of readdirSync(join(ROOT, part), { recursive: true, encoding: 'utf8' })) {
      const path = `${part}/${entry.replaceAll('\\', '/')}`;
      if (path.endsWith('.ts')) files.set(path, readFileSync(join(ROOT, path), 'utf8'));
    }
  return files;
}

describe('the house', () => {
  const files = readTree();

  it('has rooms to check', () => {
    expect([...files.keys()].filter((file) => file.startsWith('src/')).length).toBeGreaterThan(0);
  });

  it('keeps its rules', () => {
    const faults = checkTree(files).map(formatFault);
    if (faults.length > 0) throw new Error(`${faults.length} broken house rules:\n${faults.join('\n')}`);
    expect(faults).toEqual([]);
  });
});
