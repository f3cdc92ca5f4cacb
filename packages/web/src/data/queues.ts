import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { AnnotationQueue } from '@touchstone/sdk'
import { AnnotationQueueCalls, clientOf } from '@touchstone/sdk/api'
import { connection } from './client.ts'
import { queryKeys } from './query-client.ts'

const client = clientOf(connection, AnnotationQueueCalls)

export const queueQuery = {
  all: queryKeys.queues,
  /** The first 20 annotation queues whose name contains the text, newest first. */
  search: (text: string) =>
    queryOptions({
      queryKey: [...queueQuery.all(), 'search', text],
      queryFn: async ({ signal }): Promise<AnnotationQueue[]> => {
        const found: AnnotationQueue[] = []
        const filter = { nameContains: text || undefined, limit: 20 }
        for await (const queue of client.listAnnotationQueues(filter, { signal })) found.push(queue)
        return found
      },
    }),
}

/** What can be added to an annotation queue: runs, or a whole thread. */
export type ReviewTarget = { runIds: readonly string[] } | { thread: { projectId: string; threadId: string } }

/** Adds runs or a thread to the queue of this name and creates the queue if needed. Items already in it keep their position. */
export async function addToQueue(queryClient: QueryClient, name: string, target: ReviewTarget): Promise<void> {
  const { value: found } = await client.listAnnotationQueues({ name, limit: 1 }).next()
  const queue: AnnotationQueue = found ?? (await client.createAnnotationQueue({ name }))
  if ('thread' in target) await client.addThreadsToAnnotationQueue(queue.id, [target.thread])
  else await client.addRunsToAnnotationQueue(queue.id, target.runIds)
  void queryClient.invalidateQueries({ queryKey: queueQuery.all() })
}
