import { Client } from '../client.ts'
import { isUuid, uuid7 } from '../ids/uuid.ts'
import { nestRuns } from '../resources/nest-runs.ts'
import type { ComparativeExperiment, Example, KVMap, Run, TracerSession, TracerSessionResult } from '../schemas.ts'
import { nameOfEvaluator, traced } from './evaluator.ts'
import type { ExperimentResults } from './experiment-results.ts'
import { poolsOf } from './pools.ts'
import { Progress } from './progress.ts'
import { randomHex } from './random-name.ts'
import { comparisonUrl, findExperiment } from './start-experiment.ts'
import type { Any } from './types.ts'

/** Two or more experiments over one dataset: names, ids or results of `evaluate`. */
export type ComparativeTargetT = readonly string[] | readonly (ExperimentResults | Promise<ExperimentResults>)[]

/** How the runs of one example compare. */
export interface ComparisonEvaluationResult {
  key: string
  /** Run id → score; no other runs than those given. */
  scores: Record<string, number | boolean | null>
  source_run_id?: string | undefined
  /** For all runs, or by run id. */
  comment?: string | Record<string, string> | undefined
}

export interface ComparativeEvaluatorArgs {
  /** One or more per experiment, in the order of the experiments unless `randomizeOrder` shuffled them. */
  runs: Run[]
  example: Example
  inputs: Any
  /** Of the runs, in their order. */
  outputs: Any[]
  referenceOutputs: Any
}

type Answer = ComparisonEvaluationResult | Promise<ComparisonEvaluationResult>
/** One parameter makes it the object; a function of two gets `(runs, example)`, hence both types of the first. */
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
  /** Evaluators at a time; 0 and 1 are one after the other. @default 0 */
  maxConcurrency?: number | undefined
  /** Gives evaluators the runs with everything below them. @default false */
  loadNested?: boolean | undefined
  /** Shows each evaluator the runs in another order, against judges who favour the first. @default false */
  randomizeOrder?: boolean | undefined
  /** Project of the evaluators' runs. @default "evaluators" */
  evaluatorProject?: string | undefined
  /** `false` keeps standard error free. @default true */
  progress?: boolean | undefined
}

export interface ComparisonEvaluationResults {
  experimentName: string
  results: ComparisonEvaluationResult[]
  /** The page that shows the experiments beside each other; null when it could not be told. */
  url: string | null
  comparativeExperiment: ComparativeExperiment
}

/**
 * Has evaluators compare what several experiments made of the same examples, and records that as a comparison.
 *
 * @deprecated `evaluate` with the experiments as its target does the same
 */
export async function evaluateComparative(
  experiments: ComparativeTargetT,
  options: ComparativeEvaluateOptions,
): Promise<ComparisonEvaluationResults> {
  check(experiments, options)
  const client = options.client ?? new Client()
  const projects = await Promise.all(experiments.map(async (one) => await findComplete(client, await one)))
  const datasetId = sharedDataset(projects)
  const progress = new Progress(options.progress ?? true)
  const { comparison, url } = await startComparison(client, projects, datasetId, options)
  progress.say(`Starting pairwise evaluation of: ${comparison.name}`)
  if (url) progress.say(`View results at: ${url}`)

  const runsByExample = await runsInCommon(client, projects, options.loadNested ?? false)
  const examples = await loadExamples(client, datasetId, projects[0]!, [...runsByExample.keys()])
  const pools = poolsOf({ maxConcurrency: options.maxConcurrency })
  const ground: Ground = { client, comparison, projects, options }
  progress.begin(runsByExample.size)
  const perExample = await Promise.all(
    [...runsByExample].map(async ([id, runs]) => {
      const example = examples.get(id)
      if (!example) throw new Error(`Example ${id} not found.`)
      const compare = (evaluator: ComparativeEvaluator) =>
        pools.evaluation(() => compareRuns(evaluator, runs, example, ground))
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

interface Ground {
  client: Client
  comparison: ComparativeExperiment
  projects: readonly TracerSession[]
  options: ComparativeEvaluateOptions
}

function check(experiments: ComparativeTargetT, { evaluators, maxConcurrency }: ComparativeEvaluateOptions): void {
  if (experiments.length < 2) throw new Error('Comparative evaluation requires at least 2 experiments.')
  if (!evaluators?.length) throw new Error('At least one evaluator is required for comparative evaluation.')
  if (maxConcurrency !== undefined && !(maxConcurrency >= 0)) {
    throw new Error('maxConcurrency must be a positive number.')
  }
}

const MAX_WAITS = 10

/** The project of an experiment; one whose results are known is waited for until its runs can be read. */
async function findComplete(client: Client, experiment: string | ExperimentResults): Promise<TracerSessionResult> {
  if (typeof experiment === 'string') return await findExperiment(client, experiment)
  const { experimentName, results } = experiment
  const key = isUuid(experimentName) ? { projectId: experimentName } : { projectName: experimentName }
  for (let attempt = 0; ; attempt++) {
    const project = await client.readProject({ ...key, includeStats: true })
    if (project.run_count === results.length || attempt === MAX_WAITS) return project
    await new Promise((resolve) => setTimeout(resolve, Math.min(100 * 2 ** attempt, 5000)))
  }
}

function sharedDataset(projects: readonly TracerSession[]): string {
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
  { experimentPrefix, description, metadata }: ComparativeEvaluateOptions,
) {
  const experimentIds = projects.map(({ id }) => id)
  const name = `${experimentPrefix ?? projects.map((project) => project.name).join(' vs. ')}-${randomHex(4)}`
  const params = { id: uuid7(), name, experimentIds, description, metadata, referenceDatasetId }
  const comparison = await client.createComparativeExperiment(params)
  return { comparison, url: await comparisonUrl(client, referenceDatasetId, experimentIds, comparison.id) }
}

/** Root runs by example, in the order of the experiments; only of examples that all of them have. */
async function runsInCommon(client: Client, projects: readonly TracerSession[], loadNested: boolean) {
  const perProject = await Promise.all(projects.map(({ id }) => rootsByExample(client, id, loadNested)))
  const [first, ...others] = perProject
  const shared = [...first!.keys()].filter((id) => others.every((runs) => runs.has(id)))
  if (shared.length === 0) throw new Error('No examples found in common between experiments.')
  return new Map(shared.map((id) => [id, perProject.flatMap((runs) => runs.get(id)!)]))
}

async function rootsByExample(client: Client, projectId: string, loadNested: boolean): Promise<Map<string, Run[]>> {
  const roots: Run[] = []
  const below = new Map<string, Run[]>()
  const query = { projectId, order: 'asc' as const, ...(!loadNested && { isRoot: true }) }
  for await (const run of client.listRuns(query)) {
    if (!run.parent_run_id) roots.push(run)
    else below.set(run.trace_id, [...(below.get(run.trace_id) ?? []), run])
  }
  const found = new Map<string, Run[]>()
  for (const root of roots) {
    if (!root.reference_example_id) continue
    const run = loadNested ? nestRuns(root, below.get(root.id) ?? []) : root
    found.set(root.reference_example_id, [...(found.get(root.reference_example_id) ?? []), run])
  }
  return found
}

/** Ids per request; more would make the address too long for some proxies. */
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
  inOrder: readonly Run[],
  example: Example,
  { client, comparison, projects, options }: Ground,
): Promise<ComparisonEvaluationResult> {
  const runs = options.randomizeOrder ? shuffled(inOrder) : [...inOrder]
  const outputs = runs.map((run) => run.outputs ?? {})
  const referenceOutputs = example.outputs ?? {}
  const shown = { inputs: example.inputs, referenceOutputs, outputs, runs: runs.map(({ id }) => id) }
  const bench = { client, experiment: projects[0]!, project: options.evaluatorProject ?? 'evaluators' }
  const metadata = { comparative_experiment: comparison.name, comparative_experiment_id: comparison.id }
  const ask = evaluator as (...args: unknown[]) => unknown
  const { value, runId } = await traced(
    nameOfEvaluator(evaluator),
    () =>
      evaluator.length === 1
        ? ask({ runs, example, inputs: example.inputs, outputs, referenceOutputs })
        : ask(runs, example),
    shown,
    metadata,
    bench,
    example.id,
  )
  const result = { source_run_id: runId, ...(value as ComparisonEvaluationResult) }
  await giveScores(client, comparison.id, result, runs)
  return result
}

async function giveScores(client: Client, comparisonId: string, result: ComparisonEvaluationResult, runs: Run[]) {
  const byId = new Map(runs.map((run) => [run.id, run]))
  const stranger = Object.keys(result.scores).find((id) => !byId.has(id))
  if (stranger !== undefined) throw new Error(`Returning an invalid run id ${stranger} from evaluator.`)
  const { key, comment, source_run_id } = result
  const feedback = Object.entries(result.scores).map(([runId, score]) => {
    const run = byId.get(runId)!
    return {
      runId,
      key,
      score,
      comment: typeof comment === 'string' ? comment : comment?.[runId],
      feedbackSourceType: 'model' as const,
      sourceRunId: source_run_id,
      comparativeExperimentId: comparisonId,
      sessionId: run.session_id,
      startTime: run.start_time,
      traceId: run.trace_id,
    }
  })
  const failure = (await client.createFeedbackBatch(feedback)).find((error) => error !== undefined)
  if (failure) throw failure
}

/** Fisher and Yates; the runs themselves stay in order. */
function shuffled<Item>(items: readonly Item[]): Item[] {
  const copy = [...items]
  for (let last = copy.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1))
    ;[copy[last], copy[other]] = [copy[other]!, copy[last]!]
  }
  return copy
}
