import type { ModelJobRow } from '../../../storage/relational/tables/model-jobs.ts'

/** What lists show of a job that judges, as stored with it. */
export interface JudgingSummary {
  readonly evaluator_id: string
  readonly evaluator_name: string
  readonly version: number
  readonly again: boolean
  readonly concurrency: number
  /** The runs of the job are those of the first experiment, then those of the next. */
  readonly experiments: readonly {
    readonly experiment_id: string
    readonly experiment_name: string
    readonly runs: number
  }[]
}

export const readJudgingSummary = ({ summary }: Pick<ModelJobRow, 'summary'>) => JSON.parse(summary) as JudgingSummary

/** Position of the experiment to which the run of a number belongs. */
export function toExperiment(number: number, { experiments }: Pick<JudgingSummary, 'experiments'>): number {
  let end = 0
  return experiments.findIndex(({ runs }) => {
    end += runs
    return number < end
  })
}
