import { isObjectText, splitMembers } from '../../../../json/cut-json.ts'
import { printObject } from '../../../../json/write-object.ts'

/** The run an example comes from, as JSON texts. */
export interface SourceRun {
  readonly inputs: string
  readonly extra: string
}

/** What becomes of the JSON text at a path; `undefined` stands for a path that leads nowhere, and for leaving it so. */
export type Apply = (text: string | undefined) => string | undefined

/** Applies at a path of keys; everything beside the path stays the text it was. */
export function applyAt(text: string, keys: readonly string[], apply: Apply): string {
  const [key, ...rest] = keys
  if (key === undefined) return apply(text) ?? text
  if (!isObjectText(text)) return text
  const members = splitMembers(text)
  const before = members.get(key)
  const after = rest.length === 0 ? apply(before) : before && applyAt(before, rest, apply)
  if (after === undefined || after === before) return text
  return printObject(members.set(key, after))
}
