import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { AnnotationQueue, TracerSessionResult as Project } from '@touchstone/sdk'
import {
  AnnotationQueueCalls,
  AnnotationQueueItemCalls,
  clientOf,
  DatasetCalls,
  ProjectCalls,
  RunCalls,
  WorkspaceCalls,
} from '@touchstone/sdk/api'
import { countUnits } from '#features/annotation-queues/count-units.ts'
import { type LastExperiment, toLastExperiment } from '#features/datasets/last-experiment.ts'
import { type Health, worsening } from '#features/projects/projects.ts'
import { connection } from '#lib/api/client.ts'

const client = clientOf(
  connection,
  ProjectCalls,
  AnnotationQueueCalls,
  AnnotationQueueItemCalls,
  DatasetCalls,
  RunCalls,
  WorkspaceCalls,
)

const DAY_MS = 24 * 3_600_000
/** How many projects are compared: those with the latest runs. */
export const MAX_PROJECTS = 100
const EXPERIMENTS = 10
const QUEUES = 50

export interface ProjectHealth {
  id: string
  name: string
  now: Health
  before: Health
}

export interface FirstSteps {
  readonly hasKey: boolean
  readonly hasScore: boolean
  readonly hasDataset: boolean
  readonly hasExperiment: boolean
  /** A dataset for the first experiment. */
  readonly datasetId: string | undefined
}

/** Fields that the cards of traces show. */
const TRACE_FIELDS =
  'id name session_id trace_id start_time end_time status inputs_preview derived_payloads error_preview'.split(' ')
const TRACES = 5

export const homeQuery = {
  all: () => ['home'] as const,

  /** Projects with runs in the last two days, those that got worse first. */
  health: () =>
    queryOptions({
      queryKey: [...homeQuery.all(), 'health'],
      queryFn: async ({ signal }) => {
        const nowMs = Date.now()
        const [today, yesterday] = [toIso(nowMs - DAY_MS), toIso(nowMs - 2 * DAY_MS)]
        const latest = {
          reference_free: true,
          sort_by: 'last_run_start_time',
          sort_by_desc: true,
          limit: MAX_PROJECTS,
          include_stats: true,
        } as const
        const [now, before] = await Promise.all([
          client.queryProjects({ ...latest, stats_start_time: today }, { signal }),
          client.queryProjects(
            { ...latest, stats_start_time: yesterday, stats_filter: `lt(start_time, ${JSON.stringify(today)})` },
            { signal },
          ),
        ])
        const earlier = new Map(before.map((project) => [project.id, toHealth(project)]))
        return now
          .map((project) => ({
            id: project.id,
            name: project.name,
            now: toHealth(project),
            before: earlier.get(project.id) ?? NONE,
          }))
          .filter((project) => project.now.runs + project.before.runs > 0)
          .sort((a, b) => worsening(b.now, b.before) - worsening(a.now, a.before) || b.now.runs - a.now.runs)
      },
      staleTime: 60_000,
      refetchInterval: 60_000,
    }),

  /** The slowest and the latest failed traces of some projects in the last 24 hours. */
  traces: (kind: 'slowest' | 'failed', projectIds: readonly string[]) =>
    queryOptions({
      queryKey: [...homeQuery.all(), kind, projectIds],
      queryFn: async ({ signal }) => {
        const of = kind === 'slowest' ? { sort_by: 'latency' as const } : { error: true }
        const { runs } = await client.queryRuns(
          {
            ...of,
            session: [...projectIds],
            is_root: true,
            start_time: toIso(Date.now() - DAY_MS),
            select: TRACE_FIELDS,
            limit: TRACES,
          },
          { signal },
        )
        return kind === 'slowest' ? runs.filter((run) => run.end_time) : runs
      },
      staleTime: 60_000,
      refetchInterval: 60_000,
      placeholderData: keepPreviousData,
    }),

  /** The latest experiments, with the baselines of their datasets. */
  experiments: () =>
    queryOptions({
      queryKey: [...homeQuery.all(), 'experiments'],
      queryFn: async ({ signal }): Promise<LastExperiment[]> => {
        const experiments = await client.queryProjects(
          { filter: 'neq(reference_dataset_id, null)', sort_by: 'start_time', limit: EXPERIMENTS, include_stats: true },
          { signal },
        )
        const baselines = await readBaselines(experiments, signal)
        return experiments.map((experiment) =>
          toLastExperiment(experiment, baselines.get(experiment.reference_dataset_id ?? '')),
        )
      },
      staleTime: 60_000,
    }),

  /** Annotation queues with items that wait for the caller's review, the longest first. */
  queues: () =>
    queryOptions({
      queryKey: [...homeQuery.all(), 'queues'],
      queryFn: async ({ signal }) => {
        const queues: AnnotationQueue[] = []
        for await (const queue of client.listAnnotationQueues({ limit: QUEUES }, { signal })) queues.push(queue)
        if (queues.length === 0) return []
        const progress = await client.readAnnotationQueueProgress(
          queues.map(({ id }) => id),
          { signal },
        )
        return progress
          .flatMap((found) => {
            const queue = queues.find(({ id }) => id === found.queue_id)
            return queue ? [{ id: queue.id, name: queue.name, open: countUnits(queue, found).needs_my_review }] : []
          })
          .filter(({ open }) => open > 0)
          .sort((a, b) => b.open - a.open)
      },
      staleTime: 60_000,
    }),

  /** Which of the "Get started" steps this workspace has completed. */
  firstSteps: () =>
    queryOptions({
      queryKey: ['first-steps'],
      queryFn: async ({ signal }): Promise<FirstSteps> => {
        const held = await client.readWorkspaceStats({ signal })
        const [hasDataset, hasExperiment] = [held.dataset_count > 0, held.experiment_count > 0]
        const [dataset] = hasDataset && !hasExperiment ? await client.queryDatasets({ limit: 1 }, { signal }) : []
        return {
          hasKey: held.api_key_count > 0,
          hasScore: held.feedback_key_count > 0,
          hasDataset,
          hasExperiment,
          datasetId: dataset?.id,
        }
      },
      meta: { quiet: true },
    }),
}

/** Baselines of the datasets of experiments, by dataset. */
async function readBaselines(experiments: readonly Project[], signal: AbortSignal): Promise<Map<string, Project>> {
  const datasetIds = [...new Set(experiments.flatMap(({ reference_dataset_id: id }) => id ?? []))]
  if (datasetIds.length === 0) return new Map()
  const datasets = await client.queryDatasets({ id: datasetIds, limit: datasetIds.length }, { signal })
  const baselineIds = new Set(datasets.flatMap(({ baseline_experiment_id: id }) => id ?? []))
  const known = experiments.filter(({ id }) => baselineIds.has(id))
  for (const { id } of known) baselineIds.delete(id)
  const id = [...baselineIds]
  const others = id.length > 0 ? await client.queryProjects({ id, limit: id.length }, { signal }) : []
  return new Map([...known, ...others].map((project) => [project.reference_dataset_id ?? '', project]))
}

const NONE: Health = { runs: 0, errorRate: undefined, latencyP99: undefined, cost: undefined }

function toHealth({ run_count, error_rate, latency_p99, total_cost, reported_cost, unpriced_fees }: Project): Health {
  return {
    runs: run_count ?? 0,
    errorRate: error_rate ?? undefined,
    latencyP99: latency_p99 ?? undefined,
    cost: total_cost == null ? undefined : Number(total_cost),
    reportedCost: reported_cost == null ? undefined : Number(reported_cost),
    unpricedFees: unpriced_fees ?? undefined,
  }
}

const toIso = (ms: number) => new Date(ms).toISOString()
