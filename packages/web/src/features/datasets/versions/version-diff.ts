/** The parts of an example that a version keeps. */
export interface ComparedExample {
  readonly inputs?: Readonly<Record<string, unknown>> | null | undefined
  readonly outputs?: Readonly<Record<string, unknown>> | null | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined
}

/** A field with different values: `inputs.question`, `outputs`, `split`. */
export interface FieldChange {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

const PARTS = ['inputs', 'outputs', 'metadata'] as const
const SPLITS = 'dataset_split'

/** The fields in which an example differs, in the order of its parts. Absent values are undefined. */
export function listFieldChanges(before: ComparedExample, after: ComparedExample): FieldChange[] {
  return PARTS.flatMap((part) => {
    const [a, b] = [before[part] ?? undefined, after[part] ?? undefined]
    if (a === undefined || b === undefined) return a === b ? [] : [{ field: part, before: a, after: b }]
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])]
    return keys.flatMap((key) => {
      const [one, other] = [getOwn(a, key), getOwn(b, key)]
      if (JSON.stringify(one) === JSON.stringify(other)) return []
      const field = part === 'metadata' && key === SPLITS ? 'split' : `${part}.${key}`
      return [{ field, before: one, after: other }]
    })
  })
}

const getOwn = (record: Readonly<Record<string, unknown>>, key: string) =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** A short text that recognizes an example: its first text, or else its inputs. */
export function describeExample({ inputs }: ComparedExample, maxLength = 160): string {
  const text = Object.values(inputs ?? {}).find((value) => typeof value === 'string' && value.trim() !== '')
  return (typeof text === 'string' ? text : JSON.stringify(inputs ?? {})).slice(0, maxLength)
}

/** Text to compare: texts as they are, other values as JSON. */
export function toDiffRequest({ before, after }: FieldChange): { kind: 'text' | 'json'; a: string; b: string } {
  const isText = [before, after].every((value) => typeof value === 'string' || value === undefined)
  const print = (value: unknown) => {
    if (isText) return typeof value === 'string' ? value : ''
    return JSON.stringify(value === undefined ? null : value)
  }
  return { kind: isText ? 'text' : 'json', a: print(before), b: print(after) }
}
