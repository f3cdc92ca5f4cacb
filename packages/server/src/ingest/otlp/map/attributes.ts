import { Digits, parseExactJson } from '@touchstone/formats/exact-json'
import { asRecord, member } from '@touchstone/formats/guards'
import { endOfString } from '@touchstone/formats/lex-json'
import { parsePythonLiteral } from '@touchstone/formats/python-literal'
import type { JsonObject } from '../mapped-span.ts'
import type { OtlpAttributes } from '../span.ts'
import { AttributeNames } from './attribute-names.ts'

/** Slots of a flattened list that are read; the rest is named in a warning. */
export const MAX_SLOTS = 10_001
/** Characters of a JSON text that is parsed: about 100 ms of work. A longer one stays text. */
const MAX_JSON_LENGTH = 8 * 1024 * 1024
/** Brackets and commas of a JSON text that is parsed: about 150 ms of work, however small its values are. */
const MAX_JSON_VALUES = 1_000_000
/** Levels of a value that is read as JSON. Deeper ones could not be printed again on every stack. */
const MAX_DEPTH = 200
/** Segments of a flattened key. */
const MAX_SEGMENTS = 32
/** Keys that would reach a prototype where an object is copied member by member. */
const BLOCKED_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** The attributes of one span. Remembers which were read, so that the others can be kept as they came. */
export class SpanAttributes {
  readonly warnings: string[] = []
  /** Texts of which a part was lost when they were read, by attribute. */
  readonly raw: Record<string, unknown> = {}
  private readonly used = new Set<string>()
  /** Attributes that the current attempt was the first to read. */
  private attempted: string[] = []
  private readonly trees = new Map<string, unknown>()
  private readonly names: AttributeNames

  constructor(private readonly values: OtlpAttributes) {
    this.names = AttributeNames.of(values)
  }

  get keys(): readonly string[] {
    return this.names.keys
  }

  hasFamily(families: readonly string[]): boolean {
    for (const family of families) if (this.names.families.has(family)) return true
    return false
  }

  get(key: string): unknown {
    if (!Object.hasOwn(this.values, key)) return this.names.isMember(key) ? this.getMember(key) : undefined
    if (!this.used.has(key)) {
      this.attempted.push(key)
      this.used.add(key)
    }
    return this.values[key]
  }

  /** A member of an object in one attribute, where others have attributes below its name. */
  private getMember(key: string): unknown {
    const dot = key.lastIndexOf('.')
    return member(this.json(key.slice(0, dot)), key.slice(dot + 1))
  }

  /** Reads a value. What a reader read without finding one counts as not read, and its warnings do not count either. */
  attempt<Value>(read: () => Value | undefined): Value | undefined {
    if (this.attempted.length > 0) this.attempted = []
    const warned = this.warnings.length
    const trees = this.trees.size
    const value = read()
    if (value !== undefined) return value
    for (const key of this.attempted) this.used.delete(key)
    // A map keeps the order of its entries: the new ones are the last.
    if (this.trees.size > trees) for (const key of [...this.trees.keys()].slice(trees)) this.trees.delete(key)
    if (this.warnings.length > warned) this.warnings.length = warned
    return undefined
  }

  has(key: string): boolean {
    return Object.hasOwn(this.values, key)
  }

  /** A text, without counting as read: what decides on a span and is shown nowhere stays among its attributes. */
  peek(key: string): string | undefined {
    if (Object.hasOwn(this.values, key)) return toText(this.values[key])
    if (!this.names.isMember(key)) return undefined
    const dot = key.lastIndexOf('.')
    return toText(member(this.peekJson(key.slice(0, dot)), key.slice(dot + 1)))
  }

  /** Like `json`, without counting as read. */
  peekJson(key: string): unknown {
    const value = Object.hasOwn(this.values, key) ? this.values[key] : undefined
    return typeof value === 'string' ? parseAttribute(key, value) : value
  }

  /** A text that is not empty; numbers and booleans as text. A text that its emitter scrubbed is none. */
  text(key: string): string | undefined {
    const text = toText(this.get(key))
    if (text === undefined) return undefined
    if (text.startsWith(SCRUBBED)) {
      this.used.delete(key)
      return undefined
    }
    return text.startsWith('"') && PRINTS_JSON.test(key) ? toText(unquote(text)) : text
  }

  number(key: string): number | undefined {
    return toNumber(this.get(key))
  }

  /** Those of a constant list of names that the span may have. */
  among<Key extends string>(keys: readonly Key[]): readonly Key[] {
    return this.names.select(keys, identity)
  }

  /** The keys for which a constant function is true. */
  keysThat(test: (key: string) => boolean): readonly string[] {
    return this.names.keysThat(test)
  }

  /** Rows of a constant table whose attribute the span may have. */
  rowsOf<Row extends { readonly attribute: string }>(rows: readonly Row[]): readonly Row[] {
    return this.names.select(rows, toAttribute)
  }

  /** The first attribute with a text, of a constant list. */
  firstText(keys: readonly string[]): string | undefined {
    return firstOf(this.among(keys), (key) => this.text(key))
  }

  /** The value of an attribute whose text is JSON; a text that is none as it is. */
  json(key: string): unknown {
    const value = this.get(key)
    return typeof value === 'string' ? parseAttribute(key, value) : value
  }

  /** A list whose elements may be JSON texts, or the JSON text of a list. */
  list(key: string): readonly unknown[] | undefined {
    const value = this.json(key)
    if (!Array.isArray(value)) return undefined
    return value.map((one: unknown) => (typeof one === 'string' ? parseJson(one) : one))
  }

  /** The members of an object, from its JSON text, a map, or keys below the prefix. */
  object(key: string): JsonObject | undefined {
    return asRecord(this.json(key)) ?? asRecord(this.tree(key))
  }

  /** Keys that begin with the prefix, without it. */
  below(prefix: string): [name: string, value: unknown][] {
    return this.names.below(prefix).map(({ key, rest }) => [rest, this.get(key)])
  }

  /** Values below a prefix as objects, and lists where the keys are indexes; undefined when there are none. */
  tree(prefix: string): unknown {
    if (this.names.below(prefix).length === 0) return undefined
    if (!this.trees.has(prefix)) this.trees.set(prefix, this.buildTree(prefix))
    return this.trees.get(prefix)
  }

  private buildTree(prefix: string): unknown {
    const root: Branch = new Map()
    for (const [path, value] of this.below(prefix)) plant(root, path.split('.'), value)
    return collect(root, prefix, this.warnings)
  }

  /** Everything that no reader asked for. Credentials in headers, which some emitters record, are not kept. */
  unused(): JsonObject {
    const rest: Record<string, unknown> = {}
    for (const key of this.keys) {
      if (this.used.has(key) || !isSafeKey(key)) continue
      rest[key] = SECRET_HEADER.test(key) ? NOT_KEPT : this.values[key]
    }
    return rest
  }
}

/** Emitters that write each attribute as JSON, texts too. */
const PRINTS_JSON = /^(mlflow\.|langfuse\.|genkit:|braintrust\.)/

/** Logfire replaces values that look like secrets, such as every `session.id`. */
const SCRUBBED = '[Scrubbed due to'

/** Attributes in which LiteLLM puts what Python prints. */
const PRINTS_PYTHON = /^(metadata\.|llm\.\w+\.(messages|choices|input|output|content)$)/

/** Parses the text of an attribute. */
export function parseAttribute(key: string, text: string): unknown {
  const isPython = text.includes("'") && PRINTS_PYTHON.test(key)
  return (isPython ? parsePythonLiteral(text) : undefined) ?? parseJson(text)
}

const identity = <Key>(key: Key) => key
const toAttribute = ({ attribute }: { readonly attribute: string }) => attribute

const SECRET_HEADER = /\.headers?\.(authorization|proxy-authorization|cookie|set-cookie|(x-)?(goog-)?api-key)$/i
const NOT_KEPT = '(not kept: a credential)'

type Branch = Map<string, unknown>

function plant(root: Branch, segments: readonly string[], value: unknown): void {
  if (segments.length > MAX_SEGMENTS || segments.some((segment) => BLOCKED_KEYS.has(segment))) return
  let at = root
  for (const segment of segments.slice(0, -1)) {
    const next = at.get(segment)
    if (next instanceof Map) at = next as Branch
    else {
      const branch: Branch = new Map()
      at.set(segment, branch)
      at = branch
    }
  }
  const last = segments.at(-1) ?? ''
  // A value beside a branch of the same name: the branch has more.
  if (!(at.get(last) instanceof Map)) at.set(last, value)
}

const INDEX = /^\d{1,15}$/

function collect(branch: Branch, path: string, warnings: string[]): unknown {
  const keys = [...branch.keys()]
  if (!keys.every((key) => INDEX.test(key))) {
    return Object.fromEntries(keys.map((key) => [key, collectOne(branch.get(key), `${path}.${key}`, warnings)]))
  }
  const indexes = keys.map(Number).sort((a, b) => a - b)
  const kept = indexes.slice(0, MAX_SLOTS)
  if (kept.length < indexes.length) {
    warnings.push(`${path} has ${indexes.length} entries, only the first ${MAX_SLOTS} were read.`)
  }
  const missing = findGaps(kept)
  if (missing !== '') warnings.push(`${path} arrived without the entries ${missing}.`)
  const byIndex = new Map(keys.map((key) => [Number(key), branch.get(key)]))
  return kept.map((index) => collectOne(byIndex.get(index), `${path}.${index}`, warnings))
}

function collectOne(value: unknown, path: string, warnings: string[]): unknown {
  return value instanceof Map ? collect(value as Branch, path, warnings) : value
}

/** The indexes that are missing before or between those that arrived, such as "0 and 3 to 6". */
function findGaps(sorted: readonly number[]): string {
  const gaps: string[] = []
  let expected = 0
  for (const index of sorted) {
    if (index > expected) gaps.push(index - expected === 1 ? `${expected}` : `${expected} to ${index - 1}`)
    expected = index + 1
  }
  return gaps.length > 5 ? `${gaps.slice(0, 5).join(', ')} and ${gaps.length - 5} more ranges` : gaps.join(', ')
}

/** Parses a text that begins like an object or list, a second time when it contains such a text. Others stay as they are. */
export function parseJson(text: string): unknown {
  const value = parseOnce(text)
  return typeof value === 'string' ? parseOnce(value) : value
}

function parseOnce(text: string): unknown {
  if (!/^\s*(?:[[{]|"\s*[[{])/.test(text) || text.length > MAX_JSON_LENGTH || isTooComplex(text)) return text
  try {
    return parseExactJson(text)
  } catch {
    return text
  }
}

/** The text of a JSON string; another value as it is. */
export function unquote(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*".*"\s*$/s.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

function isTooComplex(text: string): boolean {
  let depth = 0
  let values = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at) - 1
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > MAX_DEPTH || ++values > MAX_JSON_VALUES) return true
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--
    else if (code === COMMA && ++values > MAX_JSON_VALUES) return true
  }
  return false
}

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** Complete elements at the beginning of a JSON list that an exporter cut; undefined when the text is no such list. */
export function recoverElements(text: string): unknown[] | undefined {
  if (!/^\s*\[/.test(text) || text.length > MAX_JSON_LENGTH || isTooComplex(text)) return undefined
  let depth = 0
  let end = -1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at) - 1
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++
    else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --depth === 1) end = at + 1
  }
  if (depth <= 0 || end === -1) return undefined
  try {
    return parseExactJson(`${text.slice(0, end)}]`) as unknown[]
  } catch {
    return undefined
  }
}

export function isSafeKey(key: string): boolean {
  return !BLOCKED_KEYS.has(key)
}

export function firstOf<Key, Value>(keys: readonly Key[], read: (key: Key) => Value | undefined): Value | undefined {
  for (const key of keys) {
    const value = read(key)
    if (value !== undefined) return value
  }
  return undefined
}

export function toText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean' || value instanceof Digits) return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function toNumber(value: unknown): number | undefined {
  const isText = (typeof value === 'string' && value.trim() !== '') || value instanceof Digits
  const number = isText ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** Members that are set. */
export function present<Value>(members: Readonly<Record<string, Value | undefined>>): Record<string, Value> {
  const kept: Record<string, Value> = {}
  addPresent(kept, members)
  return kept
}

/** Sets the members that have a value. */
export function addPresent(target: Record<string, unknown>, members: Readonly<Record<string, unknown>>): void {
  for (const key of Object.keys(members)) {
    const value = members[key]
    if (value !== undefined && isSafeKey(key)) target[key] = value
  }
}

/** An object without some members. */
export function omit(object: JsonObject, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))
}
