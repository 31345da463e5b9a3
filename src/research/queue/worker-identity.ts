// Identity of a program that runs trials. The study and its workers compare theirs: results of different code are not mixed.
// Must never accept another engine, another package, or another major version of Node.
import { arch, platform, version } from 'node:process';
import { z } from 'zod';
import { version as presage } from '../../app/package-version.ts';
import { BAKER_VERSION } from '../../tape/baked/baked-format.ts';
import { engineHash, packageVersions } from '../study/engine-identity.ts';

export const identitySchema = z.strictObject({
  /** Version of this package. */
  presage: z.string(),
  /** Hash of the code that decides. */
  engine: z.string().regex(/^[0-9a-f]{64}$/),
  packages: z.record(z.string(), z.string()),
  /** Major version of Node: another one may round a power or a logarithm differently. */
  node: z.string(),
  baker: z.int(),
  /** Shown, not compared. */
  platform: z.string(),
});
export type WorkerIdentity = z.output<typeof identitySchema>;

/** The identity of this program. */
export function ownIdentity(): WorkerIdentity {
  return {
    presage,
    engine: engineHash(),
    packages: Object.fromEntries(packageVersions()),
    node: version.replace(/^v(\d+)\..*$/, '$1'),
    baker: BAKER_VERSION,
    platform: `${platform}-${arch}`,
  };
}

/** The differences between a study's identity and a worker's, each as a text. Empty when the worker may take part. */
export function identityDifferences(study: WorkerIdentity, worker: WorkerIdentity): string[] {
  const names = [...new Set([...Object.keys(study.packages), ...Object.keys(worker.packages)])].sort();
  const pairs: (readonly [string, string | number, string | number])[] = [
    ['presage', study.presage, worker.presage],
    ...names.map((name) => [name, study.packages[name] ?? 'absent', worker.packages[name] ?? 'absent'] as const),
    ['node', study.node, worker.node],
    ['format of baked tapes', study.baker, worker.baker],
    ['code of the engine', study.engine.slice(0, 12), worker.engine.slice(0, 12)],
  ];
  return pairs
    .filter(([, theirs, ours]) => theirs !== ours)
    .map(([name, theirs, ours]) => `${name}: the study has ${theirs}, this worker ${ours}`);
}
