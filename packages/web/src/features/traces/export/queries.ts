import type { QueryClient } from '@tanstack/react-query'
import * as routes from '@touchstone/contract/routes'
import { client, readBytes } from '#lib/api/client.ts'
import { queryKeys } from '#lib/api/query-client.ts'
import { type JsonHost, openJson } from '#lib/json/json-host.ts'

/** The fields of an exported run: all fields of the API except links that expire. */
const EXPORTED_FIELDS = (
  'id name run_type status start_time end_time first_token_time inputs outputs inputs_preview outputs_preview derived_payloads error events extra tags serialized ' +
  'parent_run_id trace_id dotted_order session_id thread_id reference_example_id feedback_stats ' +
  'prompt_tokens completion_tokens total_tokens prompt_cost completion_cost total_cost reported_cost unpriced_fees repeats_usage ' +
  'prompt_token_details completion_token_details prompt_cost_details completion_cost_details'
).split(' ')

const PAGE = 100

/** Pages of the runs of a trace with their payloads, oldest first. Each page is the JSON of its runs, byte for byte. */
export async function* readTraceRuns(
  traceId: string,
  projectId: string,
  signal: AbortSignal,
): AsyncGenerator<{ text: string; count: number }> {
  let cursor: string | undefined
  do {
    const body = { trace: traceId, session: [projectId], select: EXPORTED_FIELDS, order: 'asc', limit: PAGE, cursor }
    const page = await openJson(await readBytes(routes.runs.query, { body, signal }))
    try {
      const runs = getField(page, 'runs')
      const cursors = getField(page, 'cursors')
      const list = await page.call('text', runs.start, runs.end)
      const next = (await page.call('parse', cursors.start, cursors.end)) as { next: string | null }
      const text = list.slice(1, -1).trim()
      if (text !== '') yield { text, count: (JSON.parse(list) as unknown[]).length }
      cursor = next.next ?? undefined
    } finally {
      page.close()
    }
  } while (cursor !== undefined)
}

function getField(page: JsonHost, key: string): JsonHost['fields'][number] {
  const field = page.fields.find((one) => one.key === key)
  if (field === undefined) throw new Error(`The response has no "${key}".`)
  return field
}

/** Deletes a whole trace with its feedback and files. @returns the number of deleted runs */
export async function deleteTrace(queryClient: QueryClient, traceId: string, projectId: string): Promise<number> {
  const { deleted_runs } = await client.deleteRuns({ session_id: projectId, trace_ids: [traceId] })
  queryClient.removeQueries({ queryKey: queryKeys.trace(traceId) })
  void queryClient.resetQueries({ queryKey: queryKeys.runsOfProject(projectId) })
  return deleted_runs
}
