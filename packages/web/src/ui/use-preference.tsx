import type { Preference } from '#lib/preferences/preference.ts'
import { useStore } from '#lib/store.ts'

/** The current choice and its setter. All components that show the same preference update together. */
export function usePreference<Value>(preference: Preference<Value>): [Value, (value: Value) => void] {
  return [useStore(preference), preference.write]
}
