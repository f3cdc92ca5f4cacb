import { isSameJson } from '#lib/changes.ts'
import type { EvaluatorDraft, JudgeDraft } from './draft.ts'

const LABELS: Readonly<Record<string, string>> = {
  providerId: 'Provider',
  model: 'Model',
  temperature: 'Temperature',
  messages: 'Messages',
  format: 'Template format',
  mapping: 'Values of variables',
  feedback: 'Feedback',
  reasoning: 'Reasoning',
  parameters: 'Parameters',
  source: 'Source',
  keys: 'Feedback keys',
  timeoutMs: 'Time limit',
}

/** Both texts of each part of a definition that differs between what is edited here and what was saved elsewhere. */
export function listConflicts(base: EvaluatorDraft, mine: EvaluatorDraft, theirs: EvaluatorDraft) {
  const fields = [...new Set([...Object.keys(base), ...Object.keys(mine), ...Object.keys(theirs)])]
  const read = (draft: EvaluatorDraft, field: string) => (draft as unknown as Record<string, unknown>)[field]
  return fields
    .filter((field) => !isSameJson(read(mine, field), read(theirs, field)))
    .map((field) => ({
      label: LABELS[field] ?? field,
      theirs: print(field, read(theirs, field)),
      mine: print(field, read(mine, field)),
    }))
}

function print(field: string, value: unknown): string {
  if (field === 'messages') {
    const messages = value as JudgeDraft['messages']
    return messages.map(({ role, content }) => `${role}:\n${content}`).join('\n\n')
  }
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
