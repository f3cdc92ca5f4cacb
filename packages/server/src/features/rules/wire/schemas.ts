import { JudgeFeedback, type LlmJudgeDefinition } from '@touchstone/contract'
import { isRecord } from '@touchstone/formats/guards'
import { parseOwn, unprocessable } from './problems.ts'

type Path = readonly (string | number)[]

/**
 * Feedback of a judge from the JSON Schema of its answer: a key per boolean, number or enumeration. Other texts of the schema are
 * explanations, which our judges write before each value.
 *
 * @throws ApiError UNPROCESSABLE
 */
export function readSchema(schema: unknown, path: Path): Pick<LlmJudgeDefinition, 'feedback' | 'reasoning'> {
  // Schemas of tools have the object below `parameters`.
  const object = isRecord(schema) && isRecord(schema.parameters) ? schema.parameters : schema
  const properties = isRecord(object) && isRecord(object.properties) ? object.properties : undefined
  if (properties === undefined)
    throw unprocessable(path, 'Give a JSON Schema of an object with a property per feedback key.')
  const feedback: JudgeFeedback[] = []
  let reasoning = false
  for (const [key, property] of Object.entries(properties)) {
    const at = [...path, 'properties', key]
    const one = readProperty(key, property, at)
    if (one === undefined) reasoning = true
    else feedback.push(parseOwn(JudgeFeedback, one, at))
  }
  if (feedback.length === 0) throw unprocessable(path, 'No property is a boolean, a number or an enumeration.')
  return { feedback, reasoning }
}

/** @returns undefined for an explanation */
function readProperty(key: string, property: unknown, path: Path): unknown {
  if (!isRecord(property)) throw unprocessable(path, 'is no JSON Schema')
  const { type, description, minimum, maximum } = property
  const values: unknown[] | undefined = Array.isArray(property.enum) ? property.enum : undefined
  const more = typeof description === 'string' && description !== '' ? { description } : {}
  if (values?.every((value) => typeof value === 'string')) {
    return { key, type: 'category', categories: toCategories(values), ...more }
  }
  if (type === 'boolean') return { key, type, ...more }
  if (type === 'number' || type === 'integer') {
    const numbers = (values ?? []).filter((value) => typeof value === 'number')
    const min = typeof minimum === 'number' ? minimum : numbers.length > 0 ? Math.min(...numbers) : 0
    const max = typeof maximum === 'number' ? maximum : numbers.length > 0 ? Math.max(...numbers) : Math.max(1, min + 1)
    return { key, type: 'number', min, max, ...more }
  }
  if (type === 'string') return undefined
  throw unprocessable(path, 'Only booleans, numbers and texts can be feedback.')
}

/** Labels from the lowest to the highest: 0 to 1 in equal steps. */
export const toCategories = (labels: readonly string[]) =>
  labels.map((label, at) => ({ label, value: labels.length < 2 ? 0 : at / (labels.length - 1) }))

/** The schema of a judge of ours, as `readSchema` reads it. */
export function toSchema({
  feedback,
  reasoning,
}: Pick<LlmJudgeDefinition, 'feedback' | 'reasoning'>): Record<string, unknown> {
  const properties = Object.fromEntries(feedback.map((one) => [one.key, toProperty(one)]))
  const explained = reasoning ? { comment: { type: 'string' }, ...properties } : properties
  return { type: 'object', properties: explained, required: Object.keys(explained) }
}

function toProperty({ type, min, max, categories, description }: JudgeFeedback): Record<string, unknown> {
  const more = description == null ? {} : { description }
  if (type === 'category') return { type: 'string', enum: (categories ?? []).map(({ label }) => label), ...more }
  return type === 'boolean' ? { type, ...more } : { type, minimum: min ?? 0, maximum: max ?? 1, ...more }
}
