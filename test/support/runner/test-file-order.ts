// Order in which test files run. Tests that mostly wait for other processes run first, so that others run beside them.
// The simulation runs last, because it uses every processor itself.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const rank = ({ moduleId }: TestSpecification): number =>
  /\/test\/(?:e2e\/|docs\/tutorial)/.test(moduleId) ? 0 : moduleId.includes('/test/simulation/') ? 2 : 1;

export class WaitingTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
