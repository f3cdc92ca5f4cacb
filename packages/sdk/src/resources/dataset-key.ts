import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { NotFoundError } from '../errors.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { Dataset, ExampleCreate } from '../schemas.ts'
import type { Transport } from '../transport/transport.ts'

/** Exactly one of the two. */
export interface DatasetKey {
  datasetId?: string | undefined
  datasetName?: string | undefined
}

/** The message of most calls when neither id nor name is given. Reading and deleting have another message. */
export const NEITHER = 'Must provide either datasetName or datasetId'
const NEITHER_TO_READ = 'Must provide datasetName or datasetId'

/** Reads a dataset by id, or finds it by name. @throws Error before any request unless exactly one is given */
export async function findDataset(transport: Transport, key: DatasetKey, options: CallOptions = {}): Promise<Dataset> {
  checkDatasetKey(key)
  const { datasetId, datasetName } = key
  if (datasetId !== undefined) {
    const params = { dataset_id: datasetId }
    return await transport.call(routes.datasets.read, { params, ...options })
  }
  const query = { limit: 1, name: datasetName }
  const [dataset] = await transport.call(routes.datasets.list, { query, ...options })
  if (dataset) return dataset
  throw new NotFoundError(`Dataset[id=${datasetId}, name=${datasetName}] not found`, { status: 404 })
}

/** The given id, or the id of the dataset with the given name. */
export async function datasetIdOf(
  transport: Transport,
  key: DatasetKey,
  neither?: string,
  options: CallOptions = {},
): Promise<string> {
  checkDatasetKey(key, neither)
  return key.datasetId ?? (await findDataset(transport, { datasetName: key.datasetName }, options)).id
}

/** @throws Error unless the key has exactly one of both, and the id is a UUID */
export function checkDatasetKey({ datasetId, datasetName }: DatasetKey, neither = NEITHER_TO_READ): void {
  if (datasetId !== undefined && datasetName !== undefined) {
    throw new Error('Must provide either datasetName or datasetId, not both')
  }
  if (datasetId === undefined && datasetName === undefined) throw new Error(neither)
  if (datasetId !== undefined) assertUuid(datasetId)
}

/**
 * The dataset of examples that are created together; one that names none goes where the others go.
 *
 * @throws before any request when none is named, one is named twice, or several are
 */
export async function datasetOfExamples(
  transport: Transport,
  examples: readonly ExampleCreate[],
  options: CallOptions,
): Promise<string> {
  const named = examples.filter(
    ({ dataset_id, dataset_name }) => dataset_id !== undefined || dataset_name !== undefined,
  )
  for (const { dataset_id, dataset_name } of named) {
    checkDatasetKey({ datasetId: dataset_id, datasetName: dataset_name }, NEITHER)
  }
  const datasetId = onlyOne(named.map(({ dataset_id }) => dataset_id?.toLowerCase()))
  const datasetName = onlyOne(named.map(({ dataset_name }) => dataset_name))
  if (datasetId === undefined || datasetName === undefined) {
    return await datasetIdOf(transport, { datasetId, datasetName }, NEITHER, options)
  }
  const { id } = await findDataset(transport, { datasetName }, options)
  return onlyOne([datasetId, id])!
}

/** @throws when the example belongs elsewhere */
export function ofDataset<T extends { dataset_id?: string | undefined }>(item: T, datasetId: string, at: number): T {
  if (item.dataset_id === undefined || item.dataset_id.toLowerCase() === datasetId.toLowerCase()) return item
  throw new Error(`All examples must be of one dataset; example ${at} is of ${item.dataset_id}, not of ${datasetId}`)
}

function onlyOne(values: readonly (string | undefined)[]): string | undefined {
  const [one, other] = new Set(values.filter((value) => value !== undefined))
  if (other === undefined) return one
  throw new Error(`All examples must be of one dataset, not of ${one} and ${other}`)
}
