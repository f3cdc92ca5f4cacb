import { uuid7 } from '../ids/uuid.ts'
import type { Example, KVMap, Run, TracerSession } from '../schemas.ts'
import { keysOfEvaluator, nameOfEvaluator } from './evaluator.ts'
import { experimentMetadata } from './experiment-metadata.ts'
import { findBaseline } from './gate.ts'
import { loadExamples } from './load-examples.ts'

import { randomHex, randomName } from './random-name.ts'
import { type FinishedRun, findFinishedRuns } from './resume.ts'
import { comparisonUrl, findExperiment, startExperiment } from './start-experiment.ts'
import type { Plan } from './types.ts'

/** One row that is to be completed. */
export interface Task {
  example: Example
  /** Present when the target need not run. */
  finished: FinishedRun | undefined
}

/** An experiment that can begin. */
export interface OpenExperiment {
  experiment: TracerSession
  datasetId: string
  url: string | undefined
  /** Of the experiment when it is done. */
  metadata: KVMap
  /** To compare with, where a condition asks for one. */
  baseline: TracerSession | undefined
  tasks: Task[]
}

/** Loads the examples, makes the experiment or finds the one to add to, and says what there is to do. */
export async function openExperiment(plan: Plan): Promise<OpenExperiment> {
  const { client, numRepetitions } = plan
  const known = plan.experiment === undefined ? undefined : await findExperiment(client, plan.experiment)
  const examples = await loadExamples(client, plan.data, known, plan.includeAttachments)
  const metadata = { ...known?.extra?.metadata, ...(await experimentMetadata(plan.metadata, examples, numRepetitions)) }
  const datasetId = known?.reference_dataset_id ?? examples[0]!.dataset_id
  if (plan.uploadRuns === false) {
    const tasks = tasksOf(examples, numRepetitions, new Map())
    return {
      experiment: localExperiment(plan, datasetId),
      datasetId,
      url: undefined,
      metadata,
      baseline: undefined,
      tasks,
    }
  }
  // Before there is anything to clean up.
  const baseline = await findBaseline(plan, datasetId)
  const experiment = known ?? (await start(plan, metadata, examples.length, datasetId))
  const finished = plan.resume ? await findFinishedRuns(client, experiment) : new Map<string, FinishedRun[]>()
  const url = await comparisonUrl(client, datasetId, [experiment.id])
  return { experiment, datasetId, url, metadata, baseline, tasks: tasksOf(examples, numRepetitions, finished) }
}

/** The same for runs that exist: their experiment is that of the first, unless one is named. */
export async function openExistingRuns(plan: Plan, target: AsyncIterable<Run>): Promise<OpenExperiment> {
  const { client } = plan
  const runs: Run[] = []
  for await (const run of target) runs.push(run)
  const projectId = runs[0]?.session_id
  if (!projectId) throw new Error('Experiment ID not found for provided runs.')
  const experiment = await findExperiment(client, plan.experiment ?? projectId)
  const examples = await loadExamples(client, plan.data, experiment, plan.includeAttachments)
  const datasetId = experiment.reference_dataset_id ?? examples[0]!.dataset_id
  const byId = new Map(examples.map((example) => [example.id, example]))
  const tasks = runs.flatMap((run) => {
    const example = byId.get(run.reference_example_id ?? '')
    return example ? [{ example, finished: { run, results: [], judges: new Set<string>() } }] : []
  })
  if (tasks.length === 0) throw new Error('None of the provided runs belongs to one of the examples.')
  const baseline = await findBaseline(plan, datasetId)
  const url = await comparisonUrl(client, datasetId, [experiment.id])
  const metadata = { ...experiment.extra?.metadata, ...plan.metadata }
  return { experiment, datasetId, url, metadata, baseline, tasks }
}

/** Stands for an experiment of which the server knows nothing. */
function localExperiment(plan: Plan, datasetId: string): TracerSession {
  return {
    id: uuid7(),
    tenant_id: '',
    name: experimentName(plan),
    description: plan.description ?? null,
    start_time: new Date().toISOString(),
    end_time: null,
    extra: null,
    reference_dataset_id: datasetId,
    default_dataset_id: null,
    trace_tier: null,
    last_run_start_time_live: null,
  }
}

function experimentName({ experimentPrefix: prefix }: Plan): string {
  return prefix ? `${prefix}-${randomHex(8)}` : randomName()
}

async function start(plan: Plan, metadata: KVMap, numExamples: number, datasetId: string): Promise<TracerSession> {
  const { client, description, numRepetitions, evaluators, summaryEvaluators } = plan
  return await startExperiment(client, {
    projectName: experimentName(plan),
    description: description ?? null,
    metadata,
    referenceDatasetId: datasetId,
    numExamples,
    numRepetitions,
    evaluatorKeys: [...evaluators.flatMap(keysOfEvaluator), ...summaryEvaluators.map(nameOfEvaluator)],
  })
}

/** The whole list again and again; the n-th time an example comes, its n-th finished run stands for it. */
function tasksOf(examples: readonly Example[], numRepetitions: number, finished: Map<string, FinishedRun[]>): Task[] {
  return Array.from({ length: numRepetitions }, (_, repetition) =>
    examples.map((example) => ({ example, finished: finished.get(example.id)?.[repetition] })),
  ).flat()
}
