import { createPreference } from './preference.ts'

/** Something that was looked at in this browser. */
export interface Recent {
  kind: 'project' | 'thread'
  label: string
  /** Path and search of its page. */
  href: string
}

const MOST = 12

export const recentsPreference = createPreference<readonly Recent[]>('recents', [], isRecents)

/** Puts a page in front of those that were looked at before. */
export function noteRecent(recent: Recent): void {
  const others = recentsPreference.read().filter(({ href }) => href !== recent.href)
  recentsPreference.write([recent, ...others].slice(0, MOST))
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
