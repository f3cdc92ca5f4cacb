import type { Client } from '../client.ts'
import { isUuid, uuid7 } from '../ids/uuid.ts'
import type { Example, KVMap, Run, TracerSession } from '../schemas.ts'
import { getEvaluatorKeys, getEvaluatorName } from './evaluator.ts'
import { collectExperimentMetadata } from './experiment-metadata.ts'
import { needsBaseline } from './fail-if.ts'
import { type FinishedRun, findFinishedRuns } from './resume.ts'
import { findComparisonUrl, randomHex, randomName, readExperiment, startExperiment } from './start-experiment.ts'
import type { DataT, Plan } from './types.ts'

/** One row to complete. */
export interface Task {
  example: Example
  /** Present when the target need not run. */
  finished: FinishedRun | undefined
}

/** An experiment that is ready to run. */
export interface OpenExperiment {
  experiment: TracerSession
  datasetId: string
  url: string | undefined
  /** Metadata of the experiment after it has finished. */
  metadata: KVMap
  /** Experiment to compare with, when a condition needs one. */
  baseline: TracerSession | undefined
  tasks: Task[]
}

/** Loads the examples, creates the experiment or finds the one to extend, and lists the rows to complete. */
export async function openExperiment(plan: Plan): Promise<OpenExperiment> {
  const { client, numRepetitions } = plan
  const existing = plan.experiment === undefined ? undefined : await readExperiment(client, plan.experiment)
  const examples = await loadExamples(client, plan.data, existing, plan.includeAttachments)
  const metadata = {
    ...existing?.extra?.metadata,
    ...(await collectExperimentMetadata(plan.metadata, examples, numRepetitions)),
  }
  const datasetId = existing?.reference_dataset_id ?? getDatasetId(examples)
  if (plan.uploadRuns === false) {
    const tasks = toTasks(examples, numRepetitions, new Map())
    return {
      experiment: createLocalExperiment(plan, datasetId),
      datasetId,
      url: undefined,
      metadata,
      baseline: undefined,
      tasks,
    }
  }
  // Fails before anything is created that would need a cleanup.
  const baseline = await findBaseline(plan, datasetId)
  const experiment = existing ?? (await createExperiment(plan, metadata, examples.length, datasetId))
  const finished = plan.resume ? await findFinishedRuns(client, experiment) : new Map<string, FinishedRun[]>()
  const url = await findComparisonUrl(client, datasetId, [experiment.id])
  return { experiment, datasetId, url, metadata, baseline, tasks: toTasks(examples, numRepetitions, finished) }
}

/** Opens the experiment of existing runs: the named one, or else the experiment of the first run. */
export async function openExistingRuns(plan: Plan, target: AsyncIterable<Run>): Promise<OpenExperiment> {
  const { client } = plan
  const runs: Run[] = []
  for await (const run of target) runs.push(run)
  const projectId = runs[0]?.session_id
  if (!projectId) throw new Error('Experiment ID not found for provided runs.')
  const experiment = await readExperiment(client, plan.experiment ?? projectId)
  const examples = await loadExamples(client, plan.data, experiment, plan.includeAttachments)
  const datasetId = experiment.reference_dataset_id ?? getDatasetId(examples)
  const byId = new Map(examples.map((example) => [example.id, example]))
  const tasks = runs.flatMap((run) => {
    const example = byId.get(run.reference_example_id ?? '')
    return example ? [{ example, finished: { run, results: [], evaluatorNames: new Set<string>() } }] : []
  })
  if (tasks.length === 0) throw new Error('None of the provided runs belongs to one of the examples.')
  const baseline = await findBaseline(plan, datasetId)
  const url = await findComparisonUrl(client, datasetId, [experiment.id])
  const metadata = { ...experiment.extra?.metadata, ...plan.metadata }
  return { experiment, datasetId, url, metadata, baseline, tasks }
}

/** An experiment that exists only in this process. */
function createLocalExperiment(plan: Plan, datasetId: string): TracerSession {
  return {
    id: uuid7(),
    tenant_id: '',
    name: chooseName(plan),
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

function chooseName({ experimentPrefix: prefix }: Plan): string {
  return prefix ? `${prefix}-${randomHex(8)}` : randomName()
}

async function createExperiment(
  plan: Plan,
  metadata: KVMap,
  numExamples: number,
  datasetId: string,
): Promise<TracerSession> {
  const { client, description, numRepetitions, evaluators, summaryEvaluators } = plan
  return await startExperiment(client, {
    projectName: chooseName(plan),
    description: description ?? null,
    metadata,
    referenceDatasetId: datasetId,
    numExamples,
    numRepetitions,
    evaluatorKeys: [...evaluators.flatMap(getEvaluatorKeys), ...summaryEvaluators.map(getEvaluatorName)],
  })
}

/** All examples once per repetition. The n-th repetition of an example reuses its n-th finished run. */
function toTasks(examples: readonly Example[], numRepetitions: number, finished: Map<string, FinishedRun[]>): Task[] {
  return Array.from({ length: numRepetitions }, (_, repetition) =>
    examples.map((example) => ({ example, finished: finished.get(example.id)?.[repetition] })),
  ).flat()
}

/**
 * Loads the examples in order.
 *
 * @throws Error when there are no examples, or neither `data` nor the experiment names a dataset
 */
async function loadExamples(
  client: Client,
  data: DataT | undefined,
  experiment: TracerSession | undefined,
  includeAttachments = false,
): Promise<Example[]> {
  const examples: Example[] = []
  for await (const example of selectSource(client, data, experiment, includeAttachments)) examples.push(example)
  if (examples.length === 0) throw new Error('No examples found in the dataset.')
  return examples
}

function getDatasetId([example]: readonly Example[]): string {
  if (!example) throw new Error('No examples found in the dataset.')
  return example.dataset_id
}

function selectSource(
  client: Client,
  data: DataT | undefined,
  experiment: TracerSession | undefined,
  includeAttachments: boolean,
): Iterable<Example> | AsyncIterable<Example> {
  if (data !== undefined && typeof data !== 'string') return data
  const datasetId = isUuid(data) ? data : data === undefined ? experiment?.reference_dataset_id : undefined
  if (datasetId) return client.listExamples({ datasetId, includeAttachments })
  if (data === undefined) throw new Error('Data not provided in this experiment.')
  return client.listExamples({ datasetName: data, includeAttachments })
}

/**
 * Returns the experiment to compare with when a condition needs one: the `baseline` option, or else the dataset's
 * baseline.
 *
 * @throws Error when there is none, before anything is created
 */
async function findBaseline(plan: Plan, datasetId: string): Promise<TracerSession | undefined> {
  if (!needsBaseline(plan.conditions)) return undefined
  if (plan.baseline !== undefined) return await readExperiment(plan.client, plan.baseline)
  const { baseline_experiment_id } = await plan.client.readDataset({ datasetId })
  if (baseline_experiment_id) return await readExperiment(plan.client, baseline_experiment_id)
  throw new Error('failIf compares with a baseline, and neither the option `baseline` nor the dataset names one.')
}
