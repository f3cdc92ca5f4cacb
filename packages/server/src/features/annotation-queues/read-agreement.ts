import type { FeedbackConfigEntry, KeyAgreement, QueueAgreement } from '@touchstone/contract'
import { and, desc, eq, sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { type QueueRow, queueItems } from '../../storage/relational/tables/annotation-queues.ts'
import { LOCAL_IDENTITY } from '../accounts/auth/index.ts'
import { listConfigsByKey, printThreadSubject, readPersonAnswers } from '../feedback/index.ts'
import { type Answer, measureAgreement } from './agreement.ts'
import { listRubricKeys } from './present.ts'

/** Items whose answers are read; beyond it, the latest ones. */
const MAX_ITEMS = 10_000

/** How far the reviewers of a queue agree on each question of its rubric, over runs and threads that several of them completed. */
export async function readAgreement(
  deps: Pick<Deps, 'relational' | 'analytics'>,
  queue: QueueRow,
): Promise<QueueAgreement> {
  const keys = [...new Set(listRubricKeys(queue))]
  const { total, items } = await selectSharedItems(deps, queue)
  const reviewers = new Map(items.map(({ subject, completers }) => [subject, new Set(completers)]))
  const runIds = items.flatMap(({ runId }) => runId ?? [])
  const threads = items.flatMap(({ thread }) => thread ?? [])
  const given = await readPersonAnswers(deps, queue.tenant_id, { runIds, threads, keys })
  // Others may have scored the item in another queue or on its own page.
  const answers = given.filter(({ subject, author_id }) => reviewers.get(subject)?.has(author_id || LOCAL_IDENTITY))
  const configs = await listConfigsByKey(deps, queue.tenant_id, keys)
  return {
    keys: keys.map((key) =>
      summarizeKey(
        key,
        answers.filter((answer) => answer.key === key),
        configs.get(key),
      ),
    ),
    items: total,
    items_read: items.length,
  }
}

type PersonAnswers = Awaited<ReturnType<typeof readPersonAnswers>>

function summarizeKey(key: string, answers: PersonAnswers, config: FeedbackConfigEntry | undefined): KeyAgreement {
  const level = findLevel(answers, config)
  const units = new Map<string, Answer[]>()
  for (const { subject, score, label } of answers) {
    const answer = level === 'interval' ? score : (score ?? label)
    if (answer === null) continue
    const others = units.get(subject)
    if (others === undefined) units.set(subject, [answer])
    else others.push(answer)
  }
  const { items, alpha, equalShare } = measureAgreement([...units.values()], level)
  const reviewers = new Set(answers.map((answer) => answer.author_id)).size
  return { key, level, items, reviewers, alpha, equal_share: equalShare }
}

/** Categories and texts are compared for equality only, numbers by their distance. */
function findLevel(answers: PersonAnswers, config: FeedbackConfigEntry | undefined): KeyAgreement['level'] {
  const type = config?.feedback_config?.type
  if (type === 'continuous') return 'interval'
  if (type !== undefined) return 'nominal'
  return answers.some(({ score }) => score === null) ? 'nominal' : 'interval'
}

/** Items that at least two reviewers completed, the latest first, and how many such items there are. */
async function selectSharedItems({ relational: { db } }: Pick<Deps, 'relational'>, queue: QueueRow) {
  const completers = sql<string[]>`array(
    select review.identity_id::text from annotation_queue_reviews as review
    where review.item_id = ${queueItems.id} and review.completed_at is not null)`
  const rows = await db
    .select({
      runId: queueItems.run_id,
      threadId: queueItems.thread_id,
      projectId: queueItems.project_id,
      completers,
      total: sql<number>`count(*) over ()`.mapWith(Number),
    })
    .from(queueItems)
    .where(
      and(
        eq(queueItems.tenant_id, queue.tenant_id),
        eq(queueItems.queue_id, queue.id),
        sql`cardinality(${completers}) >= 2`,
      ),
    )
    .orderBy(desc(queueItems.last_reviewed_time), desc(queueItems.number))
    .limit(MAX_ITEMS)
  const items = rows.map(({ runId, threadId, projectId, completers }) => {
    const thread = runId === null && threadId !== null ? { projectId, threadId } : undefined
    return { runId, thread, completers, subject: thread ? printThreadSubject(thread) : (runId ?? '') }
  })
  return { total: rows[0]?.total ?? 0, items }
}
