import { type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema'
import { isRecord } from '@touchstone/formats/guards'

/**
 * Compiles a schema as the server does: in its draft, without formats. Returns undefined for a schema that cannot be
 * compiled here; then only the server can check.
 */
export function openValidator(schema: Schema): Validator | undefined {
  try {
    return new Validator(withoutFormats(schema), getDraft(schema), false)
  } catch {
    return undefined
  }
}

function getDraft({ $schema = '' }: Schema): SchemaDraft {
  if (/draft-0[67]/.test($schema)) return '7'
  return $schema.includes('2019-09') ? '2019-09' : '2020-12'
}

/** Keywords whose values are data, not schemas. */
const DATA = new Set(['const', 'enum', 'default', 'examples'])

/** The server does not check formats, so a value must not fail here for one. */
function withoutFormats(schema: Schema): Schema {
  const kept = Object.entries(schema).filter(
    // A property may be named format; its value is a schema.
    ([key, value]) => key !== 'format' || typeof value !== 'string',
  )
  return Object.fromEntries(kept.map(([key, value]) => [key, DATA.has(key) ? value : withoutFormatsInside(value)]))
}

function withoutFormatsInside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFormatsInside)
  return isRecord(value) ? withoutFormats(value) : value
}
