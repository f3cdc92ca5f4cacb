import { MAX_THREAD_KEYS, THREAD_KEYS, threadKeysOf } from '@touchstone/contract/thread-keys'
import type { TracerSessionResult as Project } from '@touchstone/sdk'

/** The member of a project's `extra` that holds settings of this UI. */
const UI_SETTINGS = 'touchstone'

type WithExtra = Pick<Project, 'extra'>

/** Id of the saved view that the project opens with. */
export function getDefaultViewId(project: WithExtra | undefined): string | undefined {
  const id = project && getUiSettings(project).default_view
  return typeof id === 'string' ? id : undefined
}

/** @returns the change of `extra` that sets or removes the default view */
export function withDefaultView(project: WithExtra, id: string | undefined): Record<string, unknown> {
  const { default_view: _, ...rest } = getUiSettings(project)
  return { [UI_SETTINGS]: { ...rest, ...(id !== undefined && { default_view: id }) } }
}

/** The metadata keys that identify threads, as text for a field. */
export function threadKeysText({ extra }: WithExtra): string {
  return threadKeysOf(extra).join(', ')
}

/** @returns the error in the typed keys, or undefined */
export function validateThreadKeys(text: string): string | undefined {
  const keys = splitKeys(text)
  if (keys.length > MAX_THREAD_KEYS) return `Use at most ${MAX_THREAD_KEYS} keys.`
  return new Set(keys).size < keys.length ? 'Each key can be used only once.' : undefined
}

/** @returns the change of `extra` that sets the thread keys; no keys restore the defaults */
export function withThreadKeys(project: WithExtra, text: string): Record<string, unknown> {
  const { thread_keys: _, ...rest } = getUiSettings(project)
  const keys = splitKeys(text)
  const isDefault = keys.length === 0 || keys.join() === THREAD_KEYS.join()
  return { [UI_SETTINGS]: { ...rest, ...(!isDefault && { thread_keys: keys }) } }
}

function splitKeys(text: string): string[] {
  return text.split(/[,\s]+/).filter((key) => key !== '')
}

function getUiSettings({ extra }: WithExtra): Record<string, unknown> {
  const ours = extra?.[UI_SETTINGS]
  return typeof ours === 'object' && ours !== null ? (ours as Record<string, unknown>) : {}
}
