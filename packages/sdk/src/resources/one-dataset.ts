import type { CallOptions } from '../config/client-config.ts'
import type { ExampleCreate } from '../schemas.ts'
import type { Transport } from '../transport/transport.ts'
import { checkDatasetKey, datasetIdOf, findDataset, NEITHER } from './dataset-key.ts'

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
