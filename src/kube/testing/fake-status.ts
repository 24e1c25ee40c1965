/** A Status as the API server writes it; `extra` goes into `details`. */
export function statusBody(code: number, reason: string, message: string, extra: Record<string, unknown> = {}) {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    details: extra,
    code,
  };
}
