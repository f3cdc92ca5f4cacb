import { useSyncExternalStore } from 'react'
import type { Preference } from '#lib/preferences/preference.ts'

/** The current choice and its setter; all components that show the same preference follow. */
export function usePreference<Value>(preference: Preference<Value>): [Value, (value: Value) => void] {
  return [useSyncExternalStore(preference.subscribe, preference.read), preference.write]
}
