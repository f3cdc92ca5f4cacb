import { MAX_THREAD_KEYS, THREAD_KEYS, threadKeysOf } from '@touchstone/contract/thread-keys'
import type { TracerSessionResult as Project } from '@touchstone/sdk'

/** Where a project keeps what is chosen for it on our own pages; clients see it in `extra` and leave it alone. */
const OURS = 'touchstone'

type WithExtra = Pick<Project, 'extra'>

/** Id of the saved view that the project's list opens with. */
export function getDefaultViewId(project: WithExtra | undefined): string | undefined {
  const id = project && oursOf(project).default_view
  return typeof id === 'string' ? id : undefined
}

/** @returns what to change in `extra` so that the project's list opens with that view, or with none */
export function withDefaultView(project: WithExtra, id: string | undefined): Record<string, unknown> {
  const { default_view: _, ...rest } = oursOf(project)
  return { [OURS]: { ...rest, ...(id !== undefined && { default_view: id }) } }
}

/** Metadata keys that name the threads of a project, as a person writes them. */
export function threadKeysText({ extra }: WithExtra): string {
  return threadKeysOf(extra).join(', ')
}

/** @returns what is wrong with keys that a person wrote */
export function validateThreadKeys(text: string): string | undefined {
  const keys = keysIn(text)
  if (keys.length > MAX_THREAD_KEYS) return `No more than ${MAX_THREAD_KEYS} keys.`
  return new Set(keys).size < keys.length ? 'A key stands there twice.' : undefined
}

/** @returns what to change in `extra` so that these keys name threads; the usual ones when there are none */
export function withThreadKeys(project: WithExtra, text: string): Record<string, unknown> {
  const { thread_keys: _, ...rest } = oursOf(project)
  const keys = keysIn(text)
  const isUsual = keys.length === 0 || keys.join() === THREAD_KEYS.join()
  return { [OURS]: { ...rest, ...(!isUsual && { thread_keys: keys }) } }
}

function keysIn(text: string): string[] {
  return text.split(/[,\s]+/).filter((key) => key !== '')
}

function oursOf({ extra }: WithExtra): Record<string, unknown> {
  const ours = extra?.[OURS]
  return typeof ours === 'object' && ours !== null ? (ours as Record<string, unknown>) : {}
}
