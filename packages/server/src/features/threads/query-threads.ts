import type { ThreadV2, ThreadV2Query } from '@touchstone/contract'
import { printedTime, sql, uuid } from '../../storage/analytics/sql.ts'
import { columns, type RowOf, text as string } from '../../storage/rows.ts'
import { type FeedbackStats, readConversationFeedbackStats } from '../feedback/index.ts'
import { type RunViewDeps, whereRunIds } from '../runs/index.ts'
import { assertNoSemanticSearch, oneDayAgo } from '../runs/selection/index.ts'
import { printThreadCursor, selectThreads, type ThreadRow, toLatencies, toTimeOrNull } from './select-threads.ts'
import { readUsageByThread, type Turns, whereTurns } from './turns.ts'

export interface ThreadPage {
  readonly items: readonly ThreadV2[]
  readonly next_cursor?: string
}

/** A page of threads, the most recently active first. One query selects and sums them, three more load details of the page. */
export async function queryThreads(deps: RunViewDeps, tenantId: string, query: ThreadV2Query): Promise<ThreadPage> {
  assertNoSemanticSearch(query)
  const turns: Turns = {
    projectId: query.project_id,
    from: query.min_start_time ?? oneDayAgo(deps.clock),
    until: query.max_start_time,
    filter: query.filter,
  }
  const rows = await selectThreads(deps, tenantId, turns, query)
  const page = rows.slice(0, query.page_size)
  const last = page.at(-1)
  const more = rows.length > page.length && last !== undefined
  const next = more ? { startTime: printedTime(last.last_start), threadId: last.thread_id } : undefined
  return {
    items: await loadThreads(deps, tenantId, turns, page),
    ...(next && { next_cursor: printThreadCursor(next) }),
  }
}

async function loadThreads(
  deps: RunViewDeps,
  tenantId: string,
  turns: Turns,
  rows: readonly ThreadRow[],
): Promise<ThreadV2[]> {
  if (rows.length === 0) return []
  const where = whereTurns(tenantId, { ...turns, threadIds: rows.map((row) => row.thread_id) })
  const [usage, texts, feedback] = await Promise.all([
    readUsageByThread(deps, tenantId, where, USAGE),
    selectTexts(deps, tenantId, turns.projectId, rows),
    readConversationFeedbackStats(
      deps,
      tenantId,
      turns.projectId,
      sql`select id, thread_id from runs final where ${where}`,
      'thread',
    ),
  ])
  const usageOf = new Map(usage.map((row) => [row.thread_id, row]))
  return rows.map((row) => presentThread(row, usageOf.get(row.thread_id), texts, feedback.get(row.thread_id)))
}

const USAGE = [
  'total_tokens',
  'total_cost',
  'reported_cost',
  'unpriced_fees',
  'prompt_token_details',
  'completion_token_details',
  'prompt_cost_details',
  'completion_cost_details',
] as const

type UsageRow = Awaited<ReturnType<typeof readUsageByThread>>[number]

const TEXTS = columns({ id: string, inputs_preview: string, outputs_preview: string, error_preview: string })

type Texts = RowOf<typeof TEXTS>

/** Previews of the first, the last and the last failed trace of each thread. Previews are long, so no others are read. */
async function selectTexts(
  { analytics }: RunViewDeps,
  tenantId: string,
  projectId: string,
  rows: readonly ThreadRow[],
): Promise<Map<string, Texts>> {
  const ids = [...new Set(rows.flatMap((row) => [row.first_trace, row.last_trace, row.failed_trace]))]
  const texts = await analytics.query(
    sql`
    select id, inputs_preview, outputs_preview, error_line as error_preview
    from runs final
    where tenant_id = ${uuid(tenantId)} and session_id = ${uuid(projectId)} and ${whereRunIds(tenantId, ids)}`,
    TEXTS,
  )
  return new Map(texts.map((text) => [text.id, text]))
}

function presentThread(
  row: ThreadRow,
  usage: UsageRow | undefined,
  texts: ReadonlyMap<string, Texts>,
  feedback: FeedbackStats | undefined,
): ThreadV2 {
  const [latency_p50, latency_p99] = toLatencies(row)
  const last_error = row.errored > 0 ? (texts.get(row.failed_trace)?.error_preview ?? '') : undefined
  const lastStart = printedTime(row.last_start)
  return {
    thread_id: row.thread_id,
    count: row.turns,
    trace_id: row.last_trace,
    first_trace_id: row.first_trace,
    last_trace_id: row.last_trace,
    start_time: lastStart,
    min_start_time: printedTime(row.first_start),
    max_start_time: lastStart,
    max_end_time: toTimeOrNull(row.last_end),
    latency_p50,
    latency_p99,
    num_errored_turns: row.errored,
    total_tokens: usage?.total_tokens ?? 0,
    total_cost: usage?.total_cost ?? null,
    reported_cost: usage?.reported_cost ?? null,
    unpriced_fees: usage?.unpriced_fees ?? null,
    total_token_details: addCounts(usage?.prompt_token_details, usage?.completion_token_details),
    total_cost_details: addCounts(usage?.prompt_cost_details, usage?.completion_cost_details),
    first_inputs: texts.get(row.first_trace)?.inputs_preview ?? '',
    last_outputs: texts.get(row.last_trace)?.outputs_preview ?? '',
    ...(last_error === undefined ? {} : { last_error }),
    feedback_stats: feedback ?? {},
    query_metadata: null,
  }
}

function addCounts(...maps: readonly (Readonly<Record<string, number>> | undefined)[]): Record<string, number> {
  const sums = new Map<string, number>()
  for (const map of maps) {
    for (const [key, value] of Object.entries(map ?? {})) sums.set(key, (sums.get(key) ?? 0) + value)
  }
  return Object.fromEntries(sums)
}
