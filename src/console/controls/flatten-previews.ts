// Previews of a flatten. Each is valid for 30 seconds, and for the positions that it shows. Must never let a flatten
// begin on an outdated preview.
import { randomUUID } from 'node:crypto';
import type { z } from '@hono/zod-openapi';
import type { FlattenPlan } from '../../runtime/operator/control-messages.ts';
import type { flattenPreviewSchema } from '../api/api-schemas.ts';
import { ProblemFault } from '../server/problem.ts';

type FlattenPreview = z.output<typeof flattenPreviewSchema>;

const VALID_MS = 30_000;
const PREVIEWS_MAX = 50;

/** The previews of all bots. */
export class FlattenPreviews {
  readonly #nowMs: () => number;
  /** Added when made; removed when used, and when too old. */
  readonly #previews = new Map<
    string,
    { readonly bot: string; readonly positions: string; readonly untilMs: number }
  >();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  makePreview(bot: string, { orders, unclosed }: FlattenPlan): FlattenPreview {
    const untilMs = this.#nowMs() + VALID_MS;
    const previewId = randomUUID();
    for (const [id, preview] of this.#previews)
      if (preview.untilMs <= this.#nowMs() || this.#previews.size >= PREVIEWS_MAX) this.#previews.delete(id);
    this.#previews.set(previewId, { bot, positions: positionsOf({ orders, unclosed }), untilMs });
    const worstCostMicros = orders.reduce((sum, { costMicros }) => sum + costMicros, 0);
    return { previewId, expiresUs: untilMs * 1000, orders, unclosed, worstCostMicros };
  }

  /**
   * Uses a preview, which can be used once.
   * @throws {ProblemFault} when the preview is unknown or too old, or the positions have changed.
   */
  usePreview(bot: string, previewId: string, plan: FlattenPlan): void {
    const preview = this.#previews.get(previewId);
    this.#previews.delete(previewId);
    if (preview === undefined || preview.bot !== bot || preview.untilMs <= this.#nowMs())
      throw new ProblemFault('preview-expired', 'the preview is older than 30 seconds or was used: make another one');
    if (preview.positions !== positionsOf(plan))
      throw new ProblemFault('preview-expired', 'the positions have changed since the preview: make another one');
  }
}

function positionsOf({ orders, unclosed }: FlattenPlan): string {
  const held = orders.map(({ ticker, side, qty }) => `${ticker} ${side === 'sell' ? qty : -qty}`);
  return [...held, ...unclosed.map(({ ticker, qty }) => `${ticker} ${qty}`)].sort().join('\n');
}
