import type { ExampleWithRuns } from '@touchstone/sdk'
import { adaptConversation } from '#domain/chat-view/adapters.ts'
import { toTurn } from '#domain/compare-view/diff-request.ts'
import type { DiffRequest } from '#lib/diff/ask-diff.ts'
import { findOnlyText } from '#lib/experiments/row-texts.ts'

/** Compares two payloads: as texts when both are one text, by messages when both are conversations, otherwise by path. */
export function buildValueDiff(a: unknown, b: unknown): DiffRequest {
  const [textA, textB] = [findOnlyText(a), findOnlyText(b)]
  if (textA !== undefined && textB !== undefined) return { kind: 'text', a: textA, b: textB }
  const [turnsA, turnsB] = [toOutputTurns(a), toOutputTurns(b)]
  if (turnsA !== undefined && turnsB !== undefined) return { kind: 'chat', a: turnsA, b: turnsB }
  return { kind: 'json', a: printJson(a), b: printJson(b) }
}

function toOutputTurns(value: unknown) {
  const messages = adaptConversation(undefined, value)?.output
  return messages === undefined || messages.length === 0 ? undefined : messages.map(toTurn)
}

function printJson(value: unknown): string {
  return value === null || value === undefined ? '' : JSON.stringify(value)
}

/** What the output of a run is compared with: the reference of the example, or the output of a run of the baseline. */
export function findCompared(
  example: ExampleWithRuns,
  against: 'reference' | 'baseline',
  baselineRunId: string | undefined,
): unknown {
  if (against === 'reference') return example.outputs
  return example.runs.find(({ id }) => id === baselineRunId)?.outputs
}
