import type { EvaluatorDefinition } from '@touchstone/sdk'
import type { DiffRequest } from '#lib/diff/ask-diff.ts'

/** A part of two definitions that differs. */
export interface DefinitionDiff {
  readonly title: string
  readonly request: DiffRequest
}

/** The parts in which two definitions differ; empty for equal ones. */
export function listDefinitionDiffs(a: EvaluatorDefinition, b: EvaluatorDefinition): DefinitionDiff[] {
  if (a.kind === 'javascript' && b.kind === 'javascript') {
    const { source: before, ...restOfA } = a
    const { source: after, ...restOfB } = b
    const source: DefinitionDiff = { title: 'Source', request: { kind: 'text', a: before, b: after } }
    return [...(before === after ? [] : [source]), ...compare('Settings', restOfA, restOfB)]
  }
  if (a.kind !== 'llm_judge' || b.kind !== 'llm_judge') return compare('Definition', a, b)
  const { messages: before, feedback: feedbackOfA, mapping: mappingOfA, ...restOfA } = a
  const { messages: after, feedback: feedbackOfB, mapping: mappingOfB, ...restOfB } = b
  const [turnsOfA, turnsOfB] = [before.map(toTurn), after.map(toTurn)]
  const messages: DefinitionDiff = { title: 'Messages', request: { kind: 'chat', a: turnsOfA, b: turnsOfB } }
  return [
    ...(JSON.stringify(turnsOfA) === JSON.stringify(turnsOfB) ? [] : [messages]),
    ...compare('Variables', mappingOfA ?? {}, mappingOfB ?? {}),
    ...compare('Feedback', feedbackOfA, feedbackOfB),
    ...compare('Model and settings', restOfA, restOfB),
  ]
}

const toTurn = ({ role, content }: { role: string; content: string }) => ({ role, text: content })

function compare(title: string, a: unknown, b: unknown): DefinitionDiff[] {
  const [before, after] = [JSON.stringify(a), JSON.stringify(b)]
  return before === after ? [] : [{ title, request: { kind: 'json', a: before, b: after } }]
}
