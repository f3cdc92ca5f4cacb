import type { TracerSession } from '../schemas.ts'
import { type FailedGate, findFailures, type GateFigures, needsBaseline } from './fail-if.ts'
import { gateFiguresOf } from './gate-figures.ts'
import type { OpenExperiment } from './open-experiment.ts'
import { findExperiment } from './start-experiment.ts'
import type { Plan, RowError } from './types.ts'

/**
 * The experiment to compare with, when a condition asks for one: the one named, else the dataset's baseline.
 *
 * @throws when there is none, before anything is made
 */
export async function findBaseline(plan: Plan, datasetId: string): Promise<TracerSession | undefined> {
  if (!needsBaseline(plan.conditions)) return undefined
  if (plan.baseline !== undefined) return await findExperiment(plan.client, plan.baseline)
  const { baseline_experiment_id } = await plan.client.readDataset({ datasetId })
  if (baseline_experiment_id) return await findExperiment(plan.client, baseline_experiment_id)
  throw new Error('failIf compares with a baseline, and neither the option `baseline` nor the dataset names one.')
}

/** The reasons why the experiment is not good enough. Figures are those of the server, which everybody else sees. */
export async function checkGate(
  plan: Plan,
  { experiment, datasetId, tasks, baseline }: OpenExperiment,
  errors: readonly RowError[],
): Promise<FailedGate[]> {
  const failures = plan.failOnError ? targetFailures(errors, tasks.length) : []
  if (plan.conditions.length === 0) return failures
  const { client, conditions } = plan
  const stored = await client.readProject({ projectId: experiment.id, includeStats: true })
  const compared =
    baseline &&
    (await client.compareExperiments({ datasetId, baselineId: baseline.id, experimentIds: [experiment.id] }))
  const figures = withErrors(gateFiguresOf(stored, compared?.results), errors)
  return [...failures, ...findFailures(conditions, figures)]
}

function targetFailures(errors: readonly RowError[], rows: number): FailedGate[] {
  const failed = errors.filter(({ evaluator }) => evaluator === undefined).length
  if (failed === 0) return []
  return [{ condition: 'failOnError', actual: failed, message: `the target failed on ${failed} of ${rows} rows` }]
}

/** An evaluator that failed leaves no feedback; its name stands for the key it would have given. */
function withErrors({ experiment, feedback }: GateFigures, errors: readonly RowError[]): GateFigures {
  const all = { ...feedback }
  for (const { evaluator } of errors) {
    if (evaluator !== undefined) all[evaluator] = { ...all[evaluator], errors: Number(all[evaluator]?.errors ?? 0) + 1 }
  }
  return { experiment, feedback: all }
}
