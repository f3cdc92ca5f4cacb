import { listMembers } from '@touchstone/formats/cut-json'
import { getMember } from '@touchstone/formats/edit-json'
import { readNumber } from '@touchstone/formats/exact-json'

export type FieldKind = 'text' | 'number' | 'boolean' | 'choice' | 'json'

/** A field of a form for a JSON object. */
export interface SchemaField {
  key: string
  kind: FieldKind
  description: string | undefined
  isRequired: boolean
  /** JSON texts to choose from. */
  options: readonly string[]
  /** The JSON text of the value; undefined where the object does not have the key. */
  value: string | undefined
}

interface Property {
  type?: unknown
  enum?: unknown
  description?: unknown
}

/** Fields for the properties of a schema, then for the other keys of the object. */
export function listFields(schema: unknown, json: string): SchemaField[] {
  const { properties, required } = (schema ?? {}) as { properties?: unknown; required?: unknown }
  const known = (typeof properties === 'object' && properties !== null ? properties : {}) as Record<string, Property>
  const keys = new Set([...Object.keys(known), ...[...listMembers(json)].map(({ key }) => key)])
  return [...keys].map((key) => {
    const property = Object.hasOwn(known, key) ? known[key] : undefined
    const value = getMember(json, key)
    const options = Array.isArray(property?.enum) ? property.enum.map((one) => JSON.stringify(one)) : []
    return {
      key,
      kind: getKind(property, options, value),
      description: typeof property?.description === 'string' ? property.description : undefined,
      isRequired: Array.isArray(required) && required.includes(key),
      options,
      value,
    }
  })
}

/** The value decides where it does not fit the schema, so that every value can be shown and corrected. */
function getKind(property: Property | undefined, options: readonly string[], value: string | undefined): FieldKind {
  if (options.length > 0 && (value === undefined || options.includes(value))) return 'choice'
  const own = value === undefined ? undefined : getValueKind(value)
  const declared = getDeclaredKind(property?.type)
  return own ?? declared ?? 'json'
}

function getValueKind(value: string): FieldKind {
  if (value.startsWith('"')) return 'text'
  if (value === 'true' || value === 'false') return 'boolean'
  return /^[-\d]/.test(value) ? 'number' : 'json'
}

function getDeclaredKind(type: unknown): FieldKind | undefined {
  if (type === 'string') return 'text'
  if (type === 'number' || type === 'integer') return 'number'
  return type === 'boolean' ? 'boolean' : undefined
}

/** The JSON text for what is typed into a number field; undefined while it is no number, like `-` or `1.`. */
export function findNumberText(typed: string): string | undefined {
  const text = typed.trim()
  return readNumber(text) === undefined ? undefined : text
}
