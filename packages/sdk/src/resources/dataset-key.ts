import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { NotFoundError } from '../errors.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { Dataset } from '../schemas.ts'
import type { Transport } from '../transport/transport.ts'

/** Exactly one of the two. */
export interface DatasetKey {
  datasetId?: string | undefined
  datasetName?: string | undefined
}

/** What most calls say when neither id nor name is given; reading and deleting have words of their own. */
export const NEITHER = 'Must provide either datasetName or datasetId'
const NEITHER_TO_READ = 'Must provide datasetName or datasetId'

/** By id with one read, by name through the list; both and neither are refused before any request. */
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

/** The id given, or that of the name given. */
export async function datasetIdOf(
  transport: Transport,
  key: DatasetKey,
  neither?: string,
  options: CallOptions = {},
): Promise<string> {
  checkDatasetKey(key, neither)
  return key.datasetId ?? (await findDataset(transport, { datasetName: key.datasetName }, options)).id
}

/** @throws unless it says exactly one, and, when that is an id, a UUID */
export function checkDatasetKey({ datasetId, datasetName }: DatasetKey, neither = NEITHER_TO_READ): void {
  if (datasetId !== undefined && datasetName !== undefined) {
    throw new Error('Must provide either datasetName or datasetId, not both')
  }
  if (datasetId === undefined && datasetName === undefined) throw new Error(neither)
  if (datasetId !== undefined) assertUuid(datasetId)
}
