import { Client } from '../client.ts'
import { numberAnonymous } from './evaluator.ts'
import { parseFailIf } from './fail-if.ts'
import type { EvaluateOptions, Plan } from './types.ts'

/** The options with their defaults. @throws for what cannot work, before anything is sent */
export function planOf(options: EvaluateOptions): Plan {
  const { numRepetitions = 1, resume = false, experiment } = options
  if (!Number.isInteger(numRepetitions) || numRepetitions < 1) {
    throw new Error('numRepetitions must be a whole number of at least 1.')
  }
  if (resume && experiment === undefined)
    throw new Error('To resume, name the experiment: { experiment, resume: true }.')
  const { uploadRuns = true } = options
  if (uploadRuns === false && (experiment !== undefined || options.failIf !== undefined)) {
    throw new Error('uploadRuns: false makes no experiment, so it works neither with experiment nor with failIf.')
  }
  numberAnonymous([...(options.evaluators ?? []), ...(options.summaryEvaluators ?? [])])
  return {
    ...options,
    client: options.client ?? new Client(),
    conditions: [options.failIf ?? []].flat().map(parseFailIf),
    numRepetitions,
    evaluators: options.evaluators ?? [],
    summaryEvaluators: options.summaryEvaluators ?? [],
    uploadRuns,
    evaluatorProject: options.evaluatorProject ?? 'evaluators',
  }
}
