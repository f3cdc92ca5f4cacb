import type { Client } from '../client.ts'
import { ConflictError, NotFoundError } from '../errors.ts'
import type { KVMap } from '../schemas.ts'
import { hashOf } from './example-id.ts'

export interface WantedExample {
  id: string
  dataset_id: string
  inputs: KVMap
  outputs: KVMap
  metadata: KVMap | undefined
  split: string[] | undefined
}

/**
 * Makes the dataset hold this example: as it is, updated, or created.
 *
 * @returns the version at which it stands so
 */
export async function syncExample(client: Client, wanted: WantedExample): Promise<string> {
  try {
    const stored = await client.readExample(wanted.id)
    if (isCurrent(stored, wanted)) return stored.modified_at ?? stored.created_at
    await client.updateExample(wanted)
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    await create(client, wanted)
  }
  const { modified_at, created_at } = await client.readExample(wanted.id)
  return modified_at ?? created_at
}

async function create(client: Client, wanted: WantedExample): Promise<void> {
  try {
    await client.createExample(wanted)
  } catch (error) {
    // Another worker ran the same test; its contents are the same, for the id is made of them.
    if (!(error instanceof ConflictError)) throw error
  }
}

function isCurrent(
  stored: { dataset_id: string; inputs: KVMap; outputs?: KVMap | null | undefined; metadata?: KVMap | undefined },
  wanted: WantedExample,
): boolean {
  const { dataset_split, ...metadata } = stored.metadata ?? {}
  return (
    stored.dataset_id === wanted.dataset_id &&
    hashOf(stored.inputs) === hashOf(wanted.inputs) &&
    hashOf(stored.outputs ?? {}) === hashOf(wanted.outputs) &&
    (wanted.split === undefined || hashOf(dataset_split ?? []) === hashOf(wanted.split)) &&
    (wanted.metadata === undefined || hashOf(metadata) === hashOf(wanted.metadata))
  )
}
