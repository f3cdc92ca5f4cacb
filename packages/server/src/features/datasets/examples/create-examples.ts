import type { ExampleCreate } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { withTransaction } from '../../../storage/relational/port.ts'
import { mapInSlices } from '../../../time-slices.ts'
import { selectDatasetMap } from '../index.ts'
import { changeExamplesAcross, type WriteDeps } from './change-examples.ts'
import type { CreateExample } from './example-content.ts'
import { completeDrafts, type RunKeys, toDraft } from './example-drafts.ts'
import { ExampleProblems } from './problems.ts'
import { type ExampleRow, readExamples } from './read-examples.ts'
import { needsSourceRuns } from './upload-examples.ts'

type CreateDeps = WriteDeps & Pick<Deps, 'analytics' | 'blobs'>

/** One body and its JSON text. */
export interface GivenExample {
  readonly body: ExampleCreate
  readonly text: string
  /** Keys to take from the source run. @default all */
  readonly takes?: RunKeys
  /** Replaces an example with the same id. @default false, which rejects it */
  readonly replaces?: boolean
}

/**
 * Creates examples, all or none; one version in each of their datasets.
 *
 * @returns their ids, in the order given
 * @throws ApiError with every example that cannot be stored, and the reason
 */
export async function createExamples(
  deps: CreateDeps,
  tenantId: string,
  given: readonly GivenExample[],
): Promise<string[]> {
  const problems = new ExampleProblems()
  const withIds = await mapInSlices(given, (one) => ({ ...one, id: one.body.id ?? deps.ids() }))
  const datasets = await selectDatasetMap(deps, tenantId, [...new Set(given.map(({ body }) => body.dataset_id))])
  for (const { id, body } of withIds) {
    if (!datasets.has(body.dataset_id)) problems.add('NOT_FOUND', [id, 'dataset_id'], 'Dataset not found')
  }
  const drafts = await mapInSlices(withIds, ({ id, body, text, takes }) => ({ ...toDraft(id, body, text), takes }))
  const created = await completeDrafts(deps, tenantId, drafts, problems, needsSourceRuns([...datasets.values()]))
  problems.throwIfAny()

  const changes = new Map<string, CreateExample[]>()
  await mapInSlices(created, (change, at) => {
    const { body, replaces } = given[at] ?? {}
    const dataset_id = body?.dataset_id ?? ''
    const ofDataset = changes.get(dataset_id) ?? []
    ofDataset.push({ ...change, replaces })
    changes.set(dataset_id, ofDataset)
  })
  await changeExamplesAcross(deps, tenantId, changes)
  return withIds.map(({ id }) => id)
}

/** Returns the examples that a request would store, without storing them. */
export async function validateExamples(
  deps: CreateDeps,
  tenantId: string,
  given: readonly GivenExample[],
): Promise<ExampleRow[]> {
  try {
    return await deps.relational.transaction(async (tx) => {
      const inside = { ...deps, relational: withTransaction(deps.relational, tx) }
      const rows: ExampleRow[] = []
      for await (const some of readInOrder(inside, tenantId, await createExamples(inside, tenantId, given))) {
        rows.push(...some)
      }
      throw new ValidationDone(rows)
    })
  } catch (error) {
    if (error instanceof ValidationDone) return error.rows
    throw error
  }
}

/** Thrown to roll the transaction back. */
class ValidationDone extends Error {
  constructor(readonly rows: ExampleRow[]) {
    super('rehearsed')
  }
}

/** Examples that are read and presented together. */
const PAGE = 500

/** Reads examples in the order of their ids, in pages. */
export async function* readInOrder(
  deps: Pick<Deps, 'relational'>,
  tenantId: string,
  ids: readonly string[],
): AsyncGenerator<ExampleRow[]> {
  for (let at = 0; at < ids.length; at += PAGE) {
    const page = ids.slice(at, at + PAGE)
    const rows = await readExamples(deps, tenantId, { id: page, limit: page.length, order: 'id' })
    const byId = new Map(rows.map((row) => [row.id, row]))
    yield page.flatMap((id) => byId.get(id) ?? [])
  }
}
