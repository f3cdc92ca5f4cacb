import { csvHeader, csvLine, type Feedback, type QueueExportQuery } from '@touchstone/contract'
import { and, asc, getTableColumns, sql } from 'drizzle-orm'
import { queueItems } from '../../storage/relational/tables/annotation-queues.ts'
import { findIdentities } from '../accounts/auth/index.ts'
import { readRunFeedback } from '../feedback/index.ts'
import type { RunViewDeps } from '../runs/index.ts'
import { type QueueRunView, withRuns } from './queue-runs.ts'
import { type ItemView, matches, withReviewers } from './read-items.ts'
import type { ReviewContext } from './review-item.ts'

const BATCH = 100

/** A run with the feedback on it, oldest first. */
interface Row extends QueueRunView {
  readonly feedback: readonly Feedback[]
}

/**
 * A CSV file with a line for each completed run, in the order of their completion: `run_id`, `inputs` and `outputs` as
 * JSON, `feedback.{key}` with the mean score (or the values, without scores), `comment` with all comments. With the
 * detail of annotators, each score is listed separately, and `completed_by` names the reviewers.
 */
export async function* writeQueueCsv(
  deps: RunViewDeps,
  context: ReviewContext,
  query: QueueExportQuery,
): AsyncGenerator<string> {
  const inDetail = query?.include_annotator_detail ?? false
  const keys = new Set<string>()
  // The header contains all keys, so feedback is read twice; payloads are read once.
  for await (const rows of readCompletedRuns(deps, context, query, new Set())) {
    for (const row of rows) for (const { key } of row.feedback) keys.add(key)
  }
  const sorted = [...keys].sort()
  const detail = inDetail ? ['completed_by'] : []
  yield csvHeader(
    ['run_id', 'inputs', 'outputs', ...sorted.map((key) => `feedback.${key}`), 'comment', ...detail],
    query?.for,
  )
  for await (const rows of readCompletedRuns(deps, context, query, new Set(['inputs', 'outputs']))) {
    const getName = inDetail ? await readReviewerNames(deps, context, rows) : undefined
    yield rows.map((row) => csvLine(toCells(row, sorted, getName), query?.for)).join('')
  }
}

function toCells(row: Row, keys: readonly string[], getName: ((id: string) => string) | undefined): string[] {
  const { run, view, feedback } = row
  const comments = feedback.filter(({ comment }) => comment).map(({ key, comment }) => `${key}: ${comment}`)
  return [
    run.row.id,
    run.row.inputs ?? '',
    run.row.outputs ?? '',
    ...keys.map((key) => summarizeFeedback(feedback, key, getName !== undefined)),
    comments.join('\n'),
    ...(getName ? [view.completedBy.map(getName).join('; ')] : []),
  ]
}

function summarizeFeedback(feedback: readonly Feedback[], wanted: string, inDetail: boolean): string {
  const records = feedback.filter(({ key }) => key === wanted)
  const scores = records.flatMap(({ score }) => (score == null ? [] : Number(score)))
  if (scores.length > 0) {
    return inDetail ? scores.join('; ') : String(scores.reduce((sum, score) => sum + score, 0) / scores.length)
  }
  const values = records.flatMap(({ value }) => (value == null ? [] : toCellText(value)))
  return values.join('; ')
}

const toCellText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

async function readReviewerNames(
  deps: RunViewDeps,
  { queue }: ReviewContext,
  rows: readonly Row[],
): Promise<(id: string) => string> {
  const ids = [...new Set(rows.flatMap(({ view }) => view.completedBy))]
  const identities = await findIdentities(deps, queue.tenant_id, ids)
  return (id) => identities.get(id)?.name ?? id
}

async function* readCompletedRuns(
  deps: RunViewDeps,
  context: ReviewContext,
  query: QueueExportQuery,
  fields: ReadonlySet<string>,
): AsyncGenerator<Row[]> {
  const tenantId = context.queue.tenant_id
  for await (const items of readCompletedItems(deps, context, query)) {
    const { found } = await withRuns(deps, tenantId, items, fields)
    const feedback = await readRunFeedback(
      deps,
      tenantId,
      found.map(({ run }) => run.row),
    )
    yield found.map((one) => {
      const records = feedback.get(one.run.row.id)?.records ?? []
      return { ...one, feedback: records.map((text) => JSON.parse(text) as Feedback) }
    })
  }
}

async function* readCompletedItems(
  { relational: { db } }: RunViewDeps,
  context: ReviewContext,
  query: QueueExportQuery,
): AsyncGenerator<ItemView[]> {
  const filter = {
    type: 'RUN',
    isCompleted: true,
    completedFrom: query?.start_time ?? undefined,
    completedBefore: query?.end_time ?? undefined,
  } as const
  let last: { readonly completedAt: string; readonly number: number } | undefined
  for (;;) {
    const after =
      last &&
      sql`(${queueItems.completed_at}, ${queueItems.number}) > (${last.completedAt}::timestamptz, ${last.number}::bigint)`
    const rows = await db
      .select({ item: getTableColumns(queueItems), effectiveAddedAt: queueItems.added_at })
      .from(queueItems)
      .where(and(matches(context, filter), after))
      .orderBy(asc(queueItems.completed_at), asc(queueItems.number))
      .limit(BATCH)
    if (rows.length > 0) yield await withReviewers(db, context, rows)
    if (rows.length < BATCH) return
    const item = rows.at(-1)?.item
    if (item == null || item.completed_at === null) return
    last = { completedAt: item.completed_at, number: item.number }
  }
}
