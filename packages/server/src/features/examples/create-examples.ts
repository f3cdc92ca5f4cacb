import type { ExampleCreate } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { joined } from '../../storage/relational/joined.ts'
import { datasetsById } from '../datasets/index.ts'
import type { CreateExample } from './change.ts'
import { changeAcross, type WriteDeps } from './change-examples.ts'
import { Problems } from './problems.ts'
import { draftOf } from './read-bodies.ts'
import { type ExampleRow, readExamples } from './read-examples.ts'
import { completeDrafts, type RunKeys } from './source-runs.ts'
import { looksAtRuns } from './upload-examples.ts'

type CreateDeps = WriteDeps & Pick<Deps, 'analytics' | 'blobs'>

/** One body and the text that it was read from. */
export interface GivenExample {
  readonly body: ExampleCreate
  readonly text: string
  /** Of what it takes from its source run, these keys alone. @default all */
  readonly takes?: RunKeys
  /** Replaces the example that has the id. @default refused */
  readonly replaces?: boolean
}

/**
 * Creates examples, all or none, and reads them back in the order given; one version in each of their datasets.
 *
 * @throws ApiError naming every example that cannot be stored, and why
 */
export async function createExamples(
  deps: CreateDeps,
  tenantId: string,
  given: readonly GivenExample[],
): Promise<ExampleRow[]> {
  const problems = new Problems()
  const ids = given.map(({ body }) => body.id ?? deps.ids())
  const datasets = await datasetsById(deps, tenantId, [...new Set(given.map(({ body }) => body.dataset_id))])
  given.forEach(({ body }, at) => {
    if (!datasets.has(body.dataset_id)) problems.add('NOT_FOUND', [ids[at]!, 'dataset_id'], 'Dataset not found')
  })
  const drafts = given.map(({ body, text, takes }, at) => ({ ...draftOf(ids[at]!, body, text), takes }))
  const created = await completeDrafts(deps, tenantId, drafts, problems, looksAtRuns([...datasets.values()]))
  problems.throwIfAny()

  const changes = new Map<string, CreateExample[]>()
  created.forEach((change, at) => {
    const { dataset_id } = given[at]!.body
    const ofDataset = changes.get(dataset_id) ?? []
    ofDataset.push({ ...change, replaces: given[at]!.replaces })
    changes.set(dataset_id, ofDataset)
  })
  await changeAcross(deps, tenantId, changes)
  return readInOrder(deps, tenantId, ids)
}

/** The same without storing anything. */
export async function rehearseExamples(
  deps: CreateDeps,
  tenantId: string,
  given: readonly GivenExample[],
): Promise<ExampleRow[]> {
  try {
    return await deps.relational.transaction(async (tx) => {
      throw new Rehearsed(await createExamples({ ...deps, relational: joined(deps.relational, tx) }, tenantId, given))
    })
  } catch (error) {
    if (error instanceof Rehearsed) return error.rows
    throw error
  }
}

/** Thrown so that the transaction is undone. */
class Rehearsed extends Error {
  constructor(readonly rows: ExampleRow[]) {
    super('rehearsed')
  }
}

async function readInOrder(deps: CreateDeps, tenantId: string, ids: readonly string[]): Promise<ExampleRow[]> {
  if (ids.length === 0) return []
  const rows = await readExamples(deps, tenantId, { id: [...ids], limit: ids.length, order: 'id' })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
