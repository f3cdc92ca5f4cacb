import { queryOptions } from '@tanstack/react-query'
import type { TracerSessionResult as Experiment } from '@touchstone/sdk'
import { PublicDatasetClient } from '@touchstone/sdk/api'
import { publicConnection } from '#lib/api/client.ts'

/** Reads a shared dataset through its link, without credentials. */
export function openDatasetLink(token: string): PublicDatasetClient {
  return new PublicDatasetClient(token, publicConnection)
}

const PAGE = 100
/** Most experiments of one request for runs. */
const MAX_COMPARED = 50

export const publicDatasetQuery = {
  all: (token: string) => ['public dataset', token] as const,
  one: (token: string) =>
    queryOptions({
      queryKey: [...publicDatasetQuery.all(token), 'one'],
      queryFn: ({ signal }) => openDatasetLink(token).readDataset({ signal }),
      staleTime: 60_000,
    }),
  /** All shared experiments with their figures, newest first; none unless they are shared. */
  experiments: (token: string) =>
    queryOptions({
      queryKey: [...publicDatasetQuery.all(token), 'experiments'],
      queryFn: async ({ signal }): Promise<Experiment[]> => {
        const link = openDatasetLink(token)
        const found: Experiment[] = []
        for (;;) {
          const query = { include_stats: true, offset: found.length, limit: PAGE }
          const page = await link.queryExperiments(query, { signal })
          found.push(...page)
          if (page.length < PAGE) return found
        }
      },
      staleTime: 60_000,
    }),
  /** One example with its runs in these experiments; null if it does not exist. */
  example: (token: string, exampleId: string, experimentIds: readonly string[]) =>
    queryOptions({
      queryKey: [...publicDatasetQuery.all(token), 'example', exampleId, experimentIds],
      queryFn: async ({ signal }) => {
        const link = openDatasetLink(token)
        const session_ids = experimentIds.slice(0, MAX_COMPARED)
        const [[example], [withRuns]] = await Promise.all([
          link.queryExamples({ id: [exampleId], limit: 1 }, { signal }),
          session_ids.length === 0
            ? []
            : link.queryExamplesWithRuns({ session_ids, example_ids: [exampleId], limit: 1 }, { signal }),
        ])
        return example === undefined ? null : { example, runs: withRuns?.runs ?? [] }
      },
      structuralSharing: false,
      staleTime: 60_000,
    }),
}
