import { useSyncExternalStore } from 'react'
import type { JsonKind } from '#lib/json/scan-json.ts'

/** A value kept aside to be compared with another one, of this document or of any other. */
export interface MarkedValue {
  /** Where it stood, as JSONPath. */
  path: string
  kind: JsonKind
  text: string
}

let marked: MarkedValue | undefined
const listeners = new Set<() => void>()

export function markValue(value: MarkedValue): void {
  marked = value
  for (const listener of listeners) listener()
}

export function useMarkedValue(): MarkedValue | undefined {
  return useSyncExternalStore(subscribe, () => marked)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
