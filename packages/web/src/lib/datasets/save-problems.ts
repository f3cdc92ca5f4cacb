import { readProblems } from '../errors.ts'
import { type JsonProblem, locateValue } from '../json/locate-json.ts'
import type { ExampleDraft, Part } from './example-draft.ts'

/** Values that the server refused. */
export interface SaveProblems {
  /** The draft that was refused; its problems say nothing about a text that has changed since. */
  draft: ExampleDraft
  parts: Readonly<Record<Part, readonly JsonProblem[]>>
}

/** Finds the places of what the server refused. The paths are `examples`, id or position, part, then steps. */
export function locateSaveProblems(error: unknown, draft: ExampleDraft): SaveProblems {
  const parts: Record<Part, JsonProblem[]> = { inputs: [], outputs: [], metadata: [] }
  for (const { loc, msg } of readProblems(error)) {
    const at = loc.findIndex((step) => step === 'inputs' || step === 'outputs' || step === 'metadata')
    const part = loc[at]
    if (part !== 'inputs' && part !== 'outputs' && part !== 'metadata') continue
    parts[part].push({ ...locateValue(draft[part], loc.slice(at + 1)), message: msg })
  }
  return { draft, parts }
}
