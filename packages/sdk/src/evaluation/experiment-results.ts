import type { EvaluationResults } from '../resources/feedback.ts'
import type { ExperimentResultRow, RowError } from './types.ts'

/** An experiment that is done. Iterating yields its rows, as often as one likes. */
export class ExperimentResults implements AsyncIterable<ExperimentResultRow> {
  readonly experimentName: string
  readonly experimentId: string
  /** The page that shows it; `undefined` when it could not be told. */
  readonly experimentUrl: string | undefined
  /** In the order of the examples, repetition after repetition. */
  readonly results: ExperimentResultRow[]
  readonly summaryResults: EvaluationResults
  /** What targets and evaluators threw. */
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
