import type { Run } from '@touchstone/contract'
import type { Conversation } from '@touchstone/formats/messages'
import type { RunDocument } from '#features/traces/queries.ts'
import type { JsonHost } from '#lib/json/json-host.ts'
import type { OutlineRoot } from '#lib/json/json-rows.ts'

/** In the order of their shortcut keys, 1 to 8. */
export const RUN_TABS = ['chat', 'io', 'metadata', 'feedback', 'events', 'files', 'raw', 'rules'] as const
export type RunTab = (typeof RUN_TABS)[number]

export function isRunTab(value: unknown): value is RunTab {
  return RUN_TABS.includes(value as RunTab)
}

/**
 * The most useful tab of a run: the error, else the conversation, else inputs and outputs. Retriever runs always open
 * with their documents. Plain texts open as a conversation only if there is nothing else to show.
 */
export function chooseTab(run: Pick<Run, 'run_type' | 'error'>, conversation: Conversation | undefined): RunTab {
  if (run.error) return 'events'
  if (!conversation || run.run_type === 'retriever') return 'io'
  const { inputs, outputs } = conversation.rest
  const isWhole = !inputs?.otherFields.length && !outputs?.otherFields.length
  return isWhole || conversation.format.id !== 'generic' || run.run_type === 'llm' ? 'chat' : 'io'
}

/** Fields of the run's document by name, in document order, without nulls. */
export function selectRoots(json: JsonHost, names: readonly string[]): (OutlineRoot & { end: number })[] {
  return json.fields
    .filter(({ key, kind }) => names.includes(key) && kind !== 'null')
    .map(({ key, start, end }) => ({ key, start, end }))
}

/** Key under which view settings are stored per project. Undefined on public pages, which have no project. */
export function toMemoryKey({ run }: RunDocument, field: string): string | undefined {
  return run.session_id ? `${run.session_id}/${field}` : undefined
}
