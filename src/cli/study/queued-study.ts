// Publishes a study to a queue, whose workers run its trials.
import { openArtifactStore } from '../../research/artifacts/open-store.ts';
import { withNotice } from '../../research/artifacts/store-notice.ts';
import { type QueueAddress, otherSecretText, queueAddress } from '../../research/queue/queue-address.ts';
import { QueuePlace, type SeenWorkers } from '../../research/queue/queue-place.ts';
import { publishStudy } from '../../research/queue/study-setup.ts';
import type { StudyPlan } from '../../research/study/study-plan.ts';
import type { RunnerJob } from '../../research/workers/study-supervisor.ts';
import type { TrialPlace } from '../../research/workers/trial-pool.ts';
import { showServerNews, warnOfNeedlessLogin } from './queue-notices.ts';
import { countedNoun } from '../../report/text/figure-text.ts';

/**
 * Publishes a study, and returns the workers of the queue as the place where its trials run.
 * @throws {UsageError} when queue or store cannot be used.
 */
export async function openQueuedPlace(
  plan: StudyPlan,
  { flag, store }: NonNullable<RunnerJob['queue']>,
): Promise<TrialPlace> {
  const address = queueAddress(flag, process.env);
  const artifacts = openArtifactStore(store, process.env);
  const setup = await withNotice(publishStudy(plan, artifacts), (text) =>
    process.stderr.write(`presage: store ${artifacts.place}: ${text}; Ctrl-C stops the study\n`),
  );
  const place = await QueuePlace.open({
    address,
    setup,
    size: plan.study.lag,
    onWorkers: (workers) => showWorkers(workers, address),
    onServer: (news) => showServerNews(news, address),
  });
  await warnOfNeedlessLogin(address);
  return place;
}

function showWorkers(workers: SeenWorkers, address: QueueAddress): void {
  process.stderr.write(`presage: ${workersText(workers, address)}\n`);
}

function workersText({ own, refusing, others }: SeenWorkers, address: QueueAddress): string {
  const { text } = address;
  if (own > 0) {
    const left = refusing === 0 ? '' : `; ${countedNoun(refusing, 'other')} cannot run this study`;
    return `${countedNoun(own, 'worker')} at ${text}${left}`;
  }
  if (refusing > 0)
    return `queue ${text}: expected a worker that can run this study, found ${refusing} that cannot; the worker's own messages say why`;
  return others === 0
    ? `no worker is at ${text} yet: \`presage study worker\` starts one`
    : otherSecretText(address, { expected: 'a worker', found: others });
}
