import { ApiError, type FeedbackUpdate } from '@touchstone/contract'
import { findOvertaken, overtaken } from '../../storage/relational/expected.ts'
import { ABSENT, type FeedbackRow, type FeedbackWrite, type SubmitFeedback } from './feedback-row.ts'
import { HIDDEN_ID, type HiddenIdDeps, selectHiddenIds } from './hidden-scores.ts'
import {
  completeChanges,
  type GivenFeedback,
  normalizeChanges,
  type PrepareDeps,
  prepareFeedback,
} from './normalize-feedback.ts'
import { getFeedback } from './read-feedback.ts'

export type SubmitDeps = PrepareDeps & HiddenIdDeps & { readonly submitFeedback: SubmitFeedback }

/**
 * Stores feedback, also on a run that has not arrived yet. A record with the same id is replaced.
 *
 * @throws ApiError CONFLICT when the record with the same id is hidden from the caller
 */
export async function createFeedback(deps: SubmitDeps, tenantId: string, given: GivenFeedback): Promise<FeedbackRow> {
  const { id } = given.body
  if (id != null && (await selectHiddenIds(deps, tenantId, [id])).has(id)) throw new ApiError('CONFLICT', HIDDEN_ID)
  const [row] = await prepareFeedback(deps, tenantId, [given])
  if (row === undefined) throw new Error('The feedback was not prepared.')
  return submitAndRead(deps, tenantId, { kind: 'put', row })
}

/** Changes the given fields. @throws ApiError NOT_FOUND, or CONFLICT when an expected value was changed */
export async function updateFeedback(
  deps: SubmitDeps,
  tenantId: string,
  id: string,
  body: FeedbackUpdate,
  members: ReadonlyMap<string, string>,
): Promise<FeedbackRow> {
  const { key } = await getFeedback(deps, tenantId, id)
  const changes = await completeChanges(deps, tenantId, key, normalizeChanges(body, members))
  const { expected } = body
  let changed: readonly string[] = []
  const isExpected = (stored: FeedbackRow) => {
    changed = findOvertaken(expected, toContent(stored))
    return changed.length === 0
  }
  try {
    return await submitAndRead(deps, tenantId, { kind: 'change', id, changes, isExpected })
  } catch (error) {
    throw changed.length > 0 ? overtaken('The feedback', changed) : error
  }
}

/** The fields of a record that an update may expect. */
function toContent({ score, value, comment, correction }: FeedbackRow) {
  return { score, value: parseRaw(value), comment, correction: parseRaw(correction) }
}

const parseRaw = (json: string): unknown => (json === '' ? null : JSON.parse(json))

/** @throws ApiError NOT_FOUND, also for a record that is hidden from the caller */
export async function deleteFeedback(deps: SubmitDeps, tenantId: string, id: string): Promise<void> {
  await getFeedback(deps, tenantId, id)
  return submit(deps, tenantId, { kind: 'delete', id })
}

/** Stores one write and returns the stored record. */
async function submitAndRead(
  deps: SubmitDeps,
  tenantId: string,
  write: Extract<FeedbackWrite, { kind: 'put' | 'change' }>,
): Promise<FeedbackRow> {
  let row: FeedbackRow | undefined
  const onStored = (now: FeedbackRow) => {
    row = now
  }
  await submit(deps, tenantId, { ...write, onStored })
  return row ?? getFeedback(deps, tenantId, write.kind === 'put' ? write.row.id : write.id)
}

/** Stores one write. @throws ApiError NOT_FOUND when the record does not exist */
export async function submit(
  { submitFeedback }: Pick<SubmitDeps, 'submitFeedback'>,
  tenantId: string,
  write: FeedbackWrite,
): Promise<void> {
  const problem = (await submitFeedback(tenantId, [write])).get(write)
  if (problem === undefined) return
  throw new ApiError(problem === ABSENT ? 'NOT_FOUND' : 'INVALID_REQUEST', problem)
}
