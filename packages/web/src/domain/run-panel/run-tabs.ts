import type { Run } from '@touchstone/contract'
import type { Adapted } from '#domain/chat-view/adapters.ts'

/** In the order of their keys, 1 to 7. */
export const RUN_TABS = ['chat', 'io', 'metadata', 'feedback', 'events', 'files', 'raw'] as const
export type RunTab = (typeof RUN_TABS)[number]

export function isRunTab(value: unknown): value is RunTab {
  return RUN_TABS.includes(value as RunTab)
}

/** The tab that says most about a run: what went wrong, else what was said, else what went in and out (of a retriever always: the documents it found). */
export function chooseTab(
  run: Run,
  conversation: Adapted | undefined,
  cargo: { inputs: unknown; outputs: unknown } | undefined,
): RunTab {
  if (run.error) return 'events'
  if (!conversation || run.run_type === 'retriever') return 'io'
  const isWhole = conversation.adapter.id !== 'generic' || (countKeys(cargo?.inputs) <= 1 && countKeys(cargo?.outputs) <= 1)
  return isWhole || run.run_type === 'llm' ? 'chat' : 'io'
}

function countKeys(value: unknown): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
}
