// Wire records, as typed values in our units on the YES scale: the content that all dialects share. A member is `null`
// when the wire does not carry it. Must never know how any member is spelled on the wire.
export type * from './wire-account-records.ts';
export type * from './wire-feed-records.ts';
export type * from './wire-extension-records.ts';
export type * from './wire-market-records.ts';
export type * from './query-record.ts';
