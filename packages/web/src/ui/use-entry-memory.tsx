import { useRouterState } from '@tanstack/react-router'
import { useCallback, useEffect, useRef } from 'react'

const STORE = 'touchstone.entries'
const MOST_ENTRIES = 200
let entries: Map<string, unknown> | undefined

/**
 * A place to note how a list was left (scroll offset, active row, pages loaded), one per history entry, so that Back and
 * reload find it again. It is read when the list mounts and written as things change; it does not render anything.
 *
 * @param name  tells lists on the same entry apart
 */
export function useEntryMemory<Value>(name: string): {
  recall: () => Value | undefined
  note: (change: Partial<Value>) => void
} {
  const entry = useRouterState({ select: (state) => state.location.state.__TSR_key ?? '' })
  const key = `${entry}:${name}`
  const latest = useRef<{ name: string; value: Partial<Value> | undefined }>(undefined)

  const recall = useCallback(() => store().get(key) as Value | undefined, [key])
  const note = useCallback(
    (change: Partial<Value>) => {
      const value = { ...(store().get(key) as Partial<Value> | undefined), ...change }
      latest.current = { name, value }
      store().delete(key)
      store().set(key, value)
    },
    [key, name],
  )
  // A change of search params makes a new entry under a list that stays: what was noted goes along.
  useEffect(() => {
    if (latest.current?.name === name && !store().has(key)) store().set(key, latest.current.value)
  }, [key, name])
  return { recall, note }
}

function store(): Map<string, unknown> {
  if (entries) return entries
  entries = readStored()
  window.addEventListener('pagehide', () => {
    sessionStorage.setItem(STORE, JSON.stringify([...store()].slice(-MOST_ENTRIES)))
  })
  return entries
}

function readStored(): Map<string, unknown> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(STORE) ?? '[]'))
  } catch {
    return new Map()
  }
}
