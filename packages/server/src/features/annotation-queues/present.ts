import type { AnnotationQueue, FeedbackConfigEntry, Reviewer, RubricItem } from '@touchstone/contract'
import { splitElements, splitMembers } from '@touchstone/formats/cut-json'
import { addRawMembers, printObject } from '@touchstone/formats/write-object'
import type { Deps } from '../../deps.ts'
import type { QueueRow } from '../../storage/relational/tables/annotation-queues.ts'
import { findIdentities } from '../accounts/auth/index.ts'
import { listConfigsByKey } from '../feedback/index.ts'
import { selectReviewers } from './store.ts'

/** Assigned reviewers by queue. */
export type GetReviewers = (queueId: string) => readonly Reviewer[]

export async function readReviewers(
  deps: Pick<Deps, 'relational'>,
  tenantId: string,
  queueIds: readonly string[],
): Promise<GetReviewers> {
  const assigned = await selectReviewers(deps.relational.db, queueIds)
  const identities = await findIdentities(deps, tenantId, [...new Set([...assigned.values()].flat())])
  return (queueId) => (assigned.get(queueId) ?? []).map((id) => identities.get(id) ?? { id, name: null, email: null })
}

/** A queue as JSON text with the raw JSON of its metadata. `more` are members that only some responses have. */
export function presentQueue(
  row: QueueRow,
  reviewers: GetReviewers,
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
    hide_others_scores: row.hide_others_scores,
    source_rule_id: null,
    run_rule_id: null,
    assigned_reviewers: [...reviewers(row.id)],
  }
  return addRawMembers(queue, { metadata: row.metadata, ...more })
}

/** A queue with its rubric, which the response of its creation must not contain. */
export async function presentWithRubric(deps: Pick<Deps, 'relational'>, row: QueueRow): Promise<string> {
  return presentQueue(row, await readReviewers(deps, row.tenant_id, [row.id]), {
    rubric_instructions: JSON.stringify(row.rubric_instructions),
    rubric_items: await presentRubric(deps, row),
  })
}

/** Conditions that an update keeps unless it names them. */
const KEPT = ['required_if', 'visible_if']

/**
 * JSON text of a rubric to store: its items without the configs that reads add.
 *
 * @param before  the stored rubric; an item without conditions keeps the stored conditions of its key
 */
export function toStoredRubric(items: string, before: string | null): string {
  const stored = new Map(parseRubricItems(before).map((item) => [readItemKey(item), item]))
  const texts = parseRubricItems(items).map((item) => {
    item.delete('feedback_config')
    for (const name of KEPT) {
      const kept = stored.get(readItemKey(item))?.get(name)
      if (kept !== undefined && !item.has(name)) item.set(name, kept)
    }
    return printObject(item)
  })
  return `[${texts.join(',')}]`
}

/** JSON text of a rubric for the response: each item has its own config or the config of its key. */
async function presentRubric(deps: Pick<Deps, 'relational'>, { tenant_id, rubric_items }: QueueRow): Promise<string> {
  if (rubric_items === null) return 'null'
  const items = parseRubricItems(rubric_items)
  const configs = await listConfigsByKey(deps, tenant_id, items.map(readItemKey))
  const texts = items.map((item) => {
    const config = toConfig(item, configs.get(readItemKey(item)))
    if (config !== undefined) item.set('feedback_config', JSON.stringify(config))
    return printObject(item)
  })
  return `[${texts.join(',')}]`
}

/** Feedback keys of a rubric, in order. */
export function listRubricKeys({ rubric_items }: QueueRow): string[] {
  return parseRubricItems(rubric_items).map(readItemKey)
}

/** @param effective  the effective config of the key */
function toConfig(
  item: ReadonlyMap<string, string>,
  effective: FeedbackConfigEntry | undefined,
): FeedbackConfigEntry | null | undefined {
  const id = JSON.parse(item.get('feedback_config_id') ?? 'null') as RubricItem['feedback_config_id']
  if (id == null || effective?.is_enforced) return effective
  return effective?.id === id.toLowerCase() ? effective : null
}

function parseRubricItems(rubric: string | null): Map<string, string>[] {
  return rubric === null ? [] : splitElements(rubric).map(splitMembers)
}

function readItemKey(item: ReadonlyMap<string, string>): string {
  return JSON.parse(item.get('feedback_key') ?? '""') as string // required by the contract
}
