import { assertSamplingRate } from '../tracing/sampling.ts'
import type { ClientConfig } from './client-config.ts'
import { env } from './env.ts'

/** The share of traces that the options or the environment ask for. @throws when it is not between 0 and 1 */
export function samplingRateOf(config: ClientConfig): number | undefined {
  const text = env('TRACING_SAMPLING_RATE')
  return assertSamplingRate(config.tracingSamplingRate ?? (text === undefined ? undefined : Number(text)))
}
