/** A complaint about the charts of others, and what shows that it is none about ours. */

/** A file below test/ without its ending, and the title of a test in it. */
export type Proof = readonly [file: string, title: string];

export interface Complaint {
  readonly about: string;
  /** Path below https://github.com/ of one thread that says it. */
  readonly said?: string;
  readonly proof: readonly [Proof, ...Proof[]];
  /** Where the complaint itself cannot apply: what is tested is that it stays so. */
  readonly because?: string;
}
