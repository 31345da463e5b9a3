// Publishes a study to a queue, whose workers run its trials.
import { openArtifactStore } from '../../research/artifacts/open-store.ts';
import { withNotice } from '../../research/artifacts/store-notice.ts';
import { type QueueAddress, queueAddress } from '../../research/queue/queue-address.ts';
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

function showWorkers({ own, others }: SeenWorkers, { text }: QueueAddress): void {
  const found = own > 0 ? `${countedNoun(own, 'worker')} at ${text}` : noWorkerText(others, text);
  process.stderr.write(`presage: ${found}\n`);
}

function noWorkerText(others: number, text: string): string {
  if (others === 0) return `no worker is at ${text} yet: \`presage study worker\` starts one`;
  const found = `found ${others} with another`;
  return `queue ${text}: expected a worker with this PRESAGE_QUEUE_SECRET, ${found}; a study and its workers have the same secret`;
}
