/** What was found of one aspect of an object, before it becomes a condition. */
export interface Finding<Reason extends string> {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: Reason;
  readonly message: string;
}
