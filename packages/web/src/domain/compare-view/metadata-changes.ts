import type { Run } from '@touchstone/contract'
import type { MetadataChange } from './compare-header.tsx'

/** The keys of two runs' metadata whose values differ, in alphabetical order; tags count as one of them. */
export function metadataChanges(a: Run | undefined, b: Run | undefined): MetadataChange[] {
  const [one, other] = [valuesOf(a), valuesOf(b)]
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter((key) => one.get(key) !== other.get(key))
    .sort()
    .map((key) => ({ key, a: one.get(key), b: other.get(key) }))
}

function valuesOf(run: Run | undefined): Map<string, string> {
  const metadata = (run?.extra?.metadata ?? {}) as Record<string, unknown>
  const values = new Map(Object.entries(metadata).map(([key, value]) => [key, printed(value)]))
  if (run?.tags && run.tags.length > 0) values.set('tags', run.tags.toSorted().join(', '))
  return values
}

function printed(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
