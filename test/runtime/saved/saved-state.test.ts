// Strategies' saved state as files: written soon, whole, and only when changed; read only when it fits.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { strategyName } from '../../../src/domain/ids.ts';
import {
  SavedStateFault,
  SavedStateWriter,
  readSavedState,
  savedStateFile,
} from '../../../src/runtime/saved/saved-state.ts';
import type { BoundStrategy } from '../../../src/strategy/strategy-definition.ts';
import type { Storage } from '../../../src/tape/journal/storage.ts';
import { FakeScheduler } from '../../support/transport/fake-scheduler.ts';
import { MemoryDisk } from '../../support/tapes/memory-storage.ts';

const A = strategyName('a');
const B = strategyName('b');

class Bench {
  readonly disk = new MemoryDisk();
  readonly storage: Storage = this.disk.open();
  readonly scheduler = new FakeScheduler();
  readonly faults: unknown[] = [];
  readonly keeper = new SavedStateWriter({
    storage: this.storage,
    scheduler: this.scheduler,
    onFault: (fault) => this.faults.push(fault),
  });

  save(strategy = A, json = '{"n":1}'): void {
    this.keeper.saveFromNotice({ type: 'saved', strategy, json });
  }

  put(text: string): void {
    this.storage.replaceFile(savedStateFile(A), new TextEncoder().encode(text));
  }

  textOf(strategy = A): string | null {
    const file = savedStateFile(strategy);
    if (!this.storage.listFiles().includes(file)) return null;
    return new TextDecoder().decode(this.storage.readBytes(file, 0, this.storage.sizeOf(file)));
  }
}

const keeping = (name = A, schema: z.ZodType = z.strictObject({ n: z.int() })): BoundStrategy => ({
  name,
  selector: {},
  handlers: {},
  persistence: { schema, save: () => undefined, restore: () => undefined },
});

describe('saved state', () => {
  it('writes after the engine’s step, at most ten times a second', () => {
    const bench = new Bench();
    bench.save(A, '1');
    expect(bench.textOf()).toBeNull();
    bench.scheduler.advance(0);
    expect(bench.textOf()).toBe('1\n');
    bench.save(A, '2');
    bench.save(B, '"b"');
    bench.save(A, '3');
    bench.scheduler.advance(99);
    expect([bench.textOf(), bench.textOf(B)]).toEqual(['1\n', null]);
    bench.scheduler.advance(1);
    expect([bench.textOf(), bench.textOf(B)]).toEqual(['3\n', '"b"\n']);
    expect(bench.scheduler.pendingCount).toBe(0);
  });

  it('writes at once at the end', () => {
    const bench = new Bench();
    bench.save();
    bench.keeper.writePending();
    expect(bench.textOf()).toBe('{"n":1}\n');
    expect(bench.scheduler.pendingCount).toBe(0);
    const { operations } = bench.disk;
    bench.keeper.writePending();
    expect(bench.disk.operations).toBe(operations);
  });

  it('reports a write that fails', () => {
    const bench = new Bench();
    bench.disk.faults = { dieBeforeOperation: 0 };
    bench.save();
    bench.scheduler.advance(0);
    expect(bench.faults).toHaveLength(1);
  });

  it('restores by the strategy’s name, only to strategies that save state', () => {
    const bench = new Bench();
    const odd = strategyName('maker/2 ../x');
    expect(savedStateFile(odd)).not.toContain('/');
    bench.save(odd);
    bench.save(B, '{"n":2}');
    bench.keeper.writePending();
    const silent = { ...keeping(B), persistence: undefined } as unknown as BoundStrategy;
    expect(readSavedState(bench.storage, [keeping(A), silent, keeping(odd)])).toEqual({ [odd]: { n: 1 } });
  });
});

describe('a saved file that does not fit', () => {
  it.each([
    ['{"n":"many"}', 'does not fit the strategy: n: Invalid input: expected number, received string'],
    ['{"n":1.5}', 'does not fit the strategy: n: Invalid input: expected int, received number'],
    ['{"n":1,"m":2}', 'does not fit the strategy: the whole value: Unrecognized key: "m"'],
    ['[]', 'does not fit the strategy: the whole value: Invalid input: expected object, received array'],
    ['{"n":', 'is not JSON'],
    ['', 'is not JSON'],
    ['"\u00e9"'.padEnd(3_000_002), 'is too long: expected at most 3000001 bytes'],
  ])('%.12s in a saved file ends the start with the file’s name, and the file is not changed', (text, problem) => {
    const bench = new Bench();
    bench.put(text);
    const read = (): unknown => readSavedState(bench.storage, [keeping()]);
    expect(read).toThrow(SavedStateFault);
    expect(read).toThrow(`${bench.storage.path}/a.json: the saved state of strategy a ${problem}`);
    expect(bench.textOf()).toBe(text);
  });
});
