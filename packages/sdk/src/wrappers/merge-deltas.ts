import { isObject, isRecord } from '../guards.ts'
import type { KVMap } from '../schemas.ts'

/** Texts that say what something is. A chunk that has one again repeats it; every other text goes on where it ended. */
const LABELS: ReadonlySet<string> = new Set(['role', 'type', 'id', 'name', 'format', 'status', 'call_id', 'object'])

/** Lists and objects that a merge made and may change. Those of chunks belong to the user. */
const OWN = new WeakSet<object>()

/** A list or object that may be changed: the given one when a merge made it, otherwise a copy. */
export function toOwn<Value extends object>(value: Value): Value {
  if (OWN.has(value)) return value
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Value
  OWN.add(copy)
  return copy
}

/** A list that goes on with more items. A copy for each chunk would take time that grows with the square of the length. */
export function extendList(before: readonly unknown[], items: readonly unknown[]): unknown[] {
  const list = toOwn(before as unknown[])
  for (const item of items) list.push(item)
  return list
}

/** Adds a part of a streamed message: texts go on, lists grow, objects are merged, labels are replaced. */
export function mergeDelta(message: KVMap, delta: KVMap): KVMap {
  const merged = toOwn(message)
  for (const [key, value] of Object.entries(delta)) {
    const before: unknown = merged[key]
    if (key === 'tool_calls' && Array.isArray(value)) merged[key] = mergeToolCalls(before, value)
    else if ((key === 'function' || key === 'function_call') && isRecord(value)) merged[key] = mergeCall(before, value)
    else if (Array.isArray(value) || Array.isArray(before)) merged[key] = mergeBlocks(before, value)
    else if (isRecord(value) && isRecord(before)) merged[key] = mergeDelta(before, value)
    else if (typeof value === 'string' && typeof before === 'string' && !LABELS.has(key)) merged[key] = before + value
    else if (typeof value === 'string' && LABELS.has(key)) merged[key] = value || before || value
    else if (value != null || before === undefined) merged[key] = value
  }
  return merged
}

/** Reasoning models of Mistral send their thoughts as a list, and the text after it as a string. */
function mergeBlocks(before: unknown, value: unknown): unknown {
  if (value == null || value === '') return before
  const blocks = toBlocks(before)
  const added = toBlocks(value)
  return blocks === undefined || added === undefined ? value : mergeLists(blocks, added)
}

function toBlocks(value: unknown): readonly unknown[] | undefined {
  if (value == null || value === '') return []
  if (typeof value === 'string') return [{ type: 'text', text: value }]
  return Array.isArray(value) ? value : undefined
}

/**
 * Items with an `index` are parts of the item that has it. Without one, a text or thought that begins a chunk continues the
 * one that ended the chunk before it, and others are new. The index alone does not tell: some servers give every item of a list the index 0, each with its own id or type.
 */
function mergeLists(before: readonly unknown[], parts: readonly unknown[]): unknown[] {
  const items = toOwn(before as unknown[])
  for (const [position, part] of parts.entries()) {
    const at = isRecord(part) ? findItem(items, part, position === 0) : -1
    if (at === -1) items.push(part)
    else items[at] = mergeDelta(items[at] as KVMap, part as KVMap)
  }
  return items
}

function findItem(items: readonly unknown[], part: KVMap, isFirst: boolean): number {
  if (typeof part.index !== 'number') return isFirst && continuesText(items.at(-1), part) ? items.length - 1 : -1
  return items.findLastIndex(
    (item) =>
      isRecord(item) && item.index === part.index && !differs(item.id, part.id) && !differs(item.type, part.type),
  )
}

const TEXTS: ReadonlySet<unknown> = new Set(['text', 'thinking'])

function continuesText(item: unknown, part: KVMap): boolean {
  if (!isRecord(item) || !TEXTS.has(part.type)) return false
  return item.type === part.type && item.index === undefined && !differs(item.id, part.id)
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const differs = (before: unknown, now: unknown) => isText(before) && isText(now) && before !== now

/**
 * Calls by their index, so that parallel ones stay apart, and by their id where several have the same index (Ollama, Grok).
 * Some servers draw a new id for each chunk of one call: only a chunk that names its function can begin another.
 */
function mergeToolCalls(before: unknown, parts: readonly unknown[]): unknown[] {
  const calls: unknown[] = toOwn(Array.isArray(before) ? (before as unknown[]) : [])
  for (const part of parts) {
    const at = isRecord(part) ? findCall(calls, part) : -1
    if (at === -1) calls.push(isRecord(part) ? mergeDelta({}, part) : part)
    else {
      const { id, ...rest } = part as KVMap
      const call = mergeDelta(calls[at] as KVMap, rest)
      if (!isText(call.id) && isText(id)) call.id = id
      calls[at] = call
    }
  }
  return calls
}

function findCall(calls: readonly unknown[], part: KVMap): number {
  const { index, id } = part
  const named = isRecord(part.function) && isText(part.function.name) ? part.function.name : undefined
  if (typeof index === 'number') {
    const at = calls.findLastIndex((call) => isRecord(call) && call.index === index)
    const call = calls[at]
    if (!isRecord(call)) return -1
    if (named !== undefined && differs(call.id, id)) {
      return calls.findIndex((other) => isRecord(other) && other.index === index && other.id === id)
    }
    return named !== undefined && beginsAnother(call, named) ? -1 : at
  }
  if (isText(id)) return calls.findIndex((call) => isRecord(call) && call.id === id)
  return named === undefined ? calls.length - 1 : -1
}

/** Whether a function of another name follows a call that is complete, although neither has an id. */
function beginsAnother(call: KVMap, name: string): boolean {
  const { name: before, arguments: args } = isRecord(call.function) ? call.function : {}
  return differs(before, name) && isText(args)
}

/** Calls without an index keep their place after those with one. */
function sortByIndex(calls: readonly unknown[]): unknown[] {
  const indexOf = (call: unknown) => (isRecord(call) && typeof call.index === 'number' ? call.index : Infinity)
  return calls.toSorted((a, b) => {
    const [left, right] = [indexOf(a), indexOf(b)]
    return left === right ? 0 : left - right
  })
}

/** Some servers send the name in pieces, others whole in each chunk. It is complete when the arguments begin. */
function mergeCall(before: unknown, { name, ...part }: KVMap): KVMap {
  const known: KVMap = isRecord(before) ? toOwn(before) : {}
  const merged = isText(known.name) && !isText(name) ? known.name : mergeName(known, name)
  return mergeDelta(merged === undefined ? known : Object.assign(known, { name: merged }), part)
}

function mergeName({ name: before, arguments: args }: KVMap, name: unknown): unknown {
  if (!isText(before) || !isText(name) || name.startsWith(before)) return name
  return isText(args) ? before : before + name
}

/** A message that is complete: its calls in order, without the numbers that only tell parts apart, and its audio. */
export function finishMessage({ ...message }: KVMap): KVMap {
  if (Array.isArray(message.tool_calls)) {
    message.tool_calls = sortByIndex(message.tool_calls).map((call) => {
      if (!isObject(call)) return call
      const { index: _, ...rest } = call
      return rest
    })
  }
  if (isRecord(message.audio)) message.audio = { ...message.audio, ...joinAudio(message.audio.data) }
  return message
}

/** Each piece of audio is encoded by itself, so that the padding of base64 may be in the middle. */
export function joinAudio(data: unknown): { data?: string } {
  if (!isText(data)) return {}
  const pieces = data.match(/[^=]+=*/g) ?? []
  try {
    return { data: pieces.length > 1 ? btoa(pieces.map((piece) => atob(piece)).join('')) : data }
  } catch {
    return { data }
  }
}
