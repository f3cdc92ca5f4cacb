import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { type Filter, printFilter } from '@touchstone/contract/filter'
import type { RunStats } from '@touchstone/sdk'
import { client } from './client.ts'

/** Runs that name a commit in their metadata. */
export interface CommitUsage {
  readonly runs: number
  readonly errorRate: number | null
  /** US dollars; null when no price is known. */
  readonly cost: number | null
  readonly lastRun: string | null
  /** Mean score by feedback key. */
  readonly scores: readonly { readonly key: string; readonly mean: number; readonly count: number }[]
}

/** Metadata that loaders and programs put into the runs of a prompt. */
export const REPO_KEY = 'lc_hub_repo'
export const COMMIT_KEY = 'lc_hub_commit_hash'

/** Runs whose metadata has the value. */
export function whereMetadata(key: string, value?: string): Filter {
  const hasKey: Filter = { op: 'eq', field: 'metadata_key', value: key }
  return value === undefined ? hasKey : { op: 'and', args: [hasKey, { op: 'eq', field: 'metadata_value', value }] }
}

const FIGURES = ['run_count', 'error_rate', 'total_cost', 'last_run_start_time', 'feedback_stats']

export const promptUsageQuery = {
  /** Usage of the commits of a prompt, by hash: one request for all of them. */
  byCommit: (repo: string) =>
    queryOptions({
      queryKey: ['prompt-usage', 'commits', repo],
      queryFn: async ({ signal }): Promise<ReadonlyMap<string, CommitUsage>> => {
        const filter = printFilter(whereMetadata(REPO_KEY, repo))
        const group_by = { attribute: 'metadata' as const, path: COMMIT_KEY, max_groups: 1000 }
        const groups = await client.queryRunStats({ filter, group_by, select: FIGURES }, { signal })
        return new Map(Object.entries(groups as Record<string, RunStats>).map(([hash, one]) => [hash, toUsage(one)]))
      },
      staleTime: 30_000,
      meta: { quiet: true },
    }),
  /** Runs of the last 30 days by name of the prompt. */
  byPrompt: () =>
    queryOptions({
      queryKey: ['prompt-usage', 'prompts'],
      queryFn: async ({ signal }): Promise<ReadonlyMap<string, number>> => {
        const start_time = new Date(Date.now() - 30 * 24 * 3600 * 1000).toISOString()
        const filter = printFilter(whereMetadata(REPO_KEY))
        const group_by = { attribute: 'metadata' as const, path: REPO_KEY, max_groups: 1000 }
        const groups = await client.queryRunStats({ filter, start_time, group_by, select: ['run_count'] }, { signal })
        return new Map(
          Object.entries(groups as Record<string, RunStats>).map(([repo, one]) => [repo, one.run_count ?? 0]),
        )
      },
      staleTime: 60_000,
      meta: { quiet: true },
    }),
}

function toUsage({ run_count, error_rate, total_cost, last_run_start_time, feedback_stats }: RunStats): CommitUsage {
  return {
    runs: run_count ?? 0,
    errorRate: error_rate ?? null,
    cost: total_cost ?? null,
    lastRun: last_run_start_time ?? null,
    scores: Object.entries(feedback_stats ?? {}).flatMap(([key, { avg, n }]) =>
      typeof avg === 'number' ? [{ key, mean: avg, count: n ?? 0 }] : [],
    ),
  }
}

const RUN_FIELDS = [
  'id',
  'name',
  'status',
  'start_time',
  'end_time',
  'session_id',
  'total_tokens',
  'total_cost',
  'inputs_preview',
  'extra',
]

/** Runs of all projects that name a prompt, or one of its commits, newest first. */
export function promptRunsQuery(repo: string, hash: string | undefined) {
  const filter = printFilter(hash === undefined ? whereMetadata(REPO_KEY, repo) : whereMetadata(COMMIT_KEY, hash))
  return infiniteQueryOptions({
    queryKey: ['prompt-usage', 'runs', filter],
    queryFn: ({ pageParam: cursor, signal }) =>
      client.queryRuns({ filter, select: RUN_FIELDS, limit: 50, cursor }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursors }) => cursors?.next ?? undefined,
  })
}
