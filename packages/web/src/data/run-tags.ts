import type { QueryClient } from '@tanstack/react-query'
import { client } from './client.ts'
import { patchRun } from './patch-run.ts'

/** Writes of one run follow each other, so that the last change is also the last to arrive. */
const writing = new Map<string, Promise<unknown>>()

/**
 * Gives a run these tags: on the screen at once, then on the server, which keeps the rest of the run as it is.
 *
 * @param before  the tags it has, shown again when the server refuses
 */
export async function tagRun(
  queryClient: QueryClient,
  run: { id: string; trace_id: string },
  tags: string[],
  before: string[],
): Promise<void> {
  patchRun(queryClient, run.id, { tags })
  const write = (writing.get(run.id) ?? Promise.resolve()).then(() => client.setRunTags(run.id, tags))
  const settled = write.catch(() => undefined)
  writing.set(run.id, settled)
  try {
    await write
  } catch (error) {
    patchRun(queryClient, run.id, { tags: before })
    throw error
  } finally {
    if (writing.get(run.id) === settled) {
      writing.delete(run.id)
      void queryClient.invalidateQueries({ queryKey: ['run', run.id] })
      void queryClient.invalidateQueries({ queryKey: ['trace', run.trace_id] })
    }
  }
}
