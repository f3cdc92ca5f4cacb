import type { MetadataOperation } from '@touchstone/sdk'

export type SplitChange = 'add' | 'move' | 'remove'

/** The metadata key that holds the splits of an example. */
const SPLIT_KEY = 'dataset_split'

export function toSplitOperation(change: SplitChange, split: string): MetadataOperation {
  if (change === 'move') return { key: SPLIT_KEY, operation: 'set', value: [split] }
  return { key: SPLIT_KEY, operation: change === 'add' ? 'array_add' : 'array_remove', values: [split] }
}

export function toMetadataOperation(key: string, typed: string): MetadataOperation {
  return { key, operation: 'set', value: readTyped(typed) }
}

/** How a typed value is stored. */
export function printStored(typed: string): string {
  const value = readTyped(typed)
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return 'a number'
  return typeof value === 'object' && value !== null ? 'JSON' : String(value)
}

/** JSON where the text is JSON, else the text. */
function readTyped(typed: string): unknown {
  try {
    return JSON.parse(typed) as unknown
  } catch {
    return typed
  }
}
