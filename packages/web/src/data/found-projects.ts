import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

const MOST = 20
/** Whoever types on within this time, ms, asks nothing. */
const PAUSE_MS = 150

/** Projects whose name contains a text, as the server finds them. */
export function foundProjectsQuery(text: string) {
  return queryOptions({
    queryKey: ['projects', 'found', text],
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      signal.throwIfAborted()
      return client.queryProjects({ name_contains: text, reference_free: true, limit: MOST }, { signal })
    },
    staleTime: 30_000,
    meta: { quiet: true },
  })
}
