import { TouchstoneError } from '../errors.ts'
import type { ExperimentResults } from './experiment-results.ts'
import type { FailedGate } from './fail-if.ts'

/** Everything was recorded, and a condition of `failIf`, or `failOnError`, says that it is not good enough. */
export class ExperimentFailedError extends TouchstoneError {
  override name = 'ExperimentFailedError'
  readonly failures: readonly FailedGate[]
  readonly results: ExperimentResults

  constructor(results: ExperimentResults, failures: readonly FailedGate[]) {
    const because = failures.map(({ message }) => `\n  ${message}`).join('')
    super(`Experiment ${results.experimentName} failed:${because}`)
    this.results = results
    this.failures = failures
  }
}
