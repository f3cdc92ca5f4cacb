import { type DeletionCount, isLongInteger, type RunDeletion } from '@touchstone/contract'
import type { Deps } from '../deps.ts'
import { removeGoneItems } from '../features/annotation-queues/index.ts'
import { countFeedback, deleteFeedbackWhere } from '../features/feedback/index.ts'
import { deleteClaimsOfTraces, deleteDecisionsWhere } from '../features/rules/index.ts'
import { selectRunShares } from '../features/sharing/index.ts'
import {
  type Fragment,
  join,
  literal,
  printedTime,
  sql,
  text,
  texts,
  uint,
  uuid,
  uuids,
} from '../storage/analytics/sql.ts'
import { type DeletionRecord, noteAttachments } from '../storage/record-deletion.ts'
import { revokePublicLinks } from '../storage/relational/public-links.ts'
import { COUNT_ROW, columns, count, ID_ROW, text as string } from '../storage/rows.ts'

export type DeleteDeps = Pick<Deps, 'analytics' | 'relational'>

/** Traces per batch. */
const BATCH = 1_000

const TRACE_ROW = columns({ trace_id: string })

/**
 * Deletes traces with their feedback, share tokens, queue items and attachment rows; after this, no read returns any of
 * them. Each run gets a tombstone that every table applies and that later updates respect, so they cannot restore it.
 *
 * @returns number of deleted runs
 */
export async function deleteRuns(
  deps: DeleteDeps,
  tenantId: string,
  request: RunDeletion,
  record: DeletionRecord,
): Promise<number> {
  let deleted = 0
  for await (const traceIds of selectTraceBatches(deps, tenantId, request)) {
    deleted += await deleteTraceBatch(deps, tenantId, { traceIds, projectId: request.session_id ?? undefined }, record)
  }
  return deleted
}

const FOUND_ROW = columns({ runs: count, traces: count, projects: count, first: string, last: string })

/** Counts what `deleteRuns` would delete. */
export async function countDeletion(deps: DeleteDeps, tenantId: string, request: RunDeletion): Promise<DeletionCount> {
  const { session_id, trace_ids, metadata } = request
  const ofProject = session_id ? sql` and session_id = ${uuid(session_id)}` : literal('')
  const traces = metadata
    ? sql`(select trace_id from runs final where tenant_id = ${uuid(tenantId)}${ofProject} and ${matchesPairs(metadata)})`
    : uuids(trace_ids ?? [])
  const doomed = sql`tenant_id = ${uuid(tenantId)} and trace_id in ${traces}${ofProject}`
  const [[row], feedback] = await Promise.all([
    deps.analytics.query(
      sql`
        select count() as runs, uniqExact(trace_id) as traces, uniqExact(session_id) as projects,
          min(start_time) as first, max(start_time) as last
        from trace_runs final
        where ${doomed}`,
      FOUND_ROW,
    ),
    countFeedback(deps, tenantId, sql`run_id in (select id from trace_runs final where ${doomed})`),
  ])
  const { runs = 0, traces: traceCount = 0, projects = 0, first = '', last = '' } = row ?? {}
  const hasRuns = runs > 0
  return {
    runs,
    traces: traceCount,
    projects,
    feedback,
    first_start_time: hasRuns ? printedTime(first) : null,
    last_start_time: hasRuns ? printedTime(last) : null,
  }
}

interface TraceBatch {
  readonly traceIds: readonly string[]
  /** Only runs of this project; undefined means all. */
  readonly projectId: string | undefined
}

/** Batches of the requested traces, or of the traces that have a run with the metadata, ordered by id. */
async function* selectTraceBatches(
  { analytics }: DeleteDeps,
  tenantId: string,
  { session_id, trace_ids, metadata }: RunDeletion,
): AsyncGenerator<readonly string[]> {
  if (!metadata) {
    const ids = trace_ids ?? []
    for (let at = 0; at < ids.length; at += BATCH) yield ids.slice(at, at + BATCH)
    return
  }
  const ofProject = session_id ? sql` and session_id = ${uuid(session_id)}` : literal('')
  for (let after: string | undefined; ; ) {
    const beyond = after === undefined ? literal('') : sql` and trace_id > ${uuid(after)}`
    const rows = await analytics.query(
      sql`
        select distinct trace_id from runs final
        where tenant_id = ${uuid(tenantId)}${ofProject} and ${matchesPairs(metadata)}${beyond}
        order by trace_id
        limit ${uint(BATCH)}`,
      TRACE_ROW,
    )
    if (rows.length > 0) yield rows.map((row) => row.trace_id)
    if (rows.length < BATCH) return
    after = rows.at(-1)?.trace_id
  }
}

const ROUNDS = 3

async function deleteTraceBatch(
  deps: DeleteDeps,
  tenantId: string,
  traces: TraceBatch,
  record: DeletionRecord,
): Promise<number> {
  const doomed = matchesTraces(tenantId, traces)
  const runIds = sql`(select id from trace_runs final where ${doomed})`
  const ids = sql`run_id in ${runIds}`
  const attachments = matchesAttachments(tenantId, runIds)
  let deleted = 0
  // A write that read a run before its tombstone may land after it; another round deletes that, too.
  for (let round = 0; round < ROUNDS; round++) {
    const runs = await countRuns(deps, doomed)
    if (runs === 0) break
    deleted += runs
    await record.count({ runs, feedback: await countFeedback(deps, tenantId, ids) })
    await noteAttachments(deps, tenantId, attachments, record)
    await deleteFeedbackWhere(deps, tenantId, ids)
    await deps.analytics.command(
      sql`delete from run_attachments where tenant_id = ${uuid(tenantId)} and ${attachments}`,
    )
    await deleteAliases(deps, tenantId, runIds)
    await deps.analytics.command(sql`delete from run_links where ${doomed}`)
    await deleteDecisionsWhere(deps, tenantId, ids)
    await insertTombstones(deps, tenantId, doomed)
  }
  await deleteClaimsOfTraces(deps.relational.db, tenantId, traces.traceIds)
  if (deleted > 0) {
    const shares = await revokeLinksOfMissingRuns(deps, tenantId)
    await record.count({ shares, queue_items: await removeGoneItems(deps, tenantId, traces.traceIds) })
    record.addRemaining(await countRemaining(deps, tenantId, doomed))
  }
  return deleted
}

/**
 * Condition on `run_attachments`: the files of runs, also those that came under the padded ids of their spans. A padded id
 * may be the run of another trace, whose files stay. Only until the aliases are deleted.
 *
 * @param runIds  a select of ids
 */
export function matchesAttachments(tenantId: string, runIds: Fragment): Fragment {
  const tenant = sql`tenant_id = ${uuid(tenantId)}`
  const aliases = sql`select id from run_aliases final where ${tenant} and run_id in ${runIds}`
  return sql`(run_id in ${runIds} or run_id in (
      select id from run_aliases final
      where ${tenant} and run_id in ${runIds}
        and id not in (select id from run_keys final where ${tenant} and id in (${aliases}))))`
}

/** @param runIds  a select of ids; the id of a root's run is also an alias itself */
export async function deleteAliases(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  runIds: Fragment,
): Promise<void> {
  await analytics.command(
    sql`delete from run_aliases where tenant_id = ${uuid(tenantId)} and (run_id in ${runIds} or id in ${runIds})`,
  )
}

/** Condition on `trace_runs`. */
function matchesTraces(tenantId: string, { traceIds, projectId }: TraceBatch): Fragment {
  const ofProject = projectId ? sql` and session_id = ${uuid(projectId)}` : literal('')
  return sql`tenant_id = ${uuid(tenantId)} and trace_id in ${uuids(traceIds)}${ofProject}`
}

const matchesPairs = (metadata: NonNullable<RunDeletion['metadata']>) =>
  join(Object.entries(metadata).map(([key, values]) => matchesMetadata(key, [values].flat())))

/**
 * A metadata string is stored with a leading `"`, any other value as its JSON text. The text of an integer that JSON would
 * round stands for the number as well, which no request can hold.
 */
function matchesMetadata(key: string, values: readonly (string | number | boolean)[]): Fragment {
  const stored = values.flatMap((value) => {
    if (typeof value !== 'string') return [JSON.stringify(value)]
    return isLongInteger(value) ? [`"${value}`, value] : [`"${value}`]
  })
  return sql`arrayExists((name, value) -> name = ${text(key)} and value in ${texts(stored)}, metadata.key, metadata.value)`
}

async function countRuns({ analytics }: DeleteDeps, doomed: Fragment): Promise<number> {
  const [row] = await analytics.query(sql`select count() as n from trace_runs final where ${doomed}`, COUNT_ROW)
  return row?.n ?? 0
}

/** Columns that the tables with a subset of the runs filter by; without them they would miss the tombstone. */
const FILTER_COLUMNS = `parent_run_id, run_type, prompt_tokens, completion_tokens, total_tokens, prompt_cost, completion_cost,
  total_cost`

async function insertTombstones({ analytics }: DeleteDeps, tenantId: string, doomed: Fragment): Promise<void> {
  const key = 'tenant_id, session_id, start_time, id, trace_id'
  await analytics.command(sql`
    insert into runs (${literal(`${key}, ${FILTER_COLUMNS}, version, is_deleted`)})
    select ${literal(`${key}, ${FILTER_COLUMNS}, version + 1, 1`)}
    from runs final
    where tenant_id = ${uuid(tenantId)}
      and (session_id, start_time, id) in (select session_id, start_time, id from trace_runs final where ${doomed})`)
}

/**
 * Counts the rows of deleted runs that are still visible, in every table with runs or data of runs.
 *
 * @param doomed  conditions on `trace_runs`, whose tombstones still name the runs
 */
async function countRemaining(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  doomed: Fragment,
): Promise<number> {
  const tenant = sql`tenant_id = ${uuid(tenantId)}`
  const ids = sql`(select id from trace_runs where ${doomed})`
  const keys = sql`${tenant} and (session_id, start_time, id) in (
      select session_id, start_time, id from trace_runs where ${doomed})`
  const [row] = await analytics.query(
    sql`
      select (select count() from runs final where ${keys})
        + (select count() from run_keys final where ${tenant} and id in ${ids})
        + (select count() from trace_runs final where ${doomed})
        + (select count() from run_links final where ${doomed})
        + (select count() from project_roots final where ${keys})
        + (select count() from project_usage final where ${keys})
        + (select count() from run_feedback final where ${tenant} and run_id in ${ids})
        + (select count() from feedback_keys final where ${tenant} and run_id in ${ids})
        + (select count() from run_attachments final where ${tenant} and run_id in ${ids})
        + (select count() from rule_decisions final where ${tenant} and run_id in ${ids})
        + (select count() from run_aliases final where ${tenant} and (run_id in ${ids} or id in ${ids})) as n`,
    COUNT_ROW,
  )
  return row?.n ?? 0
}

/**
 * Revokes the public links of runs that no longer exist. Conditions selected the deleted runs, so their ids are
 * unknown.
 *
 * @returns the number of revoked links
 */
async function revokeLinksOfMissingRuns({ analytics, relational }: DeleteDeps, tenantId: string): Promise<number> {
  const shared = (await selectRunShares(relational.db, tenantId)).map((share) => share.run_id)
  if (shared.length === 0) return 0
  const rows = await analytics.query(
    sql`select id from run_keys final where tenant_id = ${uuid(tenantId)} and id in ${uuids(shared)}`,
    ID_ROW,
  )
  const existing = new Set(rows.map((row) => row.id))
  const missing = shared.filter((id) => !existing.has(id))
  return missing.length === 0 ? 0 : revokePublicLinks(relational.db, tenantId, { by: 'run', ids: missing })
}
