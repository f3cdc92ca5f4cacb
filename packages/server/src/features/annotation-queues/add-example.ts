import { ApiError, type QueueCorrection } from '@touchstone/contract'
import { isObjectText, splitMembers } from '@touchstone/formats/cut-json'
import { and, eq } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { withTransaction } from '../../storage/relational/port.ts'
import type { QueueItemRow } from '../../storage/relational/tables/annotation-queues.ts'
import { queueItems } from '../../storage/relational/tables/annotation-queues.ts'
import { changeExamples, type ExampleRow, readExamples } from '../datasets/examples/index.ts'
import { readRunPayloads } from '../runs/index.ts'
import { itemNotFound } from './review-item.ts'
import { getQueue } from './store.ts'

type ExampleDeps = Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids'>

/**
 * Adds a run with the corrections of its reviewer to the default dataset of its queue. An earlier example of the item, or
 * the example that it was proposed for, is replaced.
 *
 * @param bodyText  JSON text of `body`
 * @throws ApiError NOT_FOUND, INVALID_REQUEST without a default dataset or when the dataset rejects the example
 */
export async function addExample(
  deps: ExampleDeps,
  tenantId: string,
  key: { readonly queueId: string; readonly itemId: string },
  body: QueueCorrection,
  bodyText: string,
): Promise<ExampleRow> {
  const queue = await getQueue(deps.relational.db, tenantId, key.queueId)
  const datasetId = queue.default_dataset
  if (datasetId === null) throw new ApiError('INVALID_REQUEST', 'The queue has no default dataset.')
  return deps.relational.transaction(async (tx) => {
    const inside = { ...deps, relational: withTransaction(deps.relational, tx) }
    const whereItem = and(eq(queueItems.tenant_id, tenantId), eq(queueItems.id, key.itemId))
    const [item] = await tx.select().from(queueItems).where(whereItem).for('update')
    if (item?.queue_id !== key.queueId) throw itemNotFound()
    if (item.run_id === null) throw new ApiError('INVALID_REQUEST', 'Only runs can be added as examples, not threads.')
    const run = (await readRunPayloads(deps, tenantId, [item.run_id])).get(item.run_id)
    if (run === undefined) throw new ApiError('NOT_FOUND', `Run not found: ${item.run_id}`)

    const given = body ? splitMembers(bodyText) : new Map<string, string>()
    const getPart = (field: 'inputs' | 'outputs' | 'metadata') => (body?.[field] ? given.get(field) : undefined)
    const replaced = await findExampleId(inside, tenantId, datasetId, item)
    const { ids } = await changeExamples(inside, tenantId, { id: datasetId }, [
      {
        do: 'create',
        id: replaced,
        replaces: replaced !== undefined,
        inputs: getPart('inputs') ?? findObjectText(run.inputs) ?? '{}',
        outputs: getPart('outputs') ?? findObjectText(run.outputs),
        metadata: getPart('metadata'),
        split: body?.split,
        sourceRunId: item.run_id,
        sourceRun: run,
      },
    ])
    await tx.update(queueItems).set({ example_id: ids[0] }).where(whereItem)
    const [row] = await readExamples(inside, tenantId, { id: [...ids], limit: 1 })
    if (row === undefined) throw new ApiError('NOT_FOUND', 'Example not found')
    return row
  })
}

/** Id of the example of an item in the newest version of the dataset. */
async function findExampleId(
  deps: ExampleDeps,
  tenantId: string,
  dataset: string,
  { example_id, source_proposed_example_id }: QueueItemRow,
): Promise<string | undefined> {
  const ids = [example_id, source_proposed_example_id].filter((id) => id !== null)
  if (ids.length === 0) return undefined
  const rows = await readExamples(deps, tenantId, { dataset, id: ids, limit: ids.length })
  const present = new Set(rows.map((row) => row.id))
  return ids.find((id) => present.has(id))
}

const findObjectText = (text: string) => (text !== '' && isObjectText(text) ? text : undefined)
