import type { RuleDefinition } from '@touchstone/contract'
import { toFraction } from '@touchstone/formats/sampling'

type Sampling = Pick<RuleDefinition, 'dataset_id' | 'sampling_rate' | 'sampling_seed'>

/**
 * Uniform in [0, 1).
 *
 * @param id  of the trace, so that all its runs are sampled together; of threads their `toThreadTarget`
 */
export const toSampleValue = ({ sampling_seed }: Sampling, id: string): number =>
  toFraction(Buffer.from(sampling_seed + id))

/** Share of what matches that a rule acts on. Runs of experiments are never sampled out. */
export const toRate = ({ dataset_id, sampling_rate }: Sampling): number => (dataset_id == null ? sampling_rate : 1)

export const isSampled = (sampling: Sampling, value: number): boolean => {
  const rate = toRate(sampling)
  return rate >= 1 || value < rate
}
