import { TouchstoneError } from '../errors.ts'
import type { EvaluationResults } from '../resources/feedback.ts'
import type { FailedGate } from './fail-if.ts'
import type { ExperimentResultRow, RowError } from './types.ts'

/** Results of a finished experiment. Can be iterated any number of times. */
export class ExperimentResults implements AsyncIterable<ExperimentResultRow> {
  readonly experimentName: string
  readonly experimentId: string
  /** Page of the experiment; `undefined` when the link could not be built. */
  readonly experimentUrl: string | undefined
  /** In the order of the examples, one repetition after the other. */
  readonly results: ExperimentResultRow[]
  readonly summaryResults: EvaluationResults
  /** Errors of targets and evaluators. */
  readonly errors: readonly RowError[]

  constructor(parts: {
    experimentName: string
    experimentId: string
    experimentUrl: string | undefined
    results: ExperimentResultRow[]
    summaryResults: EvaluationResults
    errors: readonly RowError[]
  }) {
    this.experimentName = parts.experimentName
    this.experimentId = parts.experimentId
    this.experimentUrl = parts.experimentUrl
    this.results = parts.results
    this.summaryResults = parts.summaryResults
    this.errors = parts.errors
  }

  get length(): number {
    return this.results.length
  }

  get processedCount(): number {
    return this.results.length
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ExperimentResultRow> {
    yield* this.results
  }
}

/** Everything was recorded, but a `failIf` condition holds, or a target failed and `failOnError` is set. */
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
