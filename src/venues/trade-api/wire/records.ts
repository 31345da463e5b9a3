// Wire records, as typed values in our units on the YES scale: the content that all dialects share. A member is `null`
// when the wire does not carry it. Must never know how any member is spelled on the wire.
export type * from './account-records.ts';
export type * from './feed-records.ts';
export type * from './further-records.ts';
export type * from './market-records.ts';
export type * from './query-record.ts';
