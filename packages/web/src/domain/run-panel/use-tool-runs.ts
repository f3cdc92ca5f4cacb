import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import type { Run } from '@touchstone/contract'
import { useMemo } from 'react'
import { toolRunsQuery } from '#data/tool-runs.ts'
import { traceQuery } from '#data/traces.ts'
import type { Conversation } from '#domain/chat-view/conversation.ts'
import type { ToolRuns } from '#domain/chat-view/link-tool-runs.ts'
import { rowOf } from '#lib/trace-model/trace.ts'

/** The tool runs around a run; asked for only when its conversation calls tools. */
export function useToolRuns(
  run: Run,
  conversation: Conversation | undefined,
  share: string | undefined,
): ToolRuns | undefined {
  const callsTools = useMemo(
    () =>
      [...(conversation?.input ?? []), ...(conversation?.output ?? [])].some(({ parts }) =>
        parts.some(({ kind }) => kind === 'tool_call'),
      ),
    [conversation],
  )
  const { data: trace } = useQuery({ ...traceQuery.spine(run.trace_id, share), enabled: callsTools })
  const row = trace && rowOf(trace, run.id)
  const read = useQuery({
    ...(trace && row !== undefined
      ? toolRunsQuery(trace, row, share)
      : { queryKey: ['tool-runs', share, run.id], queryFn: skipToken }),
    enabled: callsTools,
    placeholderData: keepPreviousData,
  })
  return read.data
}
