import { isArrayText, isObjectText, splitElements, splitMembers } from '@touchstone/formats/cut-json'
import { isRecord, type JsonRecord } from '@touchstone/formats/guards'
import { printObject } from '@touchstone/formats/write-object'
import { StepBudget } from '../json-schema/check.ts'
import { Patterns } from '../json-schema/pattern.ts'
import { Resources } from '../json-schema/resources.ts'
import { parseSchema } from '../parse-schema.ts'

/** Schemas of the same value; a key that any of them defines stays. */
type Describing = readonly JsonRecord[]

/** Limits of nested schemas, because a schema may refer to itself. */
const MAX_DEPTH = 64
const MAX_DESCRIBING = 200

/**
 * Removes the keys that the schema of an object does not define, also from nested objects. Keeps them when the schema
 * describes additional keys, or no keys at all.
 *
 * @param keys  path from the schema's root to the value
 */
export function removeExtraFields(text: string, schemaText: string, keys: readonly string[]): string {
  const schema = parseSchema(schemaText)
  const resources = new Resources(schema)
  let describing = addReferenced([schema], resources)
  for (const key of keys) describing = selectMemberSchemas(describing, key, resources)
  return prune(text, describing, resources, 0)
}

function prune(text: string, describing: Describing, resources: Resources, depth: number): string {
  if (describing.length === 0 || depth > MAX_DEPTH) return text
  if (isArrayText(text)) {
    const inner = selectItemSchemas(describing, resources)
    if (inner.length === 0) return text
    return `[${splitElements(text)
      .map((element) => prune(element, inner, resources, depth + 1))
      .join(',')}]`
  }
  if (!isObjectText(text)) return text
  const isDefined = toKeyFilter(describing)
  const members = splitMembers(text)
  const kept = [...members].filter(([key]) => isDefined(key))
  const pruned = kept.map(([key, value]): [string, string] => {
    return [key, prune(value, selectMemberSchemas(describing, key, resources), resources, depth + 1)]
  })
  const isSame = kept.length === members.size && pruned.every(([, value], index) => value === kept[index]?.[1])
  return isSame ? text : printObject(new Map(pruned))
}

function toKeyFilter(describing: Describing): (key: string) => boolean {
  const describesKeys = describing.some((schema) => isRecord(schema.properties))
  const allowsOthers = describing.some(({ additionalProperties: others }) => others === true || isRecord(others))
  if (!describesKeys || allowsOthers) return () => true
  const compiled = new Patterns()
  const patterns = describing.flatMap(({ patternProperties: named }) => {
    return isRecord(named) ? Object.keys(named).map((pattern) => compiled.compile(pattern, '')) : []
  })
  return (key) =>
    describing.some(({ properties }) => isRecord(properties) && Object.hasOwn(properties, key)) ||
    patterns.some((matches) => matches(key, new StepBudget(1_000_000)))
}

function selectMemberSchemas(describing: Describing, key: string, resources: Resources): Describing {
  const inner = describing.flatMap(({ properties }) => {
    const named = isRecord(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined
    return isRecord(named) ? [named] : []
  })
  return addReferenced(inner, resources)
}

function selectItemSchemas(describing: Describing, resources: Resources): Describing {
  return addReferenced(
    describing.flatMap(({ items }) => (isRecord(items) ? [items] : [])),
    resources,
  )
}

/** Adds referenced and combined schemas. */
function addReferenced(schemas: Describing, resources: Resources): Describing {
  const found = new Set<JsonRecord>(schemas)
  for (const schema of found) {
    if (found.size > MAX_DESCRIBING) break
    if (typeof schema.$ref === 'string') add(resources.resolve(schema.$ref, resources.of(schema), '').node)
    for (const key of ['allOf', 'anyOf', 'oneOf']) if (Array.isArray(schema[key])) schema[key].forEach(add)
    for (const key of ['then', 'else']) add(schema[key])
  }
  return [...found]

  function add(inner: unknown): void {
    if (isRecord(inner)) found.add(inner)
  }
}
