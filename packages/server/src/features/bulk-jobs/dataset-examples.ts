import { createHash } from 'node:crypto'
import { ApiError, ExampleCreate } from '@touchstone/contract'
import { changeExamples, createExamples, findExamples, type RunKeys } from '../datasets/examples/index.ts'
import { type Action, type ActionDeps, assertTarget, readNextRuns } from './action.ts'
import { type Failure, insertExampleIds, selectExampleIds } from './store.ts'

const PAGE = 200

/**
 * Creates an example of each of the next runs. Runs that the dataset rejects are reported; the others are added. The id
 * of an example is derived from job and run, so that a repeated page creates it once.
 */
export const addToDataset: Action = async (deps, job, request) => {
  const { views, next } = await readNextRuns(deps, job, request, PAGE)
  const runIds = new Map(views.map(({ row }) => [toExampleId(job.id, row.id), row.id]))
  const existing = await selectExistingIds(deps, job.tenant_id, [...runIds.keys()])
  const bodies = [...runIds]
    .filter(([id]) => !existing.has(id))
    .map(([id, runId]) => ({
      id,
      dataset_id: assertTarget(request.datasetId),
      source_run_id: runId,
      use_source_run_io: true,
      ...(request.split !== null && { split: request.split }),
    }))
  const failures: Failure[] = []
  const keys = { inputs: request.inputKeys ?? undefined, outputs: request.outputKeys ?? undefined }
  const rejected = await createAccepted(deps, job.tenant_id, bodies, keys)
  for (const [id, message] of rejected) failures.push({ itemId: runIds.get(id) ?? id, message })
  const created = [...runIds.keys()].filter((id) => !rejected.has(id))
  return { done: views.length, failures, next, note: (tx) => insertExampleIds(tx, job.id, created) }
}

type Body = Pick<ExampleCreate, 'id' | 'dataset_id'>

/** @returns example id → error message */
async function createAccepted(
  deps: ActionDeps,
  tenantId: string,
  bodies: readonly Body[],
  keys: RunKeys,
): Promise<Map<string, string>> {
  const refused = new Map<string, string>()
  // A call creates all or none: retry without the examples that the error names. An error that names none fails the page.
  for (let rest = bodies; rest.length > 0; rest = rest.filter(({ id }) => id != null && !refused.has(id))) {
    const before = refused.size
    try {
      const given = rest.map((body) => ({ body: ExampleCreate.parse(body), text: JSON.stringify(body), takes: keys }))
      await createExamples(deps, tenantId, given)
      break
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      for (const { loc, msg } of error.problems ?? []) {
        refused.set(String(loc[1]), [loc.slice(2).join('.'), msg].filter(Boolean).join(': '))
      }
      if (refused.size === before) throw error
    }
  }
  return refused
}

/** UUID (version 5) of the run in the namespace of the job. */
function toExampleId(jobId: string, runId: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(jobId.replaceAll('-', ''), 'hex'))
    .update(runId)
    .digest()
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6)
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = hash.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

/** The ids of existing examples among some ids. */
export async function selectExistingIds(
  deps: ActionDeps,
  tenantId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { found } = await findExamples(deps, tenantId, { id: [...ids], limit: ids.length, order: 'id' })
  return new Set(found.map(({ id }) => id))
}

/** Deletes the next examples that a job created; earlier versions of the dataset keep them. */
export const undoAddToDataset: Action = async (deps, job, request) => {
  const page = await selectExampleIds(deps.relational.db, assertTarget(request.undoes), Number(job.cursor ?? -1))
  if (page === undefined) return { done: 0, failures: [], next: undefined }
  const existing = await selectExistingIds(deps, job.tenant_id, page.example_ids)
  const changes = [...existing].map((id) => ({ do: 'delete' as const, id }))
  if (changes.length > 0) await changeExamples(deps, job.tenant_id, { id: assertTarget(request.datasetId) }, changes)
  return { done: page.example_ids.length, failures: [], next: String(page.number) }
}
