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

function showWorkers({ own, others }: SeenWorkers, address: QueueAddress): void {
  const found = own > 0 ? `${countedNoun(own, 'worker')} at ${address.text}` : noWorkerText(others, address);
  process.stderr.write(`presage: ${found}\n`);
}

const noWorkerText = (others: number, address: QueueAddress): string =>
  others === 0
    ? `no worker is at ${address.text} yet: \`presage study worker\` starts one`
    : otherSecretText(address, { expected: 'a worker', found: others });
