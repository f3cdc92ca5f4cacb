import type { SqlDataType } from '@touchstone/contract'

/** By the beginning of the engine's name of a type. */
const TYPES: readonly (readonly [RegExp, SqlDataType])[] = [
  [/^UUID$/, 'uuid'],
  [/^(String|FixedString|Enum|IPv)/, 'string'],
  [/^(U?Int|Interval)/, 'integer'],
  [/^(Float|Decimal|BFloat)/, 'float'],
  [/^Bool$/, 'boolean'],
  [/^DateTime/, 'timestamp'],
  [/^Date/, 'date'],
  [/^(Array|Tuple|Nested)/, 'list'],
  [/^(Map|JSON|Object)/, 'object'],
  [/^Nothing$/, 'null'],
]

/** The type of a column as clients know it, from that of the engine. */
export function dataTypeOf(type: string): SqlDataType {
  const inner = /^(?:Nullable|LowCardinality)\((.*)\)$/.exec(type)
  if (inner) return dataTypeOf(inner[1]!)
  return TYPES.find(([pattern]) => pattern.test(type))?.[1] ?? 'string'
}
