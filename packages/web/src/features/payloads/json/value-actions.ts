import type { JsonKind } from '@touchstone/formats/json-extents'
import type { LucideIcon } from 'lucide-react'
import { createContext } from 'react'
import type { JsonPath } from '#lib/json/json-path.ts'
import { createStore, useStore } from '#lib/store.ts'

/** A value of a JSON document. */
export interface PickedValue {
  /** From the top of the document. */
  path: JsonPath
  kind: JsonKind
  /** The value, or how it begins. */
  preview: string
  /** All of it: a string's own text, otherwise JSON. */
  text: () => Promise<string>
}

export interface ValueAction {
  label: string
  icon: LucideIcon
  act: () => unknown
}

/** What one may do with a value of a document, besides copying it; the owner of the document knows. */
export const ValueActions = createContext<(picked: PickedValue) => readonly ValueAction[]>(() => [])

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
