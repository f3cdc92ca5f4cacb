import { splitMembers } from '../../../json/cut-json.ts'
import { printObject } from '../../../json/write-object.ts'
import { searchable } from '../../../storage/relational/searchable.ts'

/** Metadata as it came, split in two. */
export interface GivenMetadata {
  /** JSON text of an object without `dataset_split`. */
  readonly text: string
  /** What `dataset_split` held; undefined when absent or null. */
  readonly split: unknown
}

/** The key under which readers find the splits of an example. */
export const SPLIT_KEY = 'dataset_split'

/** @param text  of a JSON object */
export function cutSplit(text: string): GivenMetadata {
  const parsed = JSON.parse(text) as Record<string, unknown>
  if (!Object.hasOwn(parsed, SPLIT_KEY)) return { text, split: undefined }
  const members = splitMembers(text)
  members.delete(SPLIT_KEY)
  return { text: printObject(members), split: parsed[SPLIT_KEY] ?? undefined }
}

/** Metadata with its splits, as readers get it. */
export function withSplits(metadata: string, splits: readonly string[]): string {
  const split = `"${SPLIT_KEY}":${JSON.stringify(splits)}}`
  const open = metadata.slice(0, metadata.lastIndexOf('}')).trimEnd()
  return open.trim() === '{' ? `{${split}` : `${open},${split}`
}

/** What filters see, as JSON text that jsonb can hold. */
export function metadataIndex(metadata: string, splits: readonly string[]): string {
  const parsed = metadata === '{}' ? {} : (JSON.parse(metadata) as Record<string, unknown>)
  return JSON.stringify({ ...(searchable(parsed) as object), [SPLIT_KEY]: splits })
}
