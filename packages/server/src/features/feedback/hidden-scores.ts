import { hidesOthersScores } from '@touchstone/contract'
import { and, eq, isNull, or, sql as select } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { currentRequest, type Reader } from '../../http/serve.ts'
import { sql, text, uint, uuid, uuids } from '../../storage/analytics/sql.ts'
import { arrayLiteral, isAnyOf } from '../../storage/relational/columns.ts'
import { queueItems, annotationQueues as queues } from '../../storage/relational/tables/annotation-queues.ts'
import { columns, text as textOf } from '../../storage/rows.ts'
import { NO_RUN } from './feedback-row.ts'

type HidingDeps = Pick<Deps, 'relational' | 'analytics'>

/**
 * Reads which rows of `run_feedback` the current request must not read: what other people said about items that wait for
 * the review of the caller, in queues that hide it.
 *
 * @returns a condition on the rows that may be read, as SQL without parameters; undefined where nothing is hidden
 */
export type ReadHiddenScores = () => Promise<string | undefined>

/**
 * @param limit  items that a condition names; with more, only those that others rated; with more of these, it hides all
 *   scores of other people
 */
export function openHiddenScores(deps: HidingDeps, limit = MAX_ITEMS): ReadHiddenScores {
  const found = new WeakMap<object, Promise<string | undefined>>()
  return async () => {
    const request = currentRequest.getStore()
    if (request?.caller === undefined) return undefined
    const known = found.get(request) ?? readCondition(deps, request.caller, limit)
    found.set(request, known)
    return known
  }
}

/** What a check of ids needs. The selects of `analytics` are those of the caller, without hidden scores. */
export type HiddenIdDeps = Pick<Deps, 'analytics'> & { readonly readHiddenScores: ReadHiddenScores }

/** The ids that belong to stored records which the caller must not read. */
export async function selectHiddenIds(
  { analytics, readHiddenScores }: HiddenIdDeps,
  tenantId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0 || (await readHiddenScores()) === undefined) return new Set()
  const tenant = uuid(tenantId)
  const isNamed = sql`tenant_id = ${tenant} and id in ${uuids(ids)}`
  const rows = await analytics.query(
    sql`
      select id
      from feedback_keys final
      where ${isNamed} and id not in (
        select id
        from run_feedback final
        where tenant_id = ${tenant} and (run_id, key, id) in (select run_id, key, id from feedback_keys final where ${isNamed}))`,
    columns({ id: textOf }),
  )
  return new Set(rows.map(({ id }) => id))
}

/** The problem of a write whose id belongs to a hidden record. It does not tell what the record contains. */
export const HIDDEN_ID =
  'Feedback with this id exists, and a queue hides it from you until your review is done. Use another id.'

/** Applies the condition to every select that reads feedback. */
export function hideScores(read: ReadHiddenScores) {
  return async (statement: string): Promise<Record<string, string>> => {
    const condition = /\brun_feedback\b/.test(statement) ? await read() : undefined
    return condition === undefined ? {} : { run_feedback: condition }
  }
}

/** Items that a condition names. */
const MAX_ITEMS = 10_000
/** Characters of a condition: the engine accepts statements of a million. */
const MAX_CHARACTERS = 500_000

async function readCondition(deps: HidingDeps, caller: Reader, limit: number): Promise<string | undefined> {
  const { actorId, tenantId } = caller
  // Callers of an open server share one identity, so there are no others.
  if (actorId === undefined || caller.role === 'viewer') return undefined
  const queueIds = await selectHidingQueues(deps, caller, actorId)
  if (queueIds.length === 0) return undefined
  const reviewer = { tenantId, actorId, queueIds }
  let items = await selectWaiting(deps, reviewer, limit)
  if (items.length > limit) {
    const rated = await selectRated(deps, reviewer, limit)
    if (rated.length > limit) return whereOwn(actorId)
    items = await selectWaiting(deps, reviewer, limit, rated)
  }
  if (items.length === 0) return undefined
  const condition = whereVisible(actorId, items)
  return items.length > limit || condition.length > MAX_CHARACTERS ? whereOwn(actorId) : condition
}

/** A run, or a thread of a project. */
interface Subject {
  readonly runId: string | null
  readonly projectId: string | null
  readonly threadId: string | null
}

interface Reviewer {
  readonly tenantId: string
  readonly actorId: string
  readonly queueIds: readonly string[]
}

async function selectHidingQueues({ relational }: HidingDeps, caller: Reader, actorId: string): Promise<string[]> {
  const isAssigned = select<boolean>`exists (select 1 from annotation_queue_reviewers as reviewer
    where reviewer.queue_id = ${queues.id} and reviewer.identity_id = ${actorId}::uuid)`
  const rows = await relational.db
    .select({
      id: queues.id,
      hide_others_scores: queues.hide_others_scores,
      reviewer_access_mode: queues.reviewer_access_mode,
      isAssigned,
    })
    .from(queues)
    .where(and(eq(queues.tenant_id, caller.tenantId), queues.hide_others_scores))
  const { kind, role } = caller
  return rows.flatMap((queue) => {
    const isHiding = hidesOthersScores(queue, { kind, role, isAssigned: queue.isAssigned })
    return isHiding ? [queue.id] : []
  })
}

/**
 * Items that wait for the review of the caller.
 *
 * @param rated  only these runs and threads
 * @returns one more than the limit when there are more
 */
function selectWaiting(
  { relational }: HidingDeps,
  { tenantId, actorId, queueIds }: Reviewer,
  limit: number,
  rated?: readonly Subject[],
): Promise<Subject[]> {
  const { run_id, thread_id, project_id } = queueItems
  const isRated =
    rated &&
    or(
      isAnyOf(
        run_id,
        rated.flatMap(({ runId }) => runId ?? []),
      ),
      select`${thread_id} = any(${arrayLiteral(rated.flatMap(({ threadId }) => threadId ?? []))}::text[])`,
    )
  return relational.db
    .selectDistinct({
      runId: run_id,
      projectId: select<string | null>`case when ${run_id} is null then ${project_id} end`,
      threadId: thread_id,
    })
    .from(queueItems)
    .where(
      and(
        eq(queueItems.tenant_id, tenantId),
        isAnyOf(queueItems.queue_id, queueIds),
        isNull(queueItems.completed_at),
        select`not exists (select 1 from annotation_queue_reviews as review
          where review.item_id = ${queueItems.id} and review.identity_id = ${actorId}::uuid
            and review.completed_at is not null)`,
        isRated,
      ),
    )
    .limit(limit + 1)
}

/** Runs and threads that other people rated in the app; one more than the limit when there are more. */
async function selectRated(
  { analytics }: HidingDeps,
  { tenantId, actorId }: Reviewer,
  limit: number,
): Promise<Subject[]> {
  const rows = await analytics.query(
    sql`
      select distinct toString(run_id) as run, feedback_thread_id as thread
      from run_feedback final
      where tenant_id = ${uuid(tenantId)} and source_type = 'app'
        and JSONExtractString(feedback_source, 'user_id') != ${text(actorId)}
      limit ${uint(limit + 1)}`,
    columns({ run: textOf, thread: textOf }),
  )
  return rows.map(({ run, thread }) => ({
    runId: run === NO_RUN ? null : run,
    projectId: null,
    threadId: thread === '' ? null : thread,
  }))
}

/** @param items  not empty; ids are UUIDs, and the ids of threads are printed as hexadecimal digits */
function whereVisible(actorId: string, items: readonly Subject[]): string {
  const runs = items.flatMap(({ runId }) => (runId === null ? [] : [`'${runId}'`]))
  const threads = items.flatMap(({ runId, projectId, threadId }) =>
    runId !== null || threadId === null ? [] : [`'${projectId}${Buffer.from(threadId).toString('hex').toUpperCase()}'`],
  )
  const hidden = [
    ...(runs.length > 0 ? [`run_id in (${runs.join(',')})`] : []),
    ...(threads.length > 0
      ? [`concat(ifNull(toString(session_id), ''), hex(feedback_thread_id)) in (${threads.join(',')})`]
      : []),
  ]
  return `not (${IS_OF_APP} and (${hidden.join(' or ')}) and ${isNotOf(actorId)})`
}

/** For more items than a condition can name: the scores of all other people are hidden. */
const whereOwn = (actorId: string) => `not (${IS_OF_APP} and ${isNotOf(actorId)})`

const IS_OF_APP = "source_type = 'app'"
/** Stands last: it reads JSON, and the engine evaluates it only for rows that satisfy what is before it. */
const isNotOf = (actorId: string) => `JSONExtractString(feedback_source, 'user_id') != '${actorId}'`
