import {
  RunConditions,
  type RunStats,
  THREAD_PREVIEWS,
  type ThreadGroup,
  type ThreadGroupQuery,
  type ThreadGroups,
  type ThreadPreviews,
} from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { microsBetween } from '../../storage/analytics/durations.ts'
import { type Fragment, literal, printedTime, sql, text, uint } from '../../storage/analytics/sql.ts'
import {
  COUNT_ROW,
  columns,
  count,
  each,
  figure,
  list,
  nullable,
  type RowOf,
  text as string,
} from '../../storage/rows.ts'
import { readFeedbackStatsByOwner } from '../feedback/index.ts'
import { whereRuns } from '../runs/index.ts'
import { readStats, type StatsDeps, selectMatchedRuns, toSeconds } from '../runs/stats/index.ts'

type ThreadDeps = Pick<Deps, 'analytics'>

/** Threads of a project, the most recently active first. The filter applies to the roots. */
export async function listThreadGroups(
  deps: ThreadDeps,
  tenantId: string,
  query: ThreadGroupQuery,
): Promise<ThreadGroups> {
  const roots = toRootConditions(query)
  const where = sql`${whereRuns(tenantId, roots)} and thread_id != ''`
  const [threads, total] = await Promise.all([
    selectThreads(deps, where, query),
    deps.analytics.query(sql`select uniqExact(thread_id) as n from runs final where ${where}`, COUNT_ROW),
  ])
  if (threads.length === 0) return { groups: [], total: total[0]?.n ?? 0 }
  const ofPage = toPageRootConditions(roots, threads)
  const owners = sql`select id, thread_id as owner from runs final where ${whereRuns(tenantId, ofPage)}`
  const [texts, usage, feedback] = await Promise.all([
    selectTexts(deps, tenantId, ofPage),
    selectUsage(deps, tenantId, ofPage),
    readFeedbackStatsByOwner(deps, tenantId, owners),
  ])
  const groups = threads.map((row) => {
    const id = row.thread_id
    return presentThread({ ...row, ...texts.get(id) }, usage.get(id), feedback.get(id) ?? {})
  })
  return { groups, total: total[0]?.n ?? 0 }
}

/** Figures over the roots of all threads, and the number of threads. */
export async function readThreadGroupStats(
  deps: StatsDeps,
  tenantId: string,
  query: ThreadGroupQuery,
): Promise<RunStats> {
  const roots = toRootConditions(query)
  const inThreads = query.filter?.trim() ? `and(neq(thread_id, null), ${query.filter})` : 'neq(thread_id, null)'
  const where = sql`${whereRuns(tenantId, roots)} and thread_id != ''`
  const [stats, total] = await Promise.all([
    readStats(deps, tenantId, { ...roots, filter: inThreads }),
    deps.analytics.query(sql`select uniqExact(thread_id) as n from runs final where ${where}`, COUNT_ROW),
  ])
  return { ...(stats as RunStats), group_count: total[0]?.n ?? 0 }
}

function toRootConditions({ session_id, filter, start_time, end_time }: ThreadGroupQuery): RunConditions {
  return RunConditions.parse({ session: [session_id], is_root: true, filter, start_time, end_time })
}

const THREAD_ROW = columns({
  thread_id: string,
  n: count,
  first: string,
  last: string,
  ended: count,
  latency: list(figure),
})

type ThreadRow = RowOf<typeof THREAD_ROW>

/** Does not read texts: with `final` the engine would read them for every root of the project. */
function selectThreads(
  { analytics }: ThreadDeps,
  where: Fragment,
  { limit, offset }: ThreadGroupQuery,
): Promise<ThreadRow[]> {
  return analytics.query(
    sql`
    select thread_id, count() as n, min(start_time) as first, max(start_time) as last, count(end_time) as ended,
      quantilesExactIf(0.5, 0.99)(assumeNotNull(${literal(microsBetween('start_time', 'end_time'))}), end_time is not null)
        as latency
    from runs final
    where ${where}
    group by thread_id
    order by last desc, thread_id
    limit ${uint(limit)} offset ${uint(offset)}`,
    THREAD_ROW,
  )
}

const THREAD_TEXTS = columns({ thread_id: string, first_inputs: string, last_outputs: string, last_error: string })

type ThreadTexts = RowOf<typeof THREAD_TEXTS>

async function selectTexts(
  { analytics }: ThreadDeps,
  tenantId: string,
  roots: RunConditions,
): Promise<Map<string, ThreadTexts>> {
  const rows = await analytics.query(
    sql`
    select thread_id,
      argMin(inputs_preview, start_time) as first_inputs,
      argMax(outputs_preview, start_time) as last_outputs,
      argMax(error, start_time) as last_error
    from runs final
    where ${whereRuns(tenantId, roots)}
    group by thread_id`,
    THREAD_TEXTS,
  )
  return new Map(rows.map((row) => [row.thread_id, row]))
}

const THREAD_USAGE = columns({
  thread_id: string,
  tokens: nullable(count),
  ...each(['cost', 'reported', 'fees'], nullable(figure)),
})

type ThreadUsage = RowOf<typeof THREAD_USAGE>

/** Conditions on the roots of the threads of a page, within the time range of these threads. */
function toPageRootConditions(roots: RunConditions, threads: readonly ThreadRow[]): RunConditions {
  const inThreads = `in(thread_id, ${JSON.stringify(threads.map((row) => row.thread_id))})`
  const [first] = threads.map((row) => row.first).sort()
  const last = threads
    .map((row) => row.last)
    .sort()
    .at(-1)
  return {
    ...roots,
    filter: roots.filter?.trim() ? `and(${inThreads}, ${roots.filter})` : inThreads,
    ...(first && { start_time: printedTime(first) }),
    ...(last && { end_time: printedTime(last) }),
  }
}

async function selectUsage(
  { analytics }: ThreadDeps,
  tenantId: string,
  roots: RunConditions,
): Promise<Map<string, ThreadUsage>> {
  const matched = selectMatchedRuns(tenantId, roots, { groups: sql`[toNullable(thread_id)]` })
  const rows = await analytics.query(
    sql`
    select assumeNotNull(groups[1]) as thread_id, sum(used_total_tokens) as tokens, sum(used_total_cost) as cost,
      sum(used_reported_cost) as reported, sum(used_unpriced_fees) as fees
    from (${matched})
    group by thread_id`,
    THREAD_USAGE,
  )
  return new Map(rows.map((row) => [row.thread_id, row]))
}

function presentThread(
  // Without texts when a write between the selects changed the start times of the thread.
  row: ThreadRow & Partial<ThreadTexts>,
  usage: ThreadUsage | undefined,
  feedback: ThreadGroup['feedback_stats'],
): ThreadGroup {
  const [p50, p99] = row.ended === 0 ? [] : row.latency
  return {
    thread_id: row.thread_id,
    group_key: row.thread_id,
    filter: `eq(thread_id, ${JSON.stringify(row.thread_id)})`,
    count: row.n,
    total_tokens: usage?.tokens ?? 0,
    total_cost: usage?.cost ?? null,
    reported_cost: usage?.reported ?? null,
    unpriced_fees: usage?.fees ?? null,
    min_start_time: printedTime(row.first),
    max_start_time: printedTime(row.last),
    latency_p50: toSeconds(p50),
    latency_p99: toSeconds(p99),
    feedback_stats: feedback,
    first_inputs: row.first_inputs || null,
    last_outputs: row.last_outputs || null,
    last_error: row.last_error || null,
  }
}

const TURN = columns({ human: string, ai: string })

type Turn = RowOf<typeof TURN>

/** The messages of a thread from the previews of its traces, oldest first. */
export async function readThreadPreviews(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  thread: { readonly id: string; readonly projectId: string; readonly select?: readonly string[] | undefined },
): Promise<ThreadPreviews> {
  const turns = await analytics.query(
    sql`
    select inputs_preview as human, if(error = '', outputs_preview, error) as ai
    from runs final
    where ${whereRuns(tenantId, RunConditions.parse({ session: [thread.projectId], is_root: true }))}
      and thread_id = ${text(thread.id)}
    order by start_time, id`,
    TURN,
  )
  const chosen = THREAD_PREVIEWS.filter((name) => !thread.select?.length || thread.select.includes(name))
  return { thread_id: thread.id, previews: Object.fromEntries(chosen.map((name) => [name, PREVIEWS[name](turns)])) }
}

const PREVIEWS: Readonly<Record<(typeof THREAD_PREVIEWS)[number], (turns: readonly Turn[]) => string>> = {
  all_messages: (turns) =>
    turns.flatMap(({ human, ai }) => [...printLine('human', human), ...printLine('ai', ai)]).join('\n\n'),
  human_ai_pairs: (turns) =>
    turns.map(({ human, ai }) => [...printLine('human', human), ...printLine('ai', ai)].join('\n')).join('\n\n'),
  first_human_last_ai: (turns) =>
    [...printLine('human', turns[0]?.human ?? ''), ...printLine('ai', turns.at(-1)?.ai ?? '')].join('\n\n'),
}

function printLine(who: 'human' | 'ai', what: string): string[] {
  return what === '' ? [] : [`${who}: ${what}`]
}
