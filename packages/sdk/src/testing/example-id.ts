import type * as Crypto from 'node:crypto'
import { builtin } from '../runtime/runtime.ts'

const DNS_NAMESPACE = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
const MAX_DEPTH = 50

/** Made of the contents alone, the same in every client: a test that did not change finds its example again. */
export function exampleIdOf(datasetId: string, inputs: unknown, outputs: unknown): string {
  const name = JSON.stringify({ datasetId, inputsHash: hashOf(inputs), outputsHash: hashOf(outputs ?? {}) })
  return uuid5(name)
}

/**
 * SHA-256 of a structure, whatever the order of its keys; null and undefined are one.
 *
 * @throws below 50 levels
 */
export function hashOf(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) {
    throw new Error('Object is too deep to check equality for serialization. Please use a simpler example.')
  }
  return sha256(textOf(value, depth))
}

function textOf(value: unknown, depth: number): string {
  if (Array.isArray(value)) return value.map((item) => hashOf(item, depth + 1)).join(',')
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const members = value as Record<string, unknown>
  const hashed = Object.keys(members)
    .sort()
    .map((key) => `${key}:${hashOf(members[key], depth + 1)}`)
  return hashed.join(',')
}

function sha256(text: string): string {
  return crypto().createHash('sha256').update(text).digest('hex')
}

function uuid5(name: string): string {
  const namespace = Uint8Array.from(DNS_NAMESPACE.replaceAll('-', '').match(/../g)!, (hex) => Number.parseInt(hex, 16))
  const bytes = crypto().createHash('sha1').update(namespace).update(name).digest()
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

function crypto(): typeof Crypto {
  const found = builtin('node:crypto')
  if (!found) throw new Error('The test integration needs the crypto module of Node.js.')
  return found
}
