/** The errors of a rejected request: a message, and errors of single fields of the body. */
export interface Refusal {
  /** Absent if every error belongs to a field. */
  sentence: string | undefined
  /** By path below the body, e.g. `feedback_config.min`. */
  fields: Readonly<Record<string, string>>
}

export interface Problem {
  loc: readonly (string | number)[]
  msg: string
  /** Kind of the problem: `changed` for a value that was changed since it was read. */
  type?: string
}

/** Parses the response in the message of a failed SDK call. */
export function parseRefusal(error: unknown): Refusal | undefined {
  const detail = readDetail(error)
  if (typeof detail === 'string') return { sentence: detail, fields: {} }
  if (!Array.isArray(detail)) return undefined
  const problems = detail.filter(isProblem)
  const inBody = problems.filter(({ loc }) => loc[0] === 'body' && loc.length > 1)
  const others = problems.filter((problem) => !inBody.includes(problem))
  return {
    sentence: others.length === 0 ? undefined : others.map(({ loc, msg }) => `${loc.join('.')} ${msg}`).join('; '),
    fields: Object.fromEntries(inBody.map(({ loc, msg }) => [loc.slice(1).join('.'), msg])),
  }
}

/** The single problems of a rejected request. */
export function readProblems(error: unknown): readonly Problem[] {
  const detail = readDetail(error)
  return Array.isArray(detail) ? detail.filter(isProblem) : []
}

/** Whether a save was refused because a value was changed since it was read; then both values are shown. */
export const isOvertaken = (error: unknown) => readProblems(error).some(({ type }) => type === 'changed')

function readDetail(error: unknown): unknown {
  const text = error instanceof Error ? /Message: (\{.*\})/s.exec(error.message)?.[1] : undefined
  return text === undefined ? undefined : parseDetail(text)
}

function parseDetail(text: string): unknown {
  try {
    return (JSON.parse(text) as { detail?: unknown }).detail
  } catch {
    return undefined
  }
}

function isProblem(value: unknown): value is Problem {
  const { loc, msg } = (value ?? {}) as Partial<Problem>
  return Array.isArray(loc) && typeof msg === 'string'
}

interface Failure {
  message: string
  status?: number | undefined
  requestId?: string | undefined
  /** Whether there was no answer, because the server or the network is down. */
  isOffline?: true
}

/** The message, status and request id of anything that was thrown. */
export function describeFailure(thrown: unknown): Failure {
  if (!(thrown instanceof Error)) return { message: String(thrown) }
  const { status, requestId, request_id } = thrown as Error & Record<string, unknown>
  // The SDK's error of a request without a response, or the browser's.
  const offline =
    thrown.name === 'APIConnectionError' || (thrown instanceof TypeError && /fetch|network/i.test(thrown.message))
  return {
    ...(offline && { isOffline: true }),
    message: offline ? OFFLINE : (parseRefusal(thrown)?.sentence ?? thrown.message),
    status: typeof status === 'number' ? status : undefined,
    requestId: [requestId, request_id].find((id): id is string => typeof id === 'string'),
  }
}

const OFFLINE = 'The server is not responding. It may be stopped, or the network may be down.'
