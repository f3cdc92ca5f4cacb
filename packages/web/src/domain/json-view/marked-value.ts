import type { JsonKind } from '#lib/json/scan-json.ts'
import { createStore, useStore } from '#lib/store.ts'

/** A value that is kept to be compared with another one, of this document or of any other. */
export interface MarkedValue {
  /** Its JSONPath in its document. */
  path: string
  kind: JsonKind
  text: string
}

const store = createStore<MarkedValue | undefined>(() => undefined)

export function markValue(value: MarkedValue): void {
  store.write(value)
}

export function useMarkedValue(): MarkedValue | undefined {
  return useStore(store)
}
