import { queryOptions } from '@tanstack/react-query'
import type { TracerSessionResult as Project } from '@touchstone/sdk'
import { AnnotationQueueCalls, clientOf, ProjectCalls } from '@touchstone/sdk/api'
import { type Health, worsening } from '#lib/projects/health.ts'
import { connection } from './client.ts'

const client = clientOf(connection, ProjectCalls, AnnotationQueueCalls)

const DAY_MS = 24 * 3_600_000
/** Projects that are compared: those heard of last. */
export const MOST_PROJECTS = 100
const EXPERIMENTS = 10
const QUEUES = 50

export interface ProjectHealth {
  id: string
  name: string
  now: Health
  before: Health
}

export const homeQuery = {
  /** The projects that ran in the last two days, the one that got worse most first. */
  health: () =>
    queryOptions({
      queryKey: ['home', 'health'],
      queryFn: async ({ signal }) => {
        const nowMs = Date.now()
        const [today, yesterday] = [isoOf(nowMs - DAY_MS), isoOf(nowMs - 2 * DAY_MS)]
        const latest = {
          reference_free: true,
          sort_by: 'last_run_start_time',
          sort_by_desc: true,
          limit: MOST_PROJECTS,
          include_stats: true,
        } as const
        const [now, before] = await Promise.all([
          client.queryProjects({ ...latest, stats_start_time: today }, { signal }),
          client.queryProjects(
            { ...latest, stats_start_time: yesterday, stats_filter: `lt(start_time, ${JSON.stringify(today)})` },
            { signal },
          ),
        ])
        const earlier = new Map(before.map((project) => [project.id, healthOf(project)]))
        return now
          .map((project) => ({
            id: project.id,
            name: project.name,
            now: healthOf(project),
            before: earlier.get(project.id) ?? NONE,
          }))
          .filter((project) => project.now.runs + project.before.runs > 0)
          .sort((a, b) => worsening(b.now, b.before) - worsening(a.now, a.before) || b.now.runs - a.now.runs)
      },
      staleTime: 60_000,
    }),

  /** The experiments that were begun last. */
  experiments: () =>
    queryOptions({
      queryKey: ['home', 'experiments'],
      queryFn: ({ signal }) =>
        client.queryProjects(
          { filter: 'neq(reference_dataset_id, null)', sort_by: 'start_time', limit: EXPERIMENTS, include_stats: true },
          { signal },
        ),
      staleTime: 60_000,
    }),

  /** Annotation queues with items that nobody has completed. */
  queues: () =>
    queryOptions({
      queryKey: ['home', 'queues'],
      queryFn: async ({ signal }) => {
        const found: { id: string; name: string; open: number }[] = []
        for await (const { id, name, total_runs } of client.listAnnotationQueues({ limit: QUEUES }, { signal })) {
          if (total_runs) found.push({ id, name, open: total_runs })
        }
        return found.sort((a, b) => b.open - a.open)
      },
      staleTime: 60_000,
    }),
}

const NONE: Health = { runs: 0, errorRate: undefined, latencyP99: undefined, cost: undefined }

function healthOf({ run_count, error_rate, latency_p99, total_cost }: Project): Health {
  return {
    runs: run_count ?? 0,
    errorRate: error_rate ?? undefined,
    latencyP99: latency_p99 ?? undefined,
    cost: total_cost == null ? undefined : Number(total_cost),
  }
}

const isoOf = (ms: number) => new Date(ms).toISOString()
