import type { AnnotationQueue, Reviewer } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { addRawMembers } from '../../json/write-object.ts'
import type { QueueRow } from '../../storage/relational/tables/annotation-queues.ts'
import { findIdentities } from '../accounts/auth/index.ts'
import { presentRubric } from './rubric.ts'
import { selectReviewers } from './store.ts'

/** Assigned reviewers by queue. */
export type ReviewersOf = (queueId: string) => readonly Reviewer[]

export async function readReviewers(
  deps: Pick<Deps, 'relational'>,
  tenantId: string,
  queueIds: readonly string[],
): Promise<ReviewersOf> {
  const assigned = await selectReviewers(deps.relational.db, queueIds)
  const identities = await findIdentities(deps, tenantId, [...new Set([...assigned.values()].flat())])
  return (queueId) => (assigned.get(queueId) ?? []).map((id) => identities.get(id) ?? { id, name: null, email: null })
}

/** A queue as JSON text, metadata spliced in as it came; `more` are members that only some answers have. */
export function presentQueue(
  row: QueueRow,
  reviewers: ReviewersOf,
  more: Readonly<Record<string, string>> = {},
): string {
  const queue: Omit<AnnotationQueue, 'metadata'> = {
    id: row.id,
    tenant_id: row.tenant_id,
    name: row.name,
    description: row.description,
    created_at: row.created_at,
    updated_at: row.updated_at,
    queue_type: row.queue_type as AnnotationQueue['queue_type'],
    default_dataset: row.default_dataset,
    num_reviewers_per_item: row.num_reviewers_per_item,
    enable_reservations: row.enable_reservations,
    reservation_minutes: row.reservation_minutes,
    reviewer_access_mode: row.reviewer_access_mode as AnnotationQueue['reviewer_access_mode'],
    source_rule_id: null,
    run_rule_id: null,
    assigned_reviewers: [...reviewers(row.id)],
  }
  return addRawMembers(queue, { metadata: row.metadata, ...more })
}

/** The same with its rubric, which the answer of creating it must not have. */
export async function presentWithRubric(deps: Pick<Deps, 'relational'>, row: QueueRow): Promise<string> {
  return presentQueue(row, await readReviewers(deps, row.tenant_id, [row.id]), {
    rubric_instructions: JSON.stringify(row.rubric_instructions),
    rubric_items: await presentRubric(deps, row),
  })
}
