// In which order test files run: those that mostly wait for other processes spread among those that keep a processor busy,
// so that neither stands idle; the longest of all first, and last the simulation, which keeps every processor busy by itself.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const isOf =
  (path: RegExp) =>
  ({ moduleId }: TestSpecification): boolean =>
    path.test(moduleId);
const waits = isOf(/\/test\/(?:e2e\/|docs\/tutorial)/);
const isLongest = isOf(/\/test\/certify\/certify\.test/);
const isLast = isOf(/\/test\/simulation\//);

/** Puts some of a list after each of another: evenly, the others first where it does not come out even. */
function spread<T>(few: readonly T[], many: readonly T[]): T[] {
  const each = few.length === 0 ? many.length : Math.floor(many.length / few.length);
  const rest = many.length - few.length * each;
  const spreadOut = few.flatMap((one, i) => [one, ...many.slice(rest + i * each, rest + (i + 1) * each)]);
  return [...many.slice(0, rest), ...spreadOut];
}

export class Interleaved extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const others = sorted.filter((file) => !waits(file) && !isLongest(file) && !isLast(file));
    return [...sorted.filter(isLongest), ...spread(sorted.filter(waits), others), ...sorted.filter(isLast)];
  }
}
