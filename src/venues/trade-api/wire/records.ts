// What the wire can say, as typed values in our units on the YES scale: the meaning that every dialect shares.
// A member that is `null` was not said. Nothing here knows how any of it is spelled.
export type * from './account-records.ts';
export type * from './feed-records.ts';
export type * from './further-records.ts';
export type * from './market-records.ts';
export type * from './query-record.ts';
