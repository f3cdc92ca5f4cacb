import type { ClientConfig } from './client-config.ts'
import { env } from './env.ts'

/** Reads the share of traces to record from the options or the environment. @throws when it is not between 0 and 1 */
export function samplingRateOf(config: ClientConfig): number | undefined {
  const text = env('TRACING_SAMPLING_RATE')
  return assertSamplingRate(config.tracingSamplingRate ?? (text === undefined ? undefined : Number(text)))
}

/** @throws Error when the rate is not between 0 and 1 */
function assertSamplingRate(rate: number | undefined): number | undefined {
  if (rate === undefined || (rate >= 0 && rate <= 1)) return rate
  throw new Error(`LANGSMITH_TRACING_SAMPLING_RATE must be between 0 and 1 if set. Got: ${rate}`)
}
