import type * as Crypto from 'node:crypto'
import type { Client } from '../client.ts'
import { ConflictError, NotFoundError } from '../errors.ts'
import { builtin } from '../runtime/runtime.ts'
import type { KVMap } from '../schemas.ts'

const DNS_NAMESPACE = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
const MAX_DEPTH = 50

/** Derived from the contents only, and the same in every client, so that an unchanged test finds its example again. */
export function toExampleId(datasetId: string, inputs: unknown, outputs: unknown): string {
  const name = JSON.stringify({ datasetId, inputsHash: hashValue(inputs), outputsHash: hashValue(outputs ?? {}) })
  return uuid5(name)
}

/**
 * SHA-256 of a structure, independent of key order; null and undefined are equal.
 *
 * @throws Error below 50 levels
 */
export function hashValue(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) {
    throw new Error('Object is too deep to check equality for serialization. Please use a simpler example.')
  }
  return sha256(toHashText(value, depth))
}

function toHashText(value: unknown, depth: number): string {
  if (Array.isArray(value)) return value.map((item) => hashValue(item, depth + 1)).join(',')
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const members = value as Record<string, unknown>
  const hashed = Object.keys(members)
    .sort()
    .map((key) => `${key}:${hashValue(members[key], depth + 1)}`)
  return hashed.join(',')
}

function sha256(text: string): string {
  return getCrypto().createHash('sha256').update(text).digest('hex')
}

function uuid5(name: string): string {
  const namespace = Uint8Array.from(DNS_NAMESPACE.replaceAll('-', '').match(/../g) ?? [], (hex) =>
    Number.parseInt(hex, 16),
  )
  const bytes = getCrypto().createHash('sha1').update(namespace).update(name).digest()
  bytes[6] = (bytes.readUInt8(6) & 0x0f) | 0x50
  bytes[8] = (bytes.readUInt8(8) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

function getCrypto(): typeof Crypto {
  const found = builtin('node:crypto')
  if (!found) throw new Error('The test integration needs the crypto module of Node.js.')
  return found
}

export interface WantedExample {
  id: string
  dataset_id: string
  inputs: KVMap
  outputs: KVMap
  metadata: KVMap | undefined
  split: string[] | undefined
}

/**
 * Creates or updates the example in the dataset, unless it is already up to date.
 *
 * @returns the dataset version that contains this state
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
    // Another worker ran the same test. The id is derived from the contents, so the example is the same.
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
    hashValue(stored.inputs) === hashValue(wanted.inputs) &&
    hashValue(stored.outputs ?? {}) === hashValue(wanted.outputs) &&
    (wanted.split === undefined || hashValue(dataset_split ?? []) === hashValue(wanted.split)) &&
    (wanted.metadata === undefined || hashValue(metadata) === hashValue(wanted.metadata))
  )
}
