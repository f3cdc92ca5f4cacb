import { isDeepStrictEqual } from 'node:util'
import { type AnnotationQueueCreate, type AnnotationQueueUpdate, ApiError, timeOfEpochMs } from '@touchstone/contract'
import { splitMembers } from '@touchstone/formats/cut-json'
import { overtaken } from '../../storage/relational/expected.ts'
import { withTransaction } from '../../storage/relational/port.ts'
import type { QueueRow } from '../../storage/relational/tables/annotation-queues.ts'
import { getDataset } from '../datasets/index.ts'
import type { AddDeps } from './add-items.ts'
import { assertProjectsExist, populateQueue } from './populate-queue.ts'
import { toStoredRubric } from './present.ts'
import { readRequiredReviews } from './review-item.ts'
import { getQueue, insertQueue, queueNotFound, settleItems, updateQueue } from './store.ts'

/**
 * Creates a queue and adds the runs of the named experiments.
 *
 * @param bodyText  JSON text of `body`
 * @throws ApiError CONFLICT when the id is taken, NOT_FOUND for an unknown dataset or experiment
 */
export async function createQueue(
  deps: AddDeps,
  tenantId: string,
  body: AnnotationQueueCreate,
  bodyText: string,
): Promise<QueueRow> {
  const sessionIds = body.session_ids ?? []
  await assertProjectsExist(deps, tenantId, sessionIds)
  if (body.default_dataset) await getDataset(deps, tenantId, body.default_dataset)
  const texts = splitMembers(bodyText)
  const now = timeOfEpochMs(deps.clock())
  const row: QueueRow = {
    id: body.id ?? deps.ids(),
    tenant_id: tenantId,
    name: body.name,
    description: body.description ?? null,
    queue_type: sessionIds.length === 2 ? 'pairwise' : 'single',
    default_dataset: body.default_dataset ?? null,
    num_reviewers_per_item: body.num_reviewers_per_item === undefined ? 1 : body.num_reviewers_per_item,
    enable_reservations: body.enable_reservations ?? true,
    reservation_minutes: body.reservation_minutes ?? 1,
    reviewer_access_mode: body.reviewer_access_mode ?? 'any',
    hide_others_scores: body.hide_others_scores ?? false,
    rubric_instructions: body.rubric_instructions ?? null,
    rubric_items: body.rubric_items == null ? null : toStoredRubric(texts.get('rubric_items') ?? '[]', null),
    metadata: body.metadata == null ? null : (texts.get('metadata') ?? null),
    created_at: body.created_at ?? now,
    updated_at: body.updated_at ?? body.created_at ?? now,
  }
  await deps.relational.transaction(async (tx) => {
    const inside = { ...deps, relational: withTransaction(deps.relational, tx) }
    if (!(await insertQueue(tx, row))) {
      throw new ApiError('CONFLICT', 'An annotation queue of this id already exists.')
    }
    if (sessionIds.length > 0) await populateQueue(inside, tenantId, row.id, { session_ids: sessionIds })
  })
  return row
}

/**
 * Changes a queue. A new number of reviewers also changes which items are completed.
 *
 * @param bodyText  JSON text of `body`
 * @throws ApiError NOT_FOUND for an unknown queue or dataset, CONFLICT when it does not have the expected values
 */
export async function changeQueue(
  deps: AddDeps,
  tenantId: string,
  id: string,
  body: AnnotationQueueUpdate,
  bodyText: string,
): Promise<QueueRow> {
  if (body.default_dataset) await getDataset(deps, tenantId, body.default_dataset)
  return deps.relational.transaction(async (tx) => {
    const before = await getQueue(tx, tenantId, id, 'update')
    if (body.expected) assertExpected(before, body.expected, bodyText)
    const changes = { ...toChanges(body, bodyText, before), updated_at: timeOfEpochMs(deps.clock()) }
    const row = await updateQueue(tx, tenantId, id, changes)
    if (row === undefined) throw queueNotFound()
    await settleItems(
      tx,
      row,
      await readRequiredReviews({ ...deps, relational: withTransaction(deps.relational, tx) }, row),
    )
    return row
  })
}

function toChanges(body: AnnotationQueueUpdate, bodyText: string, before: QueueRow): Partial<QueueRow> {
  const texts = splitMembers(bodyText)
  const { rubric_items, metadata } = body
  // Null clears these fields; for the other fields, null means no change.
  const { description, rubric_instructions, default_dataset, num_reviewers_per_item } = body
  const { name, enable_reservations, reservation_minutes, reviewer_access_mode, hide_others_scores } = body
  return {
    ...(description !== undefined && { description }),
    ...(rubric_instructions !== undefined && { rubric_instructions }),
    ...(default_dataset !== undefined && { default_dataset }),
    ...(num_reviewers_per_item !== undefined && { num_reviewers_per_item }),
    ...(rubric_items !== undefined && {
      rubric_items: rubric_items && toStoredRubric(texts.get('rubric_items') ?? '[]', before.rubric_items),
    }),
    ...(metadata !== undefined && { metadata: metadata && (texts.get('metadata') ?? null) }),
    ...(name != null && { name }),
    ...(enable_reservations != null && { enable_reservations }),
    ...(reservation_minutes != null && { reservation_minutes }),
    ...(reviewer_access_mode != null && { reviewer_access_mode }),
    ...(hide_others_scores != null && { hide_others_scores }),
  }
}

/** @throws ApiError CONFLICT when the queue does not have the expected values; its problems name the fields */
function assertExpected(before: QueueRow, given: Expected, bodyText: string): void {
  const texts = splitMembers(splitMembers(bodyText).get('expected') ?? '{}')
  const changed = SETTINGS.filter((field) => {
    const expected = texts.get(field)
    // Fields that stay unchanged are absent from what was parsed, however they were sent.
    return given[field] !== undefined && expected !== undefined && !HAS_VALUE[field](before, expected)
  })
  if (changed.length > 0) throw overtaken('The queue', changed)
}

/** Whether a queue has a value of a setting. @param expected  JSON text, as reads return it */
type HasValue = (row: QueueRow, expected: string) => boolean
type Expected = NonNullable<AnnotationQueueUpdate['expected']>

const isSame =
  (field: keyof Expected & keyof QueueRow): HasValue =>
  (row, expected) =>
    row[field] === JSON.parse(expected)
/** An empty text is the same as none. */
const isSameText =
  (field: 'description' | 'rubric_instructions'): HasValue =>
  (row, expected) =>
    (row[field] ?? '') === (JSON.parse(expected) ?? '')

/** A line for each setting that an update can expect. */
const HAS_VALUE: Readonly<Record<keyof Expected, HasValue>> = {
  name: isSame('name'),
  description: isSameText('description'),
  default_dataset: isSame('default_dataset'),
  num_reviewers_per_item: isSame('num_reviewers_per_item'),
  enable_reservations: isSame('enable_reservations'),
  reservation_minutes: isSame('reservation_minutes'),
  reviewer_access_mode: isSame('reviewer_access_mode'),
  hide_others_scores: isSame('hide_others_scores'),
  rubric_instructions: isSameText('rubric_instructions'),
  rubric_items: (row, expected) =>
    isDeepStrictEqual(
      JSON.parse(row.rubric_items ?? '[]'),
      JSON.parse(toStoredRubric(expected === 'null' ? '[]' : expected, null)),
    ),
  metadata: (row, expected) => isDeepStrictEqual(JSON.parse(row.metadata ?? 'null'), JSON.parse(expected)),
}

const SETTINGS = Object.keys(HAS_VALUE) as (keyof Expected)[]
