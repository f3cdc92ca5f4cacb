import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { KVMap, Resolved, Run, RunPage, RunQuery, TraceTree } from '../schemas.ts'
import type { Address } from '../tracing/address.ts'
import { readEnvDestination } from '../tracing/destination.ts'
import { cursorPages } from '../transport/pages.ts'
import type { Transport } from '../transport/transport.ts'
import { resolveAddress } from './agents.ts'
import { Calls } from './calls.ts'
import { hostOf, runLink } from './links.ts'
import { findProject, type ProjectKey } from './projects.ts'

/** All conditions must hold. Ids and names may be one or several. */
export interface ListRunsParams {
  projectId?: string | string[] | undefined
  projectName?: string | string[] | undefined
  traceId?: string | undefined
  parentRunId?: string | undefined
  referenceExampleId?: string | undefined
  /** Runs that started at or after this. */
  startTime?: Date | undefined
  executionOrder?: number | undefined
  isRoot?: boolean | undefined
  runType?: string | undefined
  error?: boolean | undefined
  id?: string[] | undefined
  query?: string | undefined
  filter?: string | undefined
  traceFilter?: string | undefined
  treeFilter?: string | undefined
  /** Caps the total. */
  limit?: number | undefined
  /** @default `DEFAULT_RUN_SELECT` */
  select?: string[] | undefined
  /**
   * Sorts all matching runs by their start or by a figure, in the database. `latency` is the time until the end, `first_token`
   * the time until the first token; tokens and cost are those of the run and everything below it. Usage that a trace has
   * in another project is shown for its root, but not counted for the order. Runs without the figure come last in both
   * orders, runs with the same figure newest first. An extension of ours. @default 'start_time'
   */
  sortBy?: RunQuery['sort_by']
  /** @default 'desc' */
  order?: 'asc' | 'desc' | undefined
}

/** What a listed run carries when `select` is not given. */
export const DEFAULT_RUN_SELECT = (
  'app_path completion_cost completion_tokens dotted_order end_time error events extra feedback_stats ' +
  'first_token_time id inputs name outputs parent_run_id parent_run_ids prompt_cost prompt_tokens ' +
  'reference_example_id run_type session_id start_time status tags total_cost total_tokens trace_id'
).split(' ')

export class RunCalls extends Calls {
  /** One run; with `loadChildRuns`, its descendants nested in `child_runs`. */
  async readRun(
    runId: string,
    { loadChildRuns = false }: { loadChildRuns?: boolean } = {},
    options: CallOptions = {},
  ): Promise<Run> {
    assertUuid(runId)
    const request = { params: { run_id: runId }, doing: `read run ${runId}`, ...options }
    const run = readable(await this.transport.call(routes.runs.read, request))
    return loadChildRuns ? nestRuns(run, await descendantsOf(this.transport, run, options)) : run
  }

  /** All matching runs, newest first by default, fetched a page at a time. */
  async *listRuns(params: ListRunsParams = {}, options: CallOptions = {}): AsyncGenerator<Run> {
    yield* pageRuns(this.transport, params, options)
  }

  /** One page of `POST /runs/query`. An extension of ours. */
  async queryRuns(body: RunQuery, options: CallOptions = {}): Promise<RunPage> {
    // Inputs are typed as always there; see `Run`.
    return (await this.transport.call(routes.runs.query, { body, doing: 'query runs', ...options })) as RunPage
  }

  /** All runs of a trace without payloads. An extension of ours. */
  async readTraceTree(
    traceId: string,
    { projectId, ...options }: CallOptions & { projectId?: string | undefined } = {},
  ): Promise<TraceTree> {
    assertUuid(traceId)
    return await this.transport.call(routes.traces.runs, {
      params: { trace_id: traceId },
      query: { session_id: projectId },
      doing: `read trace ${traceId}`,
      ...options,
    })
  }

  /**
   * Replaces the tags of a run. All other fields stay byte for byte. An extension of ours.
   *
   * @throws when this caller may not write
   */
  async setRunTags(runId: string, tags: readonly string[], options: CallOptions = {}): Promise<void> {
    assertUuid(runId)
    const doing = `tag run ${runId}`
    await this.transport.call(routes.runs.update, {
      params: { run_id: runId },
      body: { tags: [...tags] },
      doing,
      ...options,
    })
  }

  /** The run, project, experiment, dataset, example or queue that has an id, and its page. An extension of ours. */
  async resolveId(id: string, options: CallOptions = {}): Promise<Resolved> {
    assertUuid(id)
    return await this.transport.call(routes.traces.resolve, { params: { id }, doing: `resolve ${id}`, ...options })
  }

  /**
   * The web page of a run.
   *
   * @param target `run` needs no read of the run; `runId` reads it. `projectOpts` names the project of a `run` that
   *   does not know its own, or `address` does; otherwise its own address and then the environment's destination is meant
   */
  async getRunUrl(
    target: {
      runId?: string | undefined
      run?: { id: string; session_id?: string | undefined; address?: Address | undefined } | undefined
      projectOpts?: ProjectKey | undefined
      address?: Address | undefined
    },
    options: CallOptions = {},
  ): Promise<string> {
    const { run, runId } = target
    if (run) {
      return await runLink(this.transport, await projectIdOf(this.transport, target, options), run.id)
    }
    if (runId === undefined) throw new Error('Must provide either runId or run')
    const { app_path } = await this.readRun(runId, {}, options)
    if (!app_path) throw new Error(`Run ${runId} has no app_path`)
    return hostOf(this.transport) + app_path
  }
}

/** Every matching run, a page at a time. */
export async function* pageRuns(
  transport: Transport,
  params: ListRunsParams,
  options: CallOptions,
): AsyncGenerator<Run> {
  const { limit } = params
  if (limit !== undefined && limit <= 0) return
  const body = await listBody(transport, params, options)
  const request = { body, doing: 'list runs', ...options }
  let yielded = 0
  for await (const run of cursorPages(transport, routes.runs.query, request, 'runs')) {
    yield readable(run)
    if (++yielded === limit) return
  }
}

type RunUrlTarget = Parameters<RunCalls['getRunUrl']>[0]

async function projectIdOf(transport: Transport, target: RunUrlTarget, options: CallOptions): Promise<string> {
  const { run, projectOpts: { projectId, projectName } = {}, address } = target
  if (address && (projectId ?? projectName)) throw new Error('Name a project or an address, not both')
  const known = run?.session_id ?? projectId
  if (known) return known
  const named = address ?? run?.address
  const home: { project_name?: string | undefined; address?: Address | undefined } = projectName
    ? { project_name: projectName }
    : named
      ? { address: named }
      : readEnvDestination()
  if (home.address) return await resolveAddress(transport, home.address, options)
  return (await findProject(transport, { projectName: home.project_name }, options)).id
}

async function descendantsOf(transport: Transport, run: Run, options: CallOptions): Promise<Run[]> {
  const body = {
    session: [run.session_id],
    trace: run.trace_id,
    is_root: false,
    order: 'asc' as const,
    select: DEFAULT_RUN_SELECT,
  }
  const doing = `read the children of run ${run.id}`
  const request = { body, doing, ...options }
  const found: Run[] = []
  for await (const child of cursorPages(transport, routes.runs.query, request, 'runs')) found.push(readable(child))
  return found
}

async function listBody(transport: Transport, params: ListRunsParams, options: CallOptions): Promise<RunQuery> {
  const ids = list(params.projectId)
  checkIds(params, ids)
  for (const projectName of list(params.projectName)) {
    ids.push((await findProject(transport, { projectName }, options)).id)
  }
  return {
    session: ids.length > 0 ? ids : undefined,
    run_type: params.runType,
    reference_example: params.referenceExampleId === undefined ? undefined : [params.referenceExampleId],
    query: params.query,
    filter: params.filter,
    trace_filter: params.traceFilter,
    tree_filter: params.treeFilter,
    execution_order: params.executionOrder,
    parent_run: params.parentRunId,
    start_time: params.startTime?.toISOString(),
    error: params.error,
    id: params.id,
    limit: params.limit === undefined ? undefined : Math.min(params.limit, 100),
    trace: params.traceId,
    select: params.select ?? DEFAULT_RUN_SELECT,
    is_root: params.isRoot,
    sort_by: params.sortBy,
    order: params.order,
  }
}

function checkIds(params: ListRunsParams, projectIds: string[]): void {
  for (const [index, id] of projectIds.entries()) assertUuid(id, `projectId[${index}]`)
  for (const [index, id] of (params.id ?? []).entries()) assertUuid(id, `id[${index}]`)
  if (params.traceId !== undefined) assertUuid(params.traceId, 'traceId')
  if (params.parentRunId !== undefined) assertUuid(params.parentRunId, 'parentRunId')
  if (params.referenceExampleId !== undefined) assertUuid(params.referenceExampleId, 'referenceExampleId')
}

function list(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : [value].flat()
}

/** Some servers leave the zone out of their UTC times, which `Date` would read as local, or send null for no inputs. */
export function readable<T extends ReadRun>(run: T): T & { inputs: KVMap } {
  const { start_time, end_time, first_token_time } = run
  return {
    ...run,
    // Absent when a `select` leaves it out; the type shows it all the same, so that code which reads it compiles.
    ...(run.inputs === null && { inputs: {} }),
    ...(start_time && { start_time: withZone(start_time) }),
    ...(end_time && { end_time: withZone(end_time) }),
    ...(first_token_time && { first_token_time: withZone(first_token_time) }),
  } as T & { inputs: KVMap }
}

interface ReadRun {
  inputs?: KVMap | null | undefined
  start_time?: string | undefined
  end_time?: string | null | undefined
  first_token_time?: string | null | undefined
}

function withZone(time: string): string {
  return /(Z|[+-]\d{2}:?\d{2})$/i.test(time) ? time : `${time}Z`
}

/**
 * Hangs the descendants of a run below it in new objects: siblings by start, then by end, else in the given order.
 *
 * A descendant whose parent is not among them hangs on `top`: it has not arrived yet, and leaving the subtree out would
 * hide it.
 *
 * @param others any runs of the same trace
 * @throws when one of them has no parent at all
 */
export function nestRuns(top: Run, others: readonly Run[]): Run {
  const root: Run = { ...top, child_runs: [], child_run_ids: [] }
  const below = others
    .filter((run) => run.dotted_order.startsWith(`${top.dotted_order}.`) && run.id !== top.id)
    .sort(compareSiblings)
    .map((run): Run => ({ ...run, child_runs: [] }))
  for (const run of others) {
    if (!run.parent_run_id) throw new Error(`Child run ${run.id} has no parent`)
  }
  const known = new Map([[root.id, root], ...below.map((run): [string, Run] => [run.id, run])])
  for (const run of below) (known.get(run.parent_run_id!) ?? root).child_runs!.push(run)
  root.child_run_ids = below.map((run) => run.id)
  return root
}

function compareSiblings(one: Run, other: Run): number {
  if (one.start_time !== other.start_time) return one.start_time < other.start_time ? -1 : 1
  const [end, otherEnd] = [one.end_time, other.end_time]
  if (end === otherEnd) return 0
  if (!end) return 1
  return !otherEnd || end < otherEnd ? -1 : 1
}
