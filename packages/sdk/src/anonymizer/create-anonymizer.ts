import { toPlainCopy } from '../tracing/serialize.ts'

/** A string inside of a value. */
export interface StringNode {
  value: string
  /** Keys and indexes from the root, e.g. `messages[0].content`; '' for the root itself. */
  path: string
}

/** One replacement in every string. */
export interface StringNodeRule {
  type?: 'pattern'
  /** A text is a regular expression that replaces all matches; a RegExp replaces all only with its flag `g`. */
  pattern: RegExp | string
  /** May name groups of the pattern (`$1`). @default '[redacted]' */
  replace?: string
}

/** Gets all strings of a value at once. */
export interface StringNodeProcessor {
  /** @returns the strings to change, with their paths; the others stay */
  maskNodes: (nodes: StringNode[]) => StringNode[]
}

export type ReplacerType = ((value: string, path: string) => string) | StringNodeRule[] | StringNodeProcessor

export interface AnonymizerOptions {
  /** Levels of objects and lists whose strings are read. What is deeper becomes a marker. @default 10 */
  maxDepth?: number
}

/** Stands for an object or a list that is too deep to be read. */
export const TOO_DEEP = '[nested too deeply to anonymize]'

/**
 * Makes a function for the option `anonymizer` of `Client`, or for `hideInputs`, `hideOutputs` and `hideMetadata`. It
 * changes the strings of a value; keys, numbers and booleans stay. The value that it gets is not changed.
 *
 * @throws Error for an empty list of rules, and for a rule of an unknown type
 * @example new Client({ anonymizer: createAnonymizer([{ pattern: /\b\d{16}\b/g, replace: '<card>' }]) })
 */
export function createAnonymizer(
  replacer: ReplacerType,
  { maxDepth = 10 }: AnonymizerOptions = {},
): <Value>(data: Value) => Value {
  const maskNodes = toMaskNodes(replacer)
  return (data) => {
    const holder = { root: toPlainCopy(data) }
    const places = findStrings(holder, maxDepth)
    const byPath = new Map(places.map((place) => [place.path, place]))
    for (const { path, value } of maskNodes(places.map(({ path, value }) => ({ path, value })))) {
      const place = byPath.get(path)
      if (place !== undefined && value !== place.value) setMember(place, value)
    }
    return holder.root
  }
}

function toMaskNodes(replacer: ReplacerType): StringNodeProcessor['maskNodes'] {
  if (typeof replacer === 'function') {
    return (nodes) => nodes.map(({ value, path }) => ({ path, value: replacer(value, path) }))
  }
  if (!Array.isArray(replacer)) return (nodes) => replacer.maskNodes(nodes)
  if (replacer.length === 0) throw new Error('No replacers provided')
  const rules = replacer.map(({ type = 'pattern', pattern, replace = '[redacted]' }) => {
    if (type !== 'pattern') throw new Error(`Invalid anonymizer type: ${String(type)}`)
    return { pattern: typeof pattern === 'string' ? new RegExp(pattern, 'g') : pattern, replace }
  })
  return (nodes) =>
    nodes.map(({ value, path }) => ({
      path,
      value: rules.reduce((text, { pattern, replace }) => text.replace(pattern, replace), value),
    }))
}

/** A string with the object or list that contains it: paths of keys with dots would be ambiguous. */
interface Place extends StringNode {
  readonly owner: object
  readonly key: string | number
}

function findStrings(holder: { readonly root: unknown }, maxDepth: number): Place[] {
  const places: Place[] = []
  const open: { owner: object; key: string | number; value: unknown; path: string; depth: number }[] = [
    { owner: holder, key: 'root', value: holder.root, path: '', depth: 0 },
  ]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const { owner, key, value, path, depth } = one
    if (typeof value === 'string') places.push({ owner, key, value, path })
    if (typeof value !== 'object' || value === null) continue
    const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
    if (depth >= maxDepth && members.length > 0) {
      setMember({ owner, key }, TOO_DEEP)
      continue
    }
    for (const [name, member] of members.reverse()) {
      const below = typeof name === 'number' ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`
      open.push({ owner: value, key: name, value: member, path: below, depth: depth + 1 })
    }
  }
  return uniquePaths(places)
}

/** `{"a.b": 1}` and `{"a": {"b": 1}}` have one path: the later ones get a number, so that each can be changed. */
function uniquePaths(places: readonly Place[]): Place[] {
  const seen = new Map<string, number>()
  return places.map((place) => {
    const count = seen.get(place.path) ?? 0
    seen.set(place.path, count + 1)
    return count === 0 ? place : { ...place, path: `${place.path}#${count + 1}` }
  })
}

/** A definition and not an assignment, which would set the prototype for the key `__proto__`. */
function setMember({ owner, key }: Pick<Place, 'owner' | 'key'>, value: string): void {
  Object.defineProperty(owner, key, { value, enumerable: true, configurable: true, writable: true })
}
