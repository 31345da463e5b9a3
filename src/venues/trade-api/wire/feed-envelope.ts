// The envelope of the feed's messages: type, number and subscription around the content.
import type { RecordSpec } from './record-spec.ts';

/** The members that every message of a feed may have, beside its content. */
export interface Envelope {
  readonly type: string;
  readonly id: number | null;
  readonly sid: number | null;
  readonly seq: number | null;
}

/** The record of an envelope. */
export const ENVELOPE: RecordSpec<Envelope> = {
  name: 'frame',
  fields: {
    type: { kind: 'name', wire: 'type' },
    id: { kind: 'integer', wire: 'id', optional: true },
    sid: { kind: 'integer', wire: 'sid', optional: true },
    seq: { kind: 'integer', wire: 'seq', optional: true },
  },
  ignored: ['msg'],
};
