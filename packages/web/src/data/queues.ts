import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { AnnotationQueue } from '@touchstone/sdk'
import { AnnotationQueueCalls, clientOf } from '@touchstone/sdk/api'
import { connection } from './client.ts'

const client = clientOf(connection, AnnotationQueueCalls)

export const queueQuery = {
  /** The annotation queues whose name contains a text, newest first; at most 20. */
  named: (text: string) =>
    queryOptions({
      queryKey: ['queues', 'named', text],
      queryFn: async ({ signal }): Promise<AnnotationQueue[]> => {
        const found: AnnotationQueue[] = []
        const wanted = { nameContains: text || undefined, limit: 20 }
        for await (const queue of client.listAnnotationQueues(wanted, { signal })) found.push(queue)
        return found
      },
    }),
}

/** What people can be asked to review: runs, or a whole conversation. */
export type ToReview = { runIds: readonly string[] } | { thread: { projectId: string; threadId: string } }

/** Puts something into a queue by its name, which is made when there is none; what is in it already stays where it is. */
export async function addToQueue(queryClient: QueryClient, name: string, what: ToReview): Promise<void> {
  const { value: found } = await client.listAnnotationQueues({ name, limit: 1 }).next()
  const queue: AnnotationQueue = found ?? (await client.createAnnotationQueue({ name }))
  if ('thread' in what) await client.addThreadsToAnnotationQueue(queue.id, [what.thread])
  else await client.addRunsToAnnotationQueue(queue.id, what.runIds)
  void queryClient.invalidateQueries({ queryKey: ['queues'] })
}
