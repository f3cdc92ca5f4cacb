import { isArrayText, isObjectText, splitElements, splitMembers } from '../../../../json/cut-json.ts'
import { isRecord, type JsonRecord } from '../../../../json/guards.ts'
import { printObject } from '../../../../json/write-object.ts'
import { StepBudget } from '../json-schema/check.ts'
import { Patterns } from '../json-schema/pattern.ts'
import { Resources } from '../json-schema/resources.ts'
import { parseSchema } from '../parse-schema.ts'

/** Schemas that all describe one value; keys that any of them knows stay. */
type Describing = readonly JsonRecord[]

/** Nested schemas that are followed; a schema may refer to itself. */
const MAX_DEPTH = 64
const MAX_DESCRIBING = 200

/**
 * An object without the keys that its schema does not define, likewise the objects inside it. Where a schema says what
 * further keys must look like, or describes no keys at all, they stay.
 *
 * @param keys  leads from the schema's root to the value
 */
export function removeExtraFields(text: string, schemaText: string, keys: readonly string[]): string {
  const schema = parseSchema(schemaText)
  const resources = new Resources(schema)
  let describing = follow([schema], resources)
  for (const key of keys) describing = ofMember(describing, key, resources)
  return prune(text, describing, resources, 0)
}

function prune(text: string, describing: Describing, resources: Resources, depth: number): string {
  if (describing.length === 0 || depth > MAX_DEPTH) return text
  if (isArrayText(text)) {
    const inner = ofItems(describing, resources)
    if (inner.length === 0) return text
    return `[${splitElements(text)
      .map((element) => prune(element, inner, resources, depth + 1))
      .join(',')}]`
  }
  if (!isObjectText(text)) return text
  const isDefined = definedKeys(describing)
  const members = splitMembers(text)
  const kept = [...members].filter(([key]) => isDefined(key))
  const pruned = kept.map(([key, value]): [string, string] => {
    return [key, prune(value, ofMember(describing, key, resources), resources, depth + 1)]
  })
  const isSame = kept.length === members.size && pruned.every(([, value], index) => value === kept[index]![1])
  return isSame ? text : printObject(new Map(pruned))
}

function definedKeys(describing: Describing): (key: string) => boolean {
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

function ofMember(describing: Describing, key: string, resources: Resources): Describing {
  const inner = describing.flatMap(({ properties }) => {
    const named = isRecord(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined
    return isRecord(named) ? [named] : []
  })
  return follow(inner, resources)
}

function ofItems(describing: Describing, resources: Resources): Describing {
  return follow(
    describing.flatMap(({ items }) => (isRecord(items) ? [items] : [])),
    resources,
  )
}

/** With what they refer to and combine. */
function follow(schemas: Describing, resources: Resources): Describing {
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
