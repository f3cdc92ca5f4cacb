import { ApiError, RUN_FIELDS_DEFAULT, RunConditions } from '@touchstone/contract'
import { addRawMembers, joinObjects } from '@touchstone/formats/write-object'
import { presentRun, type RunView, type RunViewDeps, readRunViews, whereRuns } from '../runs/index.ts'
import { removeItems } from './add-items.ts'
import { type ItemFilter, type ItemPage, type ItemView, readItems } from './read-items.ts'
import type { ReviewContext } from './review-item.ts'

/** A run with its item in the queue. */
export interface QueueRunView {
  readonly view: ItemView
  readonly run: RunView
}

export interface QueueRunFields {
  /** @default true */
  readonly withStats?: boolean
  /** @default true */
  readonly withExtra?: boolean
}

/** A page of the runs of a queue in the order of the caller, as JSON texts. */
export async function listQueueRuns(
  deps: RunViewDeps,
  context: ReviewContext,
  filter: ItemFilter,
  page: ItemPage,
  options: QueueRunFields = {},
): Promise<string[]> {
  const fields = selectFields(options)
  const wanted: ItemFilter = { ...filter, type: 'RUN' }
  for (let round = 0; ; round++) {
    const items = await readItems(deps.relational.db, context, wanted, page)
    const { found, goneItems } = await withRuns(deps, context.queue.tenant_id, items, fields)
    if (goneItems.length === 0 || round === MAX_ROUNDS) return found.map((one) => presentQueueRun(one, fields))
    // An interrupted deletion left these items. Only the last page may have fewer runs than requested.
    await removeItems(deps.relational.db, context.queue.tenant_id, context.queue.id, goneItems)
  }
}

const MAX_ROUNDS = 3

/** @throws ApiError NOT_FOUND past the end */
export async function readQueueRun(
  deps: RunViewDeps,
  context: ReviewContext,
  filter: ItemFilter,
  index: number,
  options?: QueueRunFields,
): Promise<string> {
  const [text] = await listQueueRuns(deps, context, filter, { offset: index, limit: 1 }, options)
  if (text === undefined) throw new ApiError('NOT_FOUND', 'Run not found: the queue has no run at this index')
  return text
}

/** Items with their runs, and the ids of items whose run was deleted. */
export async function withRuns(
  deps: RunViewDeps,
  tenantId: string,
  items: readonly ItemView[],
  fields: ReadonlySet<string>,
): Promise<{ readonly found: QueueRunView[]; readonly goneItems: string[] }> {
  if (items.length === 0) return { found: [], goneItems: [] }
  const where = whereRuns(tenantId, RunConditions.parse({ id: items.map(({ item }) => item.run_id) }))
  const { views } = await readRunViews(deps, tenantId, where, fields, { all: 'asc' })
  const byId = new Map(views.map((run) => [run.row.id, run]))
  const found = items.flatMap((view) => {
    const run = byId.get(view.item.run_id ?? '')
    return run === undefined ? [] : [{ view, run }]
  })
  return { found, goneItems: items.filter(({ item }) => !byId.has(item.run_id ?? '')).map(({ item }) => item.id) }
}

function selectFields({ withStats = true, withExtra = true }: QueueRunFields): Set<string> {
  const fields = new Set<string>(RUN_FIELDS_DEFAULT)
  if (!withStats) fields.delete('feedback_stats')
  if (!withExtra) fields.delete('extra')
  return fields
}

function presentQueueRun({ view, run }: QueueRunView, fields: ReadonlySet<string>): string {
  const { item } = view
  const queueMembers = JSON.stringify({
    queue_run_id: item.id,
    added_at: item.added_at,
    effective_added_at: view.effectiveAddedAt,
    last_reviewed_time: item.last_reviewed_time,
    reserved_by: view.reservedBy,
    completed_by: view.completedBy,
    source_proposed_example_id: item.source_proposed_example_id,
  })
  const withoutInputs = new Set([...fields].filter((field) => field !== 'inputs'))
  // Clients parse runs into a model that requires inputs.
  const inputs = run.row.inputs && run.row.inputs !== 'null' ? run.row.inputs : '{}'
  return joinObjects(addRawMembers(presentRun(run, withoutInputs), { inputs }), queueMembers)
}
