import { useRouterState } from '@tanstack/react-router'
import { useCallback, useEffect, useRef } from 'react'
import { createStore } from '#lib/store.ts'

const STORAGE_KEY = 'touchstone.entries'
const MAX_ENTRIES = 200

const entries = createStore(readAndPersist)

/**
 * Remembers the state of a list (scroll offset, active row, loaded pages) per history entry, so that Back and reload restore
 * it. The list reads it when it mounts and writes it on changes. Writing does not render.
 *
 * @param name  distinguishes lists on the same page
 */
export function useEntryMemory<Value>(name: string): {
  recall: () => Value | undefined
  note: (change: Partial<Value>) => void
} {
  const entry = useRouterState({ select: (state) => state.location.state.__TSR_key ?? '' })
  const key = `${entry}:${name}`
  const latest = useRef<{ name: string; value: Partial<Value> | undefined }>(undefined)

  const recall = useCallback(() => entries.read().get(key) as Value | undefined, [key])
  const note = useCallback(
    (change: Partial<Value>) => {
      const value = { ...(entries.read().get(key) as Partial<Value> | undefined), ...change }
      latest.current = { name, value }
      entries.read().delete(key)
      entries.read().set(key, value)
    },
    [key, name],
  )
  // New search params create a new history entry under the same list, which keeps its state.
  useEffect(() => {
    if (latest.current?.name === name && !entries.read().has(key)) entries.read().set(key, latest.current.value)
  }, [key, name])
  return { recall, note }
}

function readAndPersist(): Map<string, unknown> {
  window.addEventListener('pagehide', () => {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify([...entries.read()].slice(-MAX_ENTRIES)))
  })
  return readStored()
}

function readStored(): Map<string, unknown> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]'))
  } catch {
    return new Map()
  }
}
