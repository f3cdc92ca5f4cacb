/** Keys of metadata that name the thread of a run; the first that is set counts (contract/tracing.md §3.8). */
export const THREAD_KEYS: readonly string[] = ['session_id', 'conversation_id', 'thread_id']

/** A project chooses no more than these. */
export const MAX_THREAD_KEYS = 10

/**
 * The keys that a project chose for the runs that it is sent, an extension: `extra.touchstone.thread_keys`, a list of
 * texts, the first that is set counts.
 *
 * @param extra  of the project, parsed
 * @returns `THREAD_KEYS` when it chose none, or something else than a list of keys
 */
export function threadKeysOf(extra: unknown): readonly string[] {
  const chosen = memberOf(memberOf(extra, 'touchstone'), 'thread_keys')
  const isList = Array.isArray(chosen) && chosen.length > 0 && chosen.length <= MAX_THREAD_KEYS && chosen.every(isKey)
  return isList ? chosen : THREAD_KEYS
}

const isKey = (value: unknown): value is string => typeof value === 'string' && value !== ''

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}
