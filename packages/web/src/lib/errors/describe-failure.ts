import { parseRefusal } from './field-problems.ts'

export interface Failure {
  message: string
  status?: number | undefined
  requestId?: string | undefined
}

/** The message, status and request id of anything that was thrown. */
export function describeFailure(thrown: unknown): Failure {
  if (!(thrown instanceof Error)) return { message: String(thrown) }
  const { status, requestId, request_id } = thrown as Error & Record<string, unknown>
  // The SDK's error of a request without a response, or the browser's.
  const offline =
    thrown.name === 'APIConnectionError' || (thrown instanceof TypeError && /fetch|network/i.test(thrown.message))
  return {
    message: offline ? OFFLINE : (parseRefusal(thrown)?.sentence ?? thrown.message),
    status: typeof status === 'number' ? status : undefined,
    requestId: [requestId, request_id].find((id): id is string => typeof id === 'string'),
  }
}

const OFFLINE = 'The server is not responding. It may be stopped, or the network may be down.'
