import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { type Filter, printFilter } from '@touchstone/contract/filter'
import type { RunStats } from '@touchstone/sdk'
import { client } from '#lib/api/client.ts'
import type { PromptKey } from './prompt-key.ts'

/** Runs that name a commit in their metadata. */
export interface CommitUsage {
  readonly runs: number
  readonly errorRate: number | null
  /** US dollars; null when no price is known. */
  readonly cost: number | null
  /** The part of the cost that clients reported, because no price is known. */
  readonly reportedCost: number | null
  /** Calls whose cost is without their fees. */
  readonly unpricedFees: number | null
  readonly lastRun: string | null
  /** Mean score by feedback key. */
  readonly scores: readonly { readonly key: string; readonly mean: number; readonly count: number }[]
}

/** Metadata that loaders and programs put into the runs of a prompt. */
const OWNER_KEY = 'lc_hub_owner'
const REPO_KEY = 'lc_hub_repo'
export const COMMIT_KEY = 'lc_hub_commit_hash'

/** A prompt whose runs are meant. */
export interface UsedPrompt extends PromptKey {
  /** The public handle of the open workspace, by which programs may name its prompts. */
  readonly handle: string | null
}

/** Runs whose metadata has one of the values. */
function whereMetadata(key: string, ...values: string[]): Filter {
  const hasKey: Filter = { op: 'eq', field: 'metadata_key', value: key }
  const [value, ...others] = values
  if (value === undefined) return hasKey
  const hasValue: Filter =
    others.length === 0
      ? { op: 'eq', field: 'metadata_value', value }
      : { op: 'in', field: 'metadata_value', value: values }
  return { op: 'and', args: [hasKey, hasValue] }
}

/** Runs that name a prompt of this owner. Those that name no owner mean the workspace's own prompts. */
function whereOwner({ owner, handle }: Pick<UsedPrompt, 'owner' | 'handle'>): Filter {
  if (owner !== '-') return whereMetadata(OWNER_KEY, owner)
  const namesOwn = whereMetadata(OWNER_KEY, '-', ...(handle === null ? [] : [handle]))
  return { op: 'or', args: [{ op: 'not', args: [whereMetadata(OWNER_KEY)] }, namesOwn] }
}

/** Runs that name a prompt, or one of its commits. */
export function whereUsed(prompt: UsedPrompt, hash?: string): Filter {
  const ofCommit = hash === undefined ? [] : [whereMetadata(COMMIT_KEY, hash)]
  return { op: 'and', args: [whereMetadata(REPO_KEY, prompt.repo), whereOwner(prompt), ...ofCommit] }
}

const FIGURES = [
  'run_count',
  'error_rate',
  'total_cost',
  'reported_cost',
  'unpriced_fees',
  'last_run_start_time',
  'feedback_stats',
]

export const promptUsageQuery = {
  /** Usage of the commits of a prompt, by hash: one request for all of them. */
  byCommit: (prompt: UsedPrompt) =>
    queryOptions({
      queryKey: ['prompt-usage', 'commits', prompt],
      queryFn: async ({ signal }): Promise<ReadonlyMap<string, CommitUsage>> => {
        const filter = printFilter(whereUsed(prompt))
        const group_by = { attribute: 'metadata' as const, path: COMMIT_KEY, max_groups: 1000 }
        const groups = await client.queryRunStats({ filter, group_by, select: FIGURES }, { signal })
        return new Map(Object.entries(groups as Record<string, RunStats>).map(([hash, one]) => [hash, toUsage(one)]))
      },
      staleTime: 30_000,
      meta: { quiet: true },
    }),
  /** Runs of the last 30 days by name of the prompts of the workspace. */
  byPrompt: (handle: string | null) =>
    queryOptions({
      queryKey: ['prompt-usage', 'prompts', handle],
      queryFn: async ({ signal }): Promise<ReadonlyMap<string, number>> => {
        const start_time = new Date(Date.now() - 30 * 24 * 3600 * 1000).toISOString()
        const filter = printFilter({ op: 'and', args: [whereMetadata(REPO_KEY), whereOwner({ owner: '-', handle })] })
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

function toUsage(stats: RunStats): CommitUsage {
  const { run_count, error_rate, total_cost, reported_cost, unpriced_fees, last_run_start_time, feedback_stats } = stats
  return {
    runs: run_count ?? 0,
    errorRate: error_rate ?? null,
    cost: total_cost ?? null,
    reportedCost: reported_cost ?? null,
    unpricedFees: unpriced_fees ?? null,
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
  'reported_cost',
  'unpriced_fees',
  'inputs_preview',
  'derived_payloads',
  'extra',
]

/** Runs of all projects that name a prompt, or one of its commits, newest first. */
export function promptRunsQuery(prompt: UsedPrompt, hash: string | undefined) {
  const filter = printFilter(whereUsed(prompt, hash))
  return infiniteQueryOptions({
    queryKey: ['prompt-usage', 'runs', filter],
    queryFn: ({ pageParam: cursor, signal }) =>
      client.queryRuns({ filter, select: RUN_FIELDS, limit: 50, cursor }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursors }) => cursors?.next ?? undefined,
  })
}
