// Types of the parts of jstat that are used: the package has none.
declare module 'jstat' {
  interface Distribution<Args extends readonly number[]> {
    cdf(x: number, ...args: Args): number;
    inv(p: number, ...args: Args): number;
  }
  const jstat: {
    readonly jStat: {
      readonly beta: Distribution<[alpha: number, beta: number]>;
      readonly normal: Distribution<[mean: number, sd: number]>;
      readonly studentt: Distribution<[freedom: number]>;
    };
  };
  export = jstat;
}
