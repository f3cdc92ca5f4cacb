import { Client } from '../client.ts'
import { isUuid, uuid7 } from '../ids/uuid.ts'
import { nestRuns } from '../resources/runs.ts'
import type { ComparativeExperiment, Example, KVMap, Run, TracerSession, TracerSessionResult } from '../schemas.ts'
import { appendTo } from './append-to.ts'
import { getEvaluatorName, traceEvaluation } from './evaluator.ts'
import type { ExperimentResults } from './experiment-results.ts'
import { createPools } from './pools.ts'
import { Progress } from './progress.ts'
import { findComparisonUrl, randomHex, readExperiment } from './start-experiment.ts'
import type { Any } from './types.ts'

/** Two or more experiments over one dataset: names, ids or results of `evaluate`. */
export type ComparativeTargetT = readonly string[] | readonly (ExperimentResults | Promise<ExperimentResults>)[]

/** Scores of the runs of one example. */
export interface ComparisonEvaluationResult {
  key: string
  /** Run id → score. Only ids of the given runs are allowed. */
  scores: Record<string, number | boolean | null>
  source_run_id?: string | undefined
  /** One comment for all runs, or one per run id. */
  comment?: string | Record<string, string> | undefined
}

export interface ComparativeEvaluatorArgs {
  /** One or more per experiment, in the order of the experiments unless `randomizeOrder` shuffled them. */
  runs: Run[]
  example: Example
  inputs: Any
  /** Outputs of the runs, in the same order. */
  outputs: Any[]
  referenceOutputs: Any
}

type Answer = ComparisonEvaluationResult | Promise<ComparisonEvaluationResult>
/**
 * A function with one parameter receives the object. A function with two receives `(runs, example)`, so the first
 * parameter has both types.
 */
export type ComparativeEvaluator = {
  evaluator(args: ComparativeEvaluatorArgs & Run[], example: Example): Answer
}['evaluator']

export interface ComparativeEvaluateOptions {
  evaluators: readonly ComparativeEvaluator[]
  /** @default a new client, configured by the environment */
  client?: Client | undefined
  /** @default "A vs. B" */
  experimentPrefix?: string | undefined
  description?: string | undefined
  metadata?: KVMap | undefined
  /** Concurrent evaluator calls; 0 and 1 mean sequential. @default 0 */
  maxConcurrency?: number | undefined
  /** Passes the runs with their child runs. @default false */
  loadNested?: boolean | undefined
  /** Shuffles the runs per evaluator, against judges that favor the first answer. @default false */
  randomizeOrder?: boolean | undefined
  /** Project for the evaluators' own runs. @default "evaluators" */
  evaluatorProject?: string | undefined
  /** `false` prints nothing to standard error. @default true */
  progress?: boolean | undefined
}

export interface ComparisonEvaluationResults {
  experimentName: string
  results: ComparisonEvaluationResult[]
  /** Page that compares the experiments; null when the link could not be built. */
  url: string | null
  comparativeExperiment: ComparativeExperiment
}

/**
 * Lets evaluators compare the outputs of several experiments on the same examples, and records a comparison.
 *
 * @deprecated pass the experiments as the target of `evaluate` instead
 */
export async function evaluateComparative(
  experiments: ComparativeTargetT,
  options: ComparativeEvaluateOptions,
): Promise<ComparisonEvaluationResults> {
  assertComparable(experiments, options)
  const client = options.client ?? new Client()
  const projects = await Promise.all(
    experiments.map(async (experiment) => await readCompleteExperiment(client, await experiment)),
  )
  const datasetId = getSharedDataset(projects)
  const progress = new Progress(options.progress ?? true)
  const { comparison, url } = await startComparison(client, projects, datasetId, options)
  progress.print(`Starting pairwise evaluation of: ${comparison.name}`)
  if (url) progress.print(`View results at: ${url}`)

  const runsByExample = await loadSharedRuns(client, projects, options.loadNested ?? false)
  const examples = await loadExamples(client, datasetId, projects[0]!, [...runsByExample.keys()])
  const pools = createPools({ maxConcurrency: options.maxConcurrency })
  const context: ComparisonContext = { client, comparison, projects, options }
  progress.begin(runsByExample.size)
  const perExample = await Promise.all(
    [...runsByExample].map(async ([id, runs]) => {
      const example = examples.get(id)
      if (!example) throw new Error(`Example ${id} not found.`)
      const compare = (evaluator: ComparativeEvaluator) =>
        pools.evaluation(() => compareRuns(evaluator, runs, example, context))
      const results = await Promise.all(options.evaluators.map(compare))
      progress.advance(false)
      return results
    }),
  )
  progress.end()
  await client.flush()
  return {
    experimentName: comparison.name ?? '',
    results: perExample.flat(),
    url: url ?? null,
    comparativeExperiment: comparison,
  }
}

interface ComparisonContext {
  client: Client
  comparison: ComparativeExperiment
  projects: readonly TracerSession[]
  options: ComparativeEvaluateOptions
}

function assertComparable(
  experiments: ComparativeTargetT,
  { evaluators, maxConcurrency }: ComparativeEvaluateOptions,
): void {
  if (experiments.length < 2) throw new Error('Comparative evaluation requires at least 2 experiments.')
  if (!evaluators?.length) throw new Error('At least one evaluator is required for comparative evaluation.')
  if (maxConcurrency !== undefined && !(maxConcurrency >= 0)) {
    throw new Error('maxConcurrency must be a positive number.')
  }
}

const MAX_WAITS = 10

/** Returns the project of an experiment. Given results, waits until all of their runs are readable. */
async function readCompleteExperiment(
  client: Client,
  experiment: string | ExperimentResults,
): Promise<TracerSessionResult> {
  if (typeof experiment === 'string') return await readExperiment(client, experiment)
  const { experimentName, results } = experiment
  const key = isUuid(experimentName) ? { projectId: experimentName } : { projectName: experimentName }
  for (let attempt = 0; ; attempt++) {
    const project = await client.readProject({ ...key, includeStats: true })
    if (project.run_count === results.length || attempt === MAX_WAITS) return project
    await new Promise((resolve) => setTimeout(resolve, Math.min(100 * 2 ** attempt, 5000)))
  }
}

function getSharedDataset(projects: readonly TracerSession[]): string {
  const datasets = new Set(projects.map(({ reference_dataset_id }) => reference_dataset_id))
  if (datasets.size > 1) throw new Error('All experiments must have the same reference dataset.')
  const [dataset] = datasets
  if (!dataset) throw new Error('Reference dataset is required for comparative evaluation.')
  return dataset
}

async function startComparison(
  client: Client,
  projects: readonly TracerSession[],
  referenceDatasetId: string,
  { experimentPrefix, description, randomizeOrder = false, ...options }: ComparativeEvaluateOptions,
) {
  const experimentIds = projects.map(({ id }) => id)
  const name = `${experimentPrefix ?? projects.map((project) => project.name).join(' vs. ')}-${randomHex(4)}`
  // Readers of the comparison want to know whether the order can have influenced the judge.
  const metadata = { randomize_order: randomizeOrder, ...options.metadata }
  const params = { id: uuid7(), name, experimentIds, description, metadata, referenceDatasetId }
  const comparison = await client.createComparativeExperiment(params)
  return { comparison, url: await findComparisonUrl(client, referenceDatasetId, experimentIds, comparison.id) }
}

/** Root runs by example id, in the order of the experiments. Only examples present in all experiments. */
async function loadSharedRuns(client: Client, projects: readonly TracerSession[], loadNested: boolean) {
  const perProject = await Promise.all(projects.map(({ id }) => loadRootsByExample(client, id, loadNested)))
  const [first, ...others] = perProject
  const shared = [...(first?.keys() ?? [])].filter((id) => others.every((runs) => runs.has(id)))
  if (shared.length === 0) throw new Error('No examples found in common between experiments.')
  return new Map(shared.map((id) => [id, perProject.flatMap((runs) => runs.get(id) ?? [])]))
}

async function loadRootsByExample(client: Client, projectId: string, loadNested: boolean): Promise<Map<string, Run[]>> {
  const roots: Run[] = []
  const below = new Map<string, Run[]>()
  const query = { projectId, order: 'asc' as const, ...(!loadNested && { isRoot: true }) }
  for await (const run of client.listRuns(query)) {
    if (!run.parent_run_id) roots.push(run)
    else appendTo(below, run.trace_id, run)
  }
  const found = new Map<string, Run[]>()
  for (const root of roots) {
    if (!root.reference_example_id) continue
    const run = loadNested ? nestRuns(root, below.get(root.id) ?? []) : root
    appendTo(found, root.reference_example_id, run)
  }
  return found
}

/** Ids per request. More would make the URL too long for some proxies. */
const ID_BATCH = 99

async function loadExamples(client: Client, datasetId: string, experiment: TracerSession, ids: readonly string[]) {
  const version: unknown = experiment.extra?.metadata?.dataset_version
  const asOf = typeof version === 'string' ? { asOf: version } : {}
  const examples = new Map<string, Example>()
  for (let from = 0; from < ids.length; from += ID_BATCH) {
    const exampleIds = ids.slice(from, from + ID_BATCH)
    for await (const example of client.listExamples({ datasetId, exampleIds, ...asOf }))
      examples.set(example.id, example)
  }
  return examples
}

async function compareRuns(
  evaluator: ComparativeEvaluator,
  runsInOrder: readonly Run[],
  example: Example,
  { client, comparison, projects, options }: ComparisonContext,
): Promise<ComparisonEvaluationResult> {
  const runs = options.randomizeOrder ? shuffle(runsInOrder) : [...runsInOrder]
  const outputs = runs.map((run) => run.outputs ?? {})
  const referenceOutputs = example.outputs ?? {}
  const tracedInputs = { inputs: example.inputs, referenceOutputs, outputs, runs: runs.map(({ id }) => id) }
  const context = { client, experiment: projects[0]!, project: options.evaluatorProject ?? 'evaluators' }
  const metadata = { comparative_experiment: comparison.name, comparative_experiment_id: comparison.id }
  const call = evaluator as (...args: unknown[]) => unknown
  const { value, runId } = await traceEvaluation(
    getEvaluatorName(evaluator),
    () =>
      evaluator.length === 1
        ? call({ runs, example, inputs: example.inputs, outputs, referenceOutputs })
        : call(runs, example),
    tracedInputs,
    metadata,
    context,
    example.id,
  )
  const result = { source_run_id: runId, ...(value as ComparisonEvaluationResult) }
  await createScores(client, comparison.id, result, runs)
  return result
}

async function createScores(client: Client, comparisonId: string, result: ComparisonEvaluationResult, runs: Run[]) {
  const byId = new Map(runs.map((run) => [run.id, run]))
  const unknownId = Object.keys(result.scores).find((id) => !byId.has(id))
  if (unknownId !== undefined) throw new Error(`Returning an invalid run id ${unknownId} from evaluator.`)
  const { key, comment, source_run_id } = result
  const feedback = Object.entries(result.scores).map(([runId, score]) => {
    const run = byId.get(runId)
    return {
      runId,
      key,
      score,
      comment: typeof comment === 'string' ? comment : comment?.[runId],
      feedbackSourceType: 'model' as const,
      sourceRunId: source_run_id,
      comparativeExperimentId: comparisonId,
      sessionId: run?.session_id,
      startTime: run?.start_time,
      traceId: run?.trace_id,
    }
  })
  const failure = (await client.createFeedbackBatch(feedback)).find((error) => error !== undefined)
  if (failure) throw failure
}

/** Fisher-Yates shuffle of a copy. */
function shuffle<Item>(items: readonly Item[]): Item[] {
  const copy = [...items]
  for (let last = copy.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1))
    copy.push(...copy.splice(other, 1))
  }
  return copy
}
