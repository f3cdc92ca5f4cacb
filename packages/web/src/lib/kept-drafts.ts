import { listDraftKeys, toDraftKey } from './draft-owner.ts'

/*
 * Unsaved edits that survive a reload. They are kept in the session storage of the tab, so that another tab, another user
 * and the next start of the browser do not see them.
 */

/** Longer drafts are not kept; leaving the page asks first, as without this module. */
const MAX_CHARS = 500_000
/** The drafts that were changed longest ago are dropped first. */
const MAX_DRAFTS = 30

/** @param name  of the editor and its object; undefined without a draft */
export function readKeptDraft(name: string): unknown {
  const key = toDraftKey(name)
  if (key === undefined) return undefined
  try {
    return (JSON.parse(sessionStorage.getItem(key) ?? 'null') as { value?: unknown } | null)?.value
  } catch {
    return undefined // the storage is blocked, or holds something else
  }
}

/**
 * @param value  undefined: there is no draft any more
 * @returns whether a reload of the page finds this value
 */
export function writeKeptDraft(name: string, value: unknown): boolean {
  const key = toDraftKey(name)
  if (key === undefined) return false
  try {
    // First, because a write that fails must not leave an older draft.
    sessionStorage.removeItem(key)
    if (value === undefined) return true
    const text = JSON.stringify({ at: Date.now(), value })
    if (text.length > MAX_CHARS) return false
    const others = listDraftKeys().filter((other) => other !== key)
    for (const other of oldestOf(others).slice(0, Math.max(0, others.length + 1 - MAX_DRAFTS)))
      sessionStorage.removeItem(other)
    sessionStorage.setItem(key, text)
    return true
  } catch {
    return false // the storage is blocked or full; leaving the page asks first
  }
}

function oldestOf(keys: readonly string[]): string[] {
  const readAt = (key: string) => Number(/^\{"at":(\d+)/.exec(sessionStorage.getItem(key) ?? '')?.[1] ?? 0)
  return keys
    .map((key) => ({ key, at: readAt(key) }))
    .sort((one, other) => one.at - other.at)
    .map(({ key }) => key)
}
