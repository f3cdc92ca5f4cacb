import { appendTo } from '../../../append-to.ts'
import type { Deps } from '../../../deps.ts'
import { padSpanId } from '../../../storage/analytics/run-aliases.ts'
import {
  type Fragment,
  join,
  literal,
  printedTime,
  sql,
  texts,
  time,
  uint,
  uuid,
  uuids,
} from '../../../storage/analytics/sql.ts'
import { columns, each, nullable, type RowOf, text } from '../../../storage/rows.ts'
import type { RunTokens } from '../map/index.ts'
import type { FoundRun, WantedRuns } from './known-runs.ts'
import { toLinkKey } from './span-ids.ts'
import { isLog, type TraceSpans } from './span-writes.ts'
import type { KnownRun } from './trace-facts.ts'

export type ReadDeps = Pick<Deps, 'analytics'>

export type StoredRunTokens = KnownRun & Omit<RunTokens, 'parentId'>

const RUN = columns({
  ...each(['id', 'trace_id', 'dotted_order', 'name', 'run_type'], text),
  ...each(['parent_run_id', 'prompt_tokens', 'completion_tokens'], nullable(text)),
})

const FOUND = columns({
  ...each(['source', 'id', 'trace_id', 'dotted_order', 'name', 'run_type'], text),
  ...each(['parent_run_id', 'prompt_tokens', 'completion_tokens'], nullable(text)),
})

const SELECTED = sql`id, trace_id, dotted_order, parent_run_id, name, run_type,
        toString(prompt_tokens) as prompt_tokens, toString(completion_tokens) as completion_tokens`

const NO_RUN = sql`'' as dotted_order, cast(null as Nullable(UUID)) as parent_run_id, '' as name, '' as run_type,
        cast(null as Nullable(String)) as prompt_tokens, cast(null as Nullable(String)) as completion_tokens`

export interface BlockFacts {
  /** The runs with the id of their trace, by it. */
  readonly roots: ReadonlyMap<string, StoredRunTokens>
  /** All stored runs of traces without such a run, by trace and id. */
  readonly rootless: ReadonlyMap<string, Map<string, StoredRunTokens>>
  /** Trace by id of a stored run. */
  readonly owners: Map<string, string>
  readonly areNew: boolean
  /** Padded ids of spans under which feedback is stored. */
  readonly withFeedback: readonly string[]
  /** Stored traces whose root links to a trace, by `toLinkKey` of that. */
  readonly linking: ReadonlyMap<string, readonly string[]>
}

/**
 * What has to be known of a block in any case, in one query, because most traces arrive whole: the roots of its traces, or all
 * stored runs where there is none; the traces of the runs, also deleted ones, that have the id of one of its spans; the spans
 * that have feedback already; and the stored traces that link to one of the block.
 */
export async function readBlockFacts(
  { analytics }: ReadDeps,
  tenantId: string,
  traces: readonly TraceSpans[],
): Promise<BlockFacts> {
  const tenant = uuid(tenantId)
  const traceIds = uuids(traces.map(({ traceId }) => traceId))
  const spanIds = new Set(traces.flatMap(({ spans }) => spans.map(({ write }) => padSpanId(write.span.spanId))))
  const named = traces.flatMap(({ traceId, spans }) => [
    traceId,
    ...spans.flatMap(({ write }) => write.span.runId ?? []),
  ])
  const rows = await analytics.query(
    sql`
      select 'trace' as source, ${SELECTED}
      from trace_runs final
      where tenant_id = ${tenant} and (trace_id, start_time, id) in (
          select id, start_time, id from run_keys final
          where tenant_id = ${tenant} and id in ${traceIds} and trace_id = id)
      union all
      select 'trace' as source, ${SELECTED}
      from trace_runs final
      where tenant_id = ${tenant} and trace_id in (
          select one from (select arrayJoin(${traceIds}) as one)
          where one not in (
            select id from run_keys final where tenant_id = ${tenant} and id in ${traceIds} and trace_id = id))
      union all
      select if(is_deleted = 1, 'deleted', 'key') as source, id, trace_id, ${NO_RUN}
      from (
        select id, trace_id, is_deleted from run_keys
        where tenant_id = ${tenant} and id in ${uuids([...new Set([...spanIds, ...named])])}
        order by version desc
        limit 1 by id)
      union all
      select distinct 'feedback' as source, run_id as id, run_id as trace_id, ${NO_RUN}
      from run_feedback
      where tenant_id = ${tenant} and run_id in ${uuids([...spanIds])}
      union all
      select 'link' as source, id, trace_id, ${NO_RUN}
      from run_aliases final
      where tenant_id = ${tenant} and id in ${uuids(traces.map(({ traceId }) => toLinkKey(traceId)))}`,
    FOUND,
  )
  const roots = new Map<string, StoredRunTokens>()
  const rootless = new Map<string, Map<string, StoredRunTokens>>()
  const owners = new Map<string, string>()
  for (const { source, ...row } of rows) {
    if (source === 'trace' || source === 'key') owners.set(row.id, row.trace_id)
    if (source !== 'trace') continue
    if (row.id === row.trace_id) roots.set(row.id, toRun(row))
    else {
      const runs = rootless.get(row.trace_id) ?? new Map<string, StoredRunTokens>()
      rootless.set(row.trace_id, runs.set(row.id, toRun(row)))
    }
  }
  const withFeedback = rows.filter(({ source }) => source === 'feedback').map(({ id }) => id)
  const linking = new Map<string, string[]>()
  for (const { source, id, trace_id } of rows) if (source === 'link') appendTo(linking, id, trace_id)
  const areNew = rows.every(({ source }) => source === 'feedback' || source === 'link')
  return { roots, rootless, owners, areNew, withFeedback, linking }
}

function toRun(row: RowOf<typeof RUN>): StoredRunTokens {
  const { id, dotted_order: dottedOrder, parent_run_id: parentRunId, name, run_type: runType } = row
  return { id, parentRunId, dottedOrder, name, runType, tokens: toTokens(row) }
}

function toTokens(row: RowOf<typeof RUN>) {
  if (row.prompt_tokens === null && row.completion_tokens === null) return undefined
  return { input: Number(row.prompt_tokens ?? 0), output: Number(row.completion_tokens ?? 0) }
}

/**
 * Reads stored runs by ids, by parents and by span ids, or whole traces. The children of a run are those that wait for it, and
 * those that name it: of the whole trace, two narrow columns are compared inside the store, which takes 6 to 15 ms for 50,000 runs.
 */
export async function readRuns(
  { analytics }: ReadDeps,
  tenantId: string,
  wanted: readonly WantedRuns[],
): Promise<readonly FoundRun<StoredRunTokens>[]> {
  const tenant = uuid(tenantId)
  const whole = wanted.filter(({ isWhole }) => isWhole)
  const parts = wanted.filter(({ isWhole }) => !isWhole)
  const inTraces = sql`trace_id in ${uuids(parts.map(({ traceId }) => traceId))}`
  const ids = parts.flatMap((part) => part.ids)
  const parentIds = parts.flatMap((part) => part.parentIds ?? [])
  const spanIds = parts.flatMap((part) => part.spanIds ?? [])
  const places: Fragment[] = []
  if (ids.length > 0) {
    places.push(
      sql`select trace_id, start_time, id from run_keys final where tenant_id = ${tenant} and id in ${uuids(ids)} and ${inTraces}`,
    )
  }
  if (parentIds.length > 0) {
    places.push(
      sql`select trace_id, start_time, id from run_links where tenant_id = ${tenant} and ${inTraces} and key in ${uuids(parentIds)}`,
    )
  }
  const near: Fragment[] = []
  if (parentIds.length > 0) near.push(sql`parent_run_id in ${uuids(parentIds)}`)
  if (spanIds.length > 0) {
    // The first half of the ids of spans is 0, so that only ids of SDKs are printed.
    const starts = spanIds.map(toUuidStart)
    near.push(
      sql`(bitShiftRight(toUInt128(id), 64) != 0 and substring(toString(id), 1, ${uint(UUID_START)}) in ${texts(starts)})`,
    )
  }
  if (near.length > 0) {
    places.push(
      sql`select trace_id, start_time, id from trace_runs where tenant_id = ${tenant} and ${inTraces} and (${join(near, ' or ')})`,
    )
  }
  const selects: Fragment[] = []
  if (places.length > 0) {
    const found = join(places, '\n          union all\n          ')
    selects.push(sql`
      select ${SELECTED} from trace_runs final
      where tenant_id = ${tenant} and (trace_id, start_time, id) in (${found})`)
  }
  if (whole.length > 0) {
    selects.push(sql`
      select ${SELECTED} from trace_runs final
      where tenant_id = ${tenant} and trace_id in ${uuids(whole.map(({ traceId }) => traceId))}`)
  }
  if (selects.length === 0) return []
  const rows = await analytics.query(join(selects, '\n      union all'), RUN)
  return rows.map((row) => ({ ...toRun(row), traceId: row.trace_id }))
}

/** The first half of a UUID, from the 16 hex digits of a span id. */
const toUuidStart = (spanId: string) => `${spanId.slice(0, 8)}-${spanId.slice(8, 12)}-${spanId.slice(12)}`
const UUID_START = toUuidStart('0'.repeat(16)).length

/** A range of time in a trace, in the contract's printed form. */
export interface TraceRange {
  readonly traceId: string
  readonly from: string
  readonly to: string
  /** Only runs with one of these names. */
  readonly names?: readonly string[] | undefined
}

/** Reads the stored runs that report tokens and start in one of the ranges. */
export async function readReporting(
  { analytics }: ReadDeps,
  tenantId: string,
  ranges: readonly TraceRange[],
): Promise<readonly FoundRun<StoredRunTokens>[]> {
  if (ranges.length === 0) return []
  const isIn = ranges.map(
    ({ traceId, from, to, names }) =>
      sql`(trace_id = ${uuid(traceId)} and start_time >= ${time(from)} and start_time <= ${time(to)}${
        names === undefined ? literal('') : sql` and name in ${texts(names)}`
      })`,
  )
  const rows = await analytics.query(
    sql`
      select ${SELECTED} from trace_runs final
      where tenant_id = ${uuid(tenantId)} and (${join(isIn, ' or ')})
        and (prompt_tokens is not null or completion_tokens is not null)`,
    RUN,
  )
  return rows.map((row) => ({ ...toRun(row), traceId: row.trace_id }))
}

const LAST_END = columns({ trace_id: text, last_end: nullable(text) })

/** The latest end of the stored runs of traces that have neither a root nor a placeholder, in the contract's printed form. */
export async function readEnds({ analytics }: ReadDeps, tenantId: string, traceIds: readonly string[]) {
  if (traceIds.length === 0) return new Map<string, string>()
  const rows = await analytics.query(
    sql`
      select trace_id, max(end_time) as last_end
      from trace_runs final
      where tenant_id = ${uuid(tenantId)} and trace_id in ${uuids(traceIds)}
      group by trace_id`,
    LAST_END,
  )
  return new Map(
    rows.flatMap(({ trace_id, last_end }) => (last_end === null ? [] : [[trace_id, printedTime(last_end)] as const])),
  )
}

/** A stored run without a create: it stands for the root of its trace, or has what log records say about a span. */
export interface UncreatedRun {
  readonly sessionId: string
  /** In the contract's printed form. */
  readonly endTime: string | undefined
}

const UNCREATED_RUN = columns({ ...each(['id', 'session_id'], text), end_time: nullable(text) })

/** Those of the runs that have no create. */
export async function readUncreated({ analytics }: ReadDeps, tenantId: string, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, UncreatedRun>()
  const tenant = uuid(tenantId)
  const rows = await analytics.query(
    sql`
      select id, session_id, end_time
      from runs final
      where tenant_id = ${tenant} and (session_id, start_time, id) in (
          select session_id, start_time, id from run_keys final where tenant_id = ${tenant} and id in ${uuids(ids)})
        and is_deleted = 0 and not has(patched, 'post')`,
    UNCREATED_RUN,
  )
  return new Map(
    rows.map(({ id, session_id: sessionId, end_time }): [string, UncreatedRun] => [
      id,
      { sessionId, endTime: end_time === null ? undefined : printedTime(end_time) },
    ]),
  )
}

const OWNER = columns(each(['id', 'trace_id'], text))

/** Trace by id of a run, also of a deleted one. */
export async function readOwners({ analytics }: ReadDeps, tenantId: string, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, string>()
  const rows = await analytics.query(
    sql`
      select id, trace_id
      from run_keys
      where tenant_id = ${uuid(tenantId)} and id in ${uuids(ids)}
      order by version desc
      limit 1 by id`,
    OWNER,
  )
  return new Map(rows.map(({ id, trace_id }) => [id, trace_id]))
}

const ALIAS = columns(each(['id', 'trace_id', 'run_id'], text))

/** Other ids of the runs that the spans name, and of their roots. */
export async function readAliases({ analytics }: ReadDeps, tenantId: string, late: readonly TraceSpans[]) {
  const ids = new Set<string>()
  for (const { traceId, spans } of late) {
    ids.add(traceId)
    for (const span of spans) {
      const { parentSpanId, spanId } = span.write.span
      const named = isLog(span) ? spanId : parentSpanId
      if (named !== undefined) ids.add(padSpanId(named))
    }
  }
  const rows = await analytics.query(
    sql`
      select id, trace_id, run_id
      from run_aliases final
      where tenant_id = ${uuid(tenantId)} and id in ${uuids([...ids])}
        and trace_id in ${uuids(late.map(({ traceId }) => traceId))}`,
    ALIAS,
  )
  return new Map(rows.map(({ id, run_id }) => [id, run_id]))
}

const THREAD = columns(each(['trace_id', 'thread'], text))

/**
 * Threads by trace: that of the root, which has the thread that any span names, or of the first run where there is no root.
 * A string is stored with a leading quote, any other value as its JSON text.
 */
export async function readThreads(
  { analytics }: ReadDeps,
  tenantId: string,
  { roots, rootless }: Pick<BlockFacts, 'roots' | 'rootless'>,
) {
  const tenant = uuid(tenantId)
  const rows = await analytics.query(
    sql`
      select trace_id, metadata.value[indexOf(metadata.key, 'thread_id')] as thread
      from runs final
      where tenant_id = ${tenant} and (session_id, start_time, id) in (
          select session_id, start_time, id from run_keys final
          where tenant_id = ${tenant} and id in ${uuids([...roots.keys()])}
          union all
          select session_id, start_time, id from trace_runs final
          where tenant_id = ${tenant} and trace_id in ${uuids([...rootless.keys()])})
        and thread != ''
      order by start_time, id
      limit 1 by trace_id`,
    THREAD,
  )
  return new Map(rows.map(({ trace_id, thread }) => [trace_id, thread.replace(/^"/, '')]))
}

const LINKING = columns(each(['id', 'trace_id'], text))

/** Stored traces whose root links to one of some traces, by `toLinkKey` of that. */
export async function readLinking({ analytics }: ReadDeps, tenantId: string, traceIds: readonly string[]) {
  const found = new Map<string, string[]>()
  if (traceIds.length === 0) return found
  const rows = await analytics.query(
    sql`
      select id, trace_id from run_aliases final
      where tenant_id = ${uuid(tenantId)} and id in ${uuids(traceIds.map(toLinkKey))}`,
    LINKING,
  )
  for (const { id, trace_id } of rows) appendTo(found, id, trace_id)
  return found
}

/** Threads of stored traces; undefined for a trace without one, no entry for a trace that is not stored. */
export async function readThreadsOf({ analytics }: ReadDeps, tenantId: string, traceIds: readonly string[]) {
  if (traceIds.length === 0) return new Map<string, string | undefined>()
  const tenant = uuid(tenantId)
  const rows = await analytics.query(
    sql`
      select trace_id, max(metadata.value[indexOf(metadata.key, 'thread_id')]) as thread
      from runs final
      where tenant_id = ${tenant} and (session_id, start_time, id) in (
          select session_id, start_time, id from trace_runs final
          where tenant_id = ${tenant} and trace_id in ${uuids(traceIds)})
      group by trace_id`,
    THREAD,
  )
  return new Map(rows.map(({ trace_id, thread }) => [trace_id, thread.replace(/^"/, '') || undefined]))
}
