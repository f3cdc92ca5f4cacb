import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { ComparativeExperiment, Feedback, KeyComparison } from '@touchstone/sdk'
import { ComparativeExperimentCalls, clientOf, ExperimentCalls, FeedbackCalls } from '@touchstone/sdk/api'
import { openDatasetLink } from '#features/datasets/sharing/public-datasets.ts'
import { connection } from '#lib/api/client.ts'
import { queryKeys } from '#lib/api/query-client.ts'
import { toSideScores, type Vote } from './pair-votes.ts'

const client = clientOf(connection, ComparativeExperimentCalls, ExperimentCalls, FeedbackCalls)

/** The client of the workspace, or that of a share link. */
function reader(share: string | undefined) {
  return share === undefined ? client : openDatasetLink(share)
}

const PAGE_SIZE = 100
/** Pages of feedback that are read at the same time. */
const PAGES_AT_ONCE = 4

/** The two sides of a comparison by the ids of their experiments. */
export interface PairView {
  readonly datasetId: string
  readonly comparisonId: string
  readonly a: string
  readonly b: string
  /** Token of the share link to read through, without credentials. */
  readonly share?: string | undefined
}

export const pairwiseQuery = {
  all: () => [...queryKeys.datasets(), 'pairwise'] as const,
  /** All comparisons over a dataset, newest first. @param share  token of the share link to read through */
  list: (datasetId: string, share?: string) =>
    queryOptions({
      queryKey: [...pairwiseQuery.all(), datasetId, 'list', share],
      queryFn: async ({ signal }): Promise<ComparativeExperiment[]> => {
        const found: ComparativeExperiment[] = []
        for await (const one of reader(share).listComparativeExperiments({ datasetId }, { signal })) found.push(one)
        return found
      },
    }),
  /** One comparison; null if it does not exist. */
  one: (datasetId: string, comparisonId: string, share?: string) =>
    queryOptions({
      queryKey: [...pairwiseQuery.all(), datasetId, 'one', comparisonId, share],
      queryFn: async ({ signal }): Promise<ComparativeExperiment | null> => {
        const found = reader(share).listComparativeExperiments({ datasetId, ids: [comparisonId] }, { signal })
        for await (const one of found) return one
        return null
      },
    }),
  /** All feedback of a comparison: the scores of judges and people on the runs of both sides, newest first. */
  records: (comparisonId: string, share?: string) =>
    queryOptions({
      queryKey: [...pairwiseQuery.all(), 'records', comparisonId, share],
      queryFn: async ({ signal }): Promise<Feedback[]> => {
        const link = reader(share)
        const records: Feedback[] = []
        for (;;) {
          const pages = await Promise.all(
            Array.from({ length: PAGES_AT_ONCE }, (_, at) => {
              const offset = records.length + at * PAGE_SIZE
              const query = { comparative_experiment_id: comparisonId, limit: PAGE_SIZE, offset }
              return link.queryFeedback(query, { signal })
            }),
          )
          for (const page of pages) records.push(...page)
          if (pages.some((page) => page.length < PAGE_SIZE)) return records
        }
      },
      structuralSharing: false,
      staleTime: 30_000,
    }),
  /** B compared with A, by feedback key. */
  statistics: ({ datasetId, comparisonId, a, b, share }: PairView) =>
    queryOptions({
      queryKey: [...pairwiseQuery.all(), datasetId, 'statistics', comparisonId, a, b, share],
      queryFn: async ({ signal }): Promise<ReadonlyMap<string, KeyComparison>> => {
        const sides = { datasetId, baselineId: a, experimentIds: [b], comparativeExperimentId: comparisonId }
        const { results } = await reader(share).compareExperiments(sides, { signal })
        return new Map(results.map((result) => [result.feedback_key, result]))
      },
      structuralSharing: false,
    }),
}

/** A vote of a person on a pair. */
export interface PairVoteInput {
  readonly key: string
  readonly vote: Vote
  /** Whether B was shown at the left. */
  readonly swapped: boolean
  readonly runA: string
  readonly runB: string
}

export const pairwiseMutation = {
  /** Stores a vote as one record on each run. A vote of the same person on the same pair replaces the one before. */
  vote: (queryClient: QueryClient, { comparisonId, a, b }: PairView, authorId: string | null) => ({
    // One vote after the other: a second one on a pair replaces the records of the first.
    scope: { id: `votes on ${comparisonId}` },
    mutationFn: async ({ key, vote, swapped, runA, runB }: PairVoteInput) => {
      const scores = toSideScores(vote, swapped)
      const sides = [
        { runId: runA, sessionId: a, ...scores.a },
        { runId: runB, sessionId: b, ...scores.b },
      ]
      const { queryKey } = pairwiseQuery.records(comparisonId)
      const known = queryClient.getQueryData(queryKey) ?? []
      const stored = await Promise.all(
        sides.map((side) =>
          client.createFeedback({
            ...side,
            key,
            feedbackId: known.find((record) => isVote(record, side.runId, key, authorId))?.id,
            feedbackSourceType: 'app',
            comparativeExperimentId: comparisonId,
          }),
        ),
      )
      const added = stored.map((record) => ({
        ...record,
        created_at: new Date().toISOString(),
        feedback_source: { ...record.feedback_source, user_id: authorId },
      })) as Feedback[]
      const ids = new Set(added.map(({ id }) => id))
      queryClient.setQueryData(queryKey, (records = []) => [...added, ...records.filter(({ id }) => !ids.has(id))])
    },
    /** One of the two records may be stored. */
    onError: () => queryClient.invalidateQueries({ queryKey: pairwiseQuery.records(comparisonId).queryKey }),
  }),
  /** Deletes a comparison with its feedback; the experiments stay. */
  delete: (queryClient: QueryClient) => ({
    mutationFn: (id: string) => client.deleteComparativeExperiment(id),
    onSuccess: () => refreshPairwise(queryClient),
  }),
}

function isVote(record: Feedback, runId: string, key: string, authorId: string | null): boolean {
  const source = record.feedback_source as { type?: string; user_id?: string | null } | null | undefined
  return (
    record.run_id === runId && record.key === key && source?.type === 'app' && (source.user_id ?? null) === authorId
  )
}

/** Reads counts and tests again, after votes. */
export function refreshPairwise(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: pairwiseQuery.all() })
}
