// Types of the controls' bodies. Types only.
import type { flattenPreviewSchema } from '../../api/api-schemas.ts';

export type { Action } from '../../api/api-schemas.ts';
export type FlattenPreview = (typeof flattenPreviewSchema)['_output'];
