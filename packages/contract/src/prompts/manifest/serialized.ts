import { MODEL_NAME_FIELDS } from '@touchstone/formats/models'

/*
 * Objects in the serialization of LangChain: `{lc: 1, type: 'constructor', id: [...path, class], kwargs}`. Manifests come
 * from any program, so every field may have any type.
 */

export type Fields = Readonly<Record<string, unknown>>

/** Class of a serialized object: the last part of its id, because paths differ by language and age. */
export function readType(value: unknown): string | undefined {
  const { id, type } = toFields(value)
  const last: unknown = Array.isArray(id) ? id.at(-1) : undefined
  return typeof last === 'string' && type !== 'secret' ? last : undefined
}

export const readKwargs = (value: unknown): Fields => toFields(toFields(value).kwargs)

export function readSecret(value: unknown): string | undefined {
  const { type, id } = toFields(value)
  return type === 'secret' && Array.isArray(id) ? toTexts(id).join('.') : undefined
}

export function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

export const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const toTexts = (value: unknown): string[] =>
  toList(value).filter((one): one is string => typeof one === 'string')

/** Chains that a manifest may be. */
export const SEQUENCES: ReadonlySet<string> = new Set(['RunnableSequence', 'PromptPlayground'])

/** Whether a field of a model is its name, which is shown apart from its settings. @param nameField  the one that counts */
export function isModelName(field: string, nameField: string | undefined): boolean {
  return field === nameField || MODEL_NAME_FIELDS.some((name) => name === field)
}
