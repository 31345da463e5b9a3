// The exit code of a fault: a full disk is a failure, and a wrong file is not.
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/app/usage-error.ts';
import { exitCodeOfFault } from '../../../src/cli/output/exit-code.ts';
import { StorageFault } from '../../../src/tape/journal/storage.ts';

const systemFault = (code: string): Error => Object.assign(new Error(code), { code });

describe('the exit code of a fault', () => {
  it.each(['ENOSPC', 'EDQUOT', 'EIO'])('is 1 where the machine is to blame, also behind other errors: %s', (code) => {
    expect(exitCodeOfFault(systemFault(code))).toBe(1);
    expect(exitCodeOfFault(new StorageFault('var/x', 'cannot be written', { code }))).toBe(1);
    const cause = new Error('cannot be made', { cause: systemFault(code) });
    expect(exitCodeOfFault(new UsageError('var/x: cannot be made', { cause }))).toBe(1);
  });

  it('is 2 where the user can correct the fault', () => {
    expect(exitCodeOfFault(new UsageError('--seed: expected a number'))).toBe(2);
    for (const code of ['EACCES', 'ENOENT', 'ENOTDIR', 'EROFS'])
      expect(exitCodeOfFault(new UsageError('var/x', { cause: systemFault(code) }))).toBe(2);
    expect(exitCodeOfFault(new StorageFault('var/x', 'is locked'))).toBe(2);
  });
});
