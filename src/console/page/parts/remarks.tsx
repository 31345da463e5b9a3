// Remarks of a strategy: denials, stated reasons, and refusals of the venue.
import type { JSX } from 'preact';
import type { MarketDetail } from '../../../runtime/follow/follow-messages.ts';
import { formatCount } from '../format/figures.ts';
import { Mark } from './blocks.tsx';
import { Moment } from './figures.tsx';

export type Remark = NonNullable<MarketDetail['strategies'][number]['remark']>;

const TONES = { denied: 'warning', rejected: 'alarm', reason: 'calm' } as const;

export const RemarkText = ({ remark }: { readonly remark: Remark }): JSX.Element => (
  <span class="remark">
    <Mark tone={TONES[remark.kind]}>{remark.code ?? remark.kind}</Mark> {remark.text}{' '}
    <span class="muted">
      {remark.count > 1 && (
        <>
          <span class="num">×{formatCount(remark.count)}</span>,{' '}
        </>
      )}
      <Moment us={remark.atUs} />
    </span>
  </span>
);
