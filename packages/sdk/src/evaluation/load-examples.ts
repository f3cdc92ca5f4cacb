import type { Client } from '../client.ts'
import { isUuid } from '../ids/uuid.ts'
import type { Example, TracerSession } from '../schemas.ts'
import type { DataT } from './types.ts'

/**
 * The examples, in their order.
 *
 * @throws when there are none, or none can be found for want of `data`
 */
export async function loadExamples(
  client: Client,
  data: DataT | undefined,
  experiment: TracerSession | undefined,
  includeAttachments = false,
): Promise<Example[]> {
  const examples: Example[] = []
  for await (const example of sourceOf(client, data, experiment, includeAttachments)) examples.push(example)
  if (examples.length === 0) throw new Error('No examples found in the dataset.')
  return examples
}

function sourceOf(
  client: Client,
  data: DataT | undefined,
  experiment: TracerSession | undefined,
  includeAttachments: boolean,
): Iterable<Example> | AsyncIterable<Example> {
  if (data !== undefined && typeof data !== 'string') return data
  const datasetId = isUuid(data) ? data : data === undefined ? experiment?.reference_dataset_id : undefined
  if (datasetId) return client.listExamples({ datasetId, includeAttachments })
  if (data === undefined) throw new Error('Data not provided in this experiment.')
  return client.listExamples({ datasetName: data, includeAttachments })
}
