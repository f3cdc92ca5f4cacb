import { toStorable } from '@touchstone/contract'
import { OutboundError } from '../../../outbound/allowed-targets.ts'
import type { OutboundAnswer } from '../../../outbound/open-outbound.ts'

/** What became of one try. */
export interface SendResult {
  /** `retry`: another try may succeed. `failed`: none will. `gone`: none will, also of other notices. */
  readonly outcome: 'delivered' | 'retry' | 'failed' | 'gone'
  readonly status: number | null
  /** The first 1000 characters of the answer. */
  readonly text: string | null
  /** Null when it was delivered. */
  readonly error: string | null
  /** Seconds that the receiver asks to wait. */
  readonly retryAfterSeconds?: number
}

const RESPONSE_CHARACTERS = 1000

/** Statuses between 400 and 499 that say nothing about the request itself. */
const TEMPORARY: ReadonlySet<number> = new Set([408, 425, 429])

/** What a status means for the next try. */
export function toResult({ status, text, headers }: OutboundAnswer, nowMs: number): SendResult {
  const answered = { status, text: toResponseText(text) }
  if (status >= 200 && status < 300) return { ...answered, outcome: 'delivered', error: null }
  const isFinal = status >= 400 && status < 500 && !TEMPORARY.has(status)
  const outcome = status === 410 ? 'gone' : isFinal ? 'failed' : 'retry'
  const retryAfterSeconds = parseRetryAfter(headers['retry-after'], nowMs)
  return {
    ...answered,
    outcome,
    error: `The receiver answered ${status}.`,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  }
}

export const toResponseText = (text: string): string => toStorable(text.slice(0, RESPONSE_CHARACTERS))

/** Makes the request, and a result of what its client throws. */
export async function toResultOf(
  request: () => Promise<OutboundAnswer>,
  read: (answer: OutboundAnswer) => SendResult,
): Promise<SendResult> {
  try {
    return read(await request())
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { outcome: error.kind === 'failed' ? 'retry' : 'failed', status: null, text: null, error: error.message }
  }
}

/** Seconds, or a date, as RFC 9110 defines. */
function parseRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text.trim())) return Number(text)
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000))
}
