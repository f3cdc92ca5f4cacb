import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import type {
  FeedbackStat,
  ListThreadsItem,
  Run,
  Thread,
  ThreadQuery,
  ThreadSummaryPage,
  ThreadTotals,
  ThreadTotalsQuery,
} from '../schemas.ts'
import type { Transport } from '../transport/transport.ts'
import { Calls } from './calls.ts'
import { findProject, type ProjectKey } from './projects.ts'
import { pageRuns } from './runs.ts'

export interface ListGroupRunsParams extends ProjectKey {
  /** `conversation` is the only way to group. */
  groupBy: string
  filter?: string | undefined
  startTime?: Date | undefined
  endTime?: Date | undefined
  /** Groups per request, not in all. @default 100 */
  limit?: number | undefined
  /** Groups to skip. @default 0 */
  offset?: number | undefined
}

export interface ReadThreadParams extends ProjectKey {
  threadId: string
  /** @default true */
  isRoot?: boolean | undefined
  /** Caps the total. */
  limit?: number | undefined
  filter?: string | undefined
  /** @default asc */
  order?: 'asc' | 'desc' | undefined
}

export interface ListThreadsParams extends ProjectKey {
  /** Caps the threads. */
  limit?: number | undefined
  /** Threads to skip. @default 0 */
  offset?: number | undefined
  filter?: string | undefined
  /** @default a day ago */
  startTime?: Date | undefined
  /** @default true */
  isRoot?: boolean | undefined
}

export interface ThreadKey extends ProjectKey {
  threadId: string
}

const DAY = 24 * 60 * 60 * 1000

/** What the runs of a listed thread carry. */
const THREAD_RUN_SELECT = (
  'id name status start_time end_time thread_id trace_id run_type error tags session_id parent_run_id total_tokens ' +
  'total_cost reported_cost unpriced_fees dotted_order reference_example_id feedback_stats app_path completion_cost completion_tokens prompt_cost ' +
  'prompt_tokens first_token_time inputs_preview outputs_preview'
).split(' ')

export class ThreadCalls extends Calls {
  /** Threads of a project with their figures, the latest first, fetched a page at a time. */
  async *listGroupRuns(params: ListGroupRunsParams, options: CallOptions = {}): AsyncGenerator<Thread> {
    const { groupBy, filter, startTime, endTime, limit, offset, ...key } = params
    const body = {
      session_id: key.projectId ?? (await findProject(this.transport, key, options)).id,
      group_by: groupBy as 'conversation',
      filter,
      start_time: startTime?.toISOString() ?? null,
      end_time: endTime?.toISOString() ?? null,
      limit: Number(limit) || 100,
    }
    let at = Number(offset) || 0
    let total: number
    do {
      const request = { body: { ...body, offset: at }, doing: 'list groups' }
      const page = await this.transport.call(routes.runStats.group, { ...request, ...options })
      if (page.groups.length === 0) return
      yield* page.groups
      at += page.groups.length
      total = page.total
    } while (at < total)
  }

  /** The traces of a thread, oldest first unless asked otherwise. */
  async *readThread(params: ReadThreadParams, options: CallOptions = {}): AsyncGenerator<Run> {
    const { threadId, projectId, projectName, isRoot = true, limit, filter, order = 'asc' } = params
    if (!projectId && !projectName) throw new Error('threadId requires projectId or projectName')
    const ofThread = `eq(thread_id, ${JSON.stringify(threadId)})`
    const both = filter ? `and(${ofThread}, ${filter})` : ofThread
    yield* pageRuns(this.transport, { projectId, projectName, isRoot, limit, filter: both, order }, options)
  }

  /** A page of threads with figures that the server sums up, the latest active first. An extension of ours. */
  async queryThreads(body: ThreadQuery, options: CallOptions = {}): Promise<ThreadSummaryPage> {
    const request = { body, doing: 'query threads' }
    return await this.transport.call(routes.threadsV2.query, { ...request, ...options })
  }

  /** Figures over all threads of a query. An extension of ours. */
  async readThreadTotals(body: ThreadTotalsQuery, options: CallOptions = {}): Promise<ThreadTotals> {
    const request = { body, doing: 'read figures of threads' }
    return await this.transport.call(routes.threadsV2.totals, { ...request, ...options })
  }

  /**
   * Shares a thread, and traces that join it later, with readers who have its token; a shared one keeps its token. An extension of ours.
   *
   * @returns the token
   */
  async shareThread({ threadId, ...key }: ThreadKey, options: CallOptions = {}): Promise<string> {
    const project_id = await idOfProject(this.transport, key, options)
    const request = { params: { thread_id: threadId }, body: { project_id } }
    const { share_token } = await this.transport.call(routes.threadsV2.share, {
      ...request,
      doing: 'share the thread',
      ...options,
    })
    return share_token
  }

  /** The token of a thread, or undefined while it is not shared. An extension of ours. */
  async readThreadShare({ threadId, ...key }: ThreadKey, options: CallOptions = {}): Promise<string | undefined> {
    const query = { project_id: await idOfProject(this.transport, key, options) }
    const request = { params: { thread_id: threadId }, query, doing: 'read the share' }
    return (await this.transport.call(routes.threadsV2.readShare, { ...request, ...options })).share_token
  }

  /** Closes a thread again; one that is not open stays so. An extension of ours. */
  async unshareThread({ threadId, ...key }: ThreadKey, options: CallOptions = {}): Promise<void> {
    const query = { project_id: await idOfProject(this.transport, key, options) }
    const request = { params: { thread_id: threadId }, query, doing: 'unshare the thread' }
    await this.transport.send(routes.threadsV2.unshare, { ...request, ...options })
  }

  /** Threads with all their runs since `startTime`, the latest first. Figures are computed from these runs. */
  async listThreads(params: ListThreadsParams, options: CallOptions = {}): Promise<ListThreadsItem[]> {
    const { projectId, projectName, limit, offset = 0, filter, isRoot = true } = params
    const startTime = params.startTime ?? new Date(Date.now() - DAY)
    if (!projectId && !projectName) throw new Error('Either projectId or projectName must be provided')
    if (projectId && projectName) throw new Error('Provide exactly one of projectId or projectName')
    const query = { projectId, projectName, isRoot, startTime, filter, select: THREAD_RUN_SELECT }
    const threads = new Map<string, Run[]>()
    for await (const run of pageRuns(this.transport, query, options)) {
      if (!run.thread_id) continue
      const runs = threads.get(run.thread_id)
      if (runs === undefined) threads.set(run.thread_id, [run])
      else runs.push(run)
    }
    const items = [...threads].map(([id, runs]) => summarizeThread(id, runs))
    items.sort((one, other) => (one.max_start_time < other.max_start_time ? 1 : -1))
    return items.slice(offset, limit === undefined ? undefined : offset + limit)
  }
}

async function idOfProject(transport: Transport, key: ProjectKey, options: CallOptions): Promise<string> {
  return key.projectId ?? (await findProject(transport, key, options)).id
}

/** A thread and the figures of its runs. Latencies are seconds; what is not known is null. */
function summarizeThread(threadId: string, unsorted: readonly Run[]): ListThreadsItem {
  const runs = [...unsorted].sort(
    (one, other) => compare(one.start_time, other.start_time) || compare(one.dotted_order, other.dotted_order),
  )
  const [first] = runs
  const last = runs.at(-1)
  const costs = runs.flatMap((run) => (run.total_cost ? [Number(run.total_cost)] : []))
  const reported = runs.flatMap((run) => (run.reported_cost ? [Number(run.reported_cost)] : []))
  const latencies = runs.flatMap(latencyOf)
  return {
    thread_id: threadId,
    runs,
    count: runs.length,
    filter: `eq(thread_id, ${JSON.stringify(threadId)})`,
    total_tokens: runs.reduce((sum, run) => sum + (run.total_tokens ?? 0), 0),
    total_cost: sumOrNull(costs),
    reported_cost: sumOrNull(reported),
    unpriced_fees: sumOrNull(runs.flatMap((run) => run.unpriced_fees ?? [])),
    min_start_time: first?.start_time ?? '',
    max_start_time: last?.start_time ?? '',
    latency_p50: quantile(latencies, 0.5),
    latency_p99: quantile(latencies, 0.99),
    feedback_stats: mergeFeedback(runs),
    first_inputs: first?.inputs_preview ?? '',
    last_outputs: last?.outputs_preview ?? '',
    last_error: last?.error ?? null,
  }
}

const sumOrNull = (costs: readonly number[]) => (costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0))

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1
}

/** Never negative, as the server counts. */
function latencyOf({ start_time, end_time }: Run): number[] {
  return end_time ? [Math.max(Date.parse(end_time) - Date.parse(start_time), 0) / 1000] : []
}

/** As the server counts: the value at that share of the sorted ones. */
function quantile(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null
}

/** Counts and means over all runs, by key. */
function mergeFeedback(runs: readonly Run[]): Record<string, FeedbackStat> | null {
  const merged = new Map<string, FeedbackStat>()
  for (const run of runs) {
    for (const [key, stat] of Object.entries(run.feedback_stats ?? {})) {
      const known = merged.get(key)
      merged.set(key, known === undefined ? { n: stat.n, avg: stat.avg } : addUp(known, stat))
    }
  }
  return merged.size === 0 ? null : Object.fromEntries(merged)
}

function addUp(one: FeedbackStat, other: FeedbackStat): FeedbackStat {
  const scored = [one, other].filter((stat) => stat.avg !== null)
  const count = scored.reduce((sum, stat) => sum + stat.n, 0)
  const sum = scored.reduce((total, stat) => total + stat.avg! * stat.n, 0)
  return { n: one.n + other.n, avg: count === 0 ? null : sum / count }
}
