import { isObject, isRecord } from '../guards.ts'
import type { KVMap } from '../schemas.ts'

/** Texts that say what something is. A chunk that has one again repeats it; every other text goes on where it ended. */
const LABELS: ReadonlySet<string> = new Set(['role', 'type', 'id', 'name', 'format', 'status', 'call_id', 'object'])

/** Adds a part of a streamed message: texts go on, lists grow, objects are merged, labels are replaced. */
export function mergeDelta(message: KVMap, delta: KVMap): KVMap {
  const merged: KVMap = { ...message }
  for (const [key, value] of Object.entries(delta)) {
    const before: unknown = merged[key]
    if (key === 'tool_calls' && Array.isArray(value)) merged[key] = mergeToolCalls(before, value)
    else if ((key === 'function' || key === 'function_call') && isRecord(value)) merged[key] = mergeCall(before, value)
    else if (Array.isArray(value) && Array.isArray(before)) merged[key] = mergeLists(before, value)
    else if (key === 'audio' && isRecord(value) && isRecord(before)) merged[key] = mergeAudio(before, value)
    else if (isRecord(value) && isRecord(before)) merged[key] = mergeDelta(before, value)
    else if (typeof value === 'string' && typeof before === 'string' && !LABELS.has(key)) merged[key] = before + value
    else if (typeof value === 'string' && LABELS.has(key)) merged[key] = value || before || value
    else if (value != null || before === undefined) merged[key] = value
  }
  return merged
}

/** Each piece of sound is encoded by itself, so that base64 may end in the middle. */
function mergeAudio(before: KVMap, delta: KVMap): KVMap {
  const merged = mergeDelta(before, delta)
  if (!isText(before.data) || !before.data.endsWith('=') || !isText(delta.data)) return merged
  try {
    return { ...merged, data: btoa(atob(before.data) + atob(delta.data)) }
  } catch {
    return merged
  }
}

/**
 * Items with an `index` are parts of the item that has it, others are new. The index alone does not tell: some servers
 * give every item of a list the index 0, each with its own id or type.
 */
function mergeLists(before: readonly unknown[], parts: readonly unknown[]): unknown[] {
  const items = [...before]
  for (const part of parts) {
    const at = isRecord(part) && typeof part.index === 'number' ? findItem(items, part) : -1
    if (at === -1) items.push(part)
    else items[at] = mergeDelta(items[at] as KVMap, part as KVMap)
  }
  return items
}

function findItem(items: readonly unknown[], part: KVMap): number {
  return items.findLastIndex(
    (item) =>
      isRecord(item) && item.index === part.index && !differs(item.id, part.id) && !differs(item.type, part.type),
  )
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const differs = (before: unknown, now: unknown) => isText(before) && isText(now) && before !== now

/**
 * Calls by their index, so that parallel ones stay apart, and by their id where several have the same index (Ollama, Grok).
 * Some servers draw a new id for each chunk of one call: only a chunk that names its function can begin another.
 */
function mergeToolCalls(before: unknown, parts: readonly unknown[]): unknown[] {
  const calls: unknown[] = Array.isArray(before) ? [...(before as unknown[])] : []
  for (const part of parts) {
    const at = isRecord(part) ? findCall(calls, part) : -1
    if (at === -1) calls.push(isRecord(part) ? mergeDelta({}, part) : part)
    else {
      const { id, ...rest } = part as KVMap
      const call = calls[at] as KVMap
      const merged = mergeDelta(call, rest)
      calls[at] = !isText(call.id) && isText(id) ? { ...merged, id } : merged
    }
  }
  return sortByIndex(calls)
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
  const known: KVMap = isRecord(before) ? before : {}
  const merged = isText(known.name) && !isText(name) ? known.name : mergeName(known, name)
  return mergeDelta(merged === undefined ? known : { ...known, name: merged }, part)
}

function mergeName({ name: before, arguments: args }: KVMap, name: unknown): unknown {
  if (!isText(before) || !isText(name) || name.startsWith(before)) return name
  return isText(args) ? before : before + name
}

/** A message without the numbers that only tell parts apart: the API does not return them without streaming. */
export function withoutCallIndexes(message: KVMap): KVMap {
  if (!Array.isArray(message.tool_calls)) return message
  const calls = message.tool_calls.map((call: unknown) => {
    if (!isObject(call)) return call
    const { index: _, ...rest } = call
    return rest
  })
  return { ...message, tool_calls: calls }
}
