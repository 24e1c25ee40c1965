/** Every way in which a script can fail, for callers that decide by machine what to do next. */
export type ScriptReason =
  | 'BadUsage'
  | 'CommandFailed'
  | 'CommandMissing'
  | 'CommandTimedOut'
  | 'EngineMissing'
  | 'LockHeld'
  | 'NotReady'
  | 'StepFailed'
  | 'ToolMissing';

/** A failure of the test-cluster or image scripts. The message says what to do; `reason` is for code. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError';
  readonly reason: ScriptReason;

  constructor(reason: ScriptReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
