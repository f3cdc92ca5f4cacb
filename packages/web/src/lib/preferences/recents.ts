import { createPreference } from './preference.ts'

/** A page that was opened in this browser. */
export interface Recent {
  kind: 'project' | 'thread'
  label: string
  /** Path and search of its page. */
  href: string
}

const MAX_RECENTS = 12

export const recentsPreference = createPreference<readonly Recent[]>('recents', [], isRecents)

/** Moves a page to the start of the recent pages. */
export function addRecent(recent: Recent): void {
  const others = recentsPreference.read().filter(({ href }) => href !== recent.href)
  recentsPreference.write([recent, ...others].slice(0, MAX_RECENTS))
}

function isRecents(value: unknown): value is Recent[] {
  return (
    Array.isArray(value) &&
    value.every(
      (one) =>
        typeof one?.label === 'string' &&
        typeof one.href === 'string' &&
        /^\/o\//.test(one.href) &&
        typeof one.kind === 'string',
    )
  )
}
