import { ApiError, type ExampleBulkUpdate } from '@touchstone/contract'
import { findDataset } from '../index.ts'
import type { ExampleChange } from './change.ts'
import { changeAcross, changeExamples, type WriteDeps } from './change-examples.ts'
import { homesOf } from './homes.ts'
import { Problems } from './problems.ts'
import { updateOf } from './read-bodies.ts'

/** One update and the text that it was read from. */
export interface GivenUpdate {
  readonly body: ExampleBulkUpdate
  readonly text: string
}

/**
 * Changes examples wherever they are, all or none; one version in each of their datasets.
 *
 * @throws ApiError naming every example that cannot be changed, and why
 */
export async function updateExamples(deps: WriteDeps, tenantId: string, given: readonly GivenUpdate[]): Promise<void> {
  const problems = new Problems()
  const homes = await homesOf(
    deps.relational.db,
    tenantId,
    given.map(({ body }) => body.id),
  )
  for (const { body } of given) {
    const home = homes.get(body.id)
    if (home !== undefined && body.dataset_id != null && body.dataset_id !== home) {
      problems.add('INVALID_REQUEST', [body.id, 'dataset_id'], 'an example stays in its dataset')
    }
  }
  const changes = given.map(({ body, text }) => updateOf(body.id, body, text))
  await changeAtHome(deps, tenantId, changes, homes, problems)
}

/**
 * Deletes examples from the newest version, all or none; one version in each of their datasets.
 *
 * @throws ApiError NOT_FOUND naming every unknown id
 */
export async function deleteExamples(deps: WriteDeps, tenantId: string, given: readonly string[]): Promise<void> {
  const ids = [...new Set(given)]
  const homes = await homesOf(deps.relational.db, tenantId, ids)
  const changes = ids.map((id) => ({ do: 'delete', id }) as const)
  await changeAtHome(deps, tenantId, changes, homes, new Problems())
}

/**
 * Deletes an example of a dataset; one that it does not have was deleted before.
 *
 * @throws ApiError NOT_FOUND without the dataset; CONFLICT for an example of another one
 */
export async function deleteOfDataset(
  deps: WriteDeps,
  tenantId: string,
  { dataset_id, example_id }: { readonly dataset_id: string; readonly example_id: string },
): Promise<void> {
  const dataset = await findDataset(deps, tenantId, dataset_id)
  try {
    await changeExamples(deps, tenantId, dataset, [{ do: 'delete', id: example_id }])
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error
  }
}

async function changeAtHome(
  deps: WriteDeps,
  tenantId: string,
  changes: readonly (ExampleChange & { readonly id: string })[],
  homes: ReadonlyMap<string, string>,
  problems: Problems,
): Promise<void> {
  const byDataset = new Map<string, ExampleChange[]>()
  for (const change of changes) {
    const home = homes.get(change.id)
    if (home === undefined) problems.add('NOT_FOUND', [change.id], 'Example not found')
    else if (byDataset.has(home)) byDataset.get(home)!.push(change)
    else byDataset.set(home, [change])
  }
  problems.throwIfAny()
  await changeAcross(deps, tenantId, byDataset)
}
