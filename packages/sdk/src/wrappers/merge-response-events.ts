import { isObject, isRecord } from '../guards.ts'
import type { KVMap } from '../schemas.ts'
import { extendList, joinAudio, toOwn } from './merge-deltas.ts'

const LAST_EVENTS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed'])

/** The events of a response: the complete one, otherwise what arrived of it, otherwise the last event. */
export function mergeResponseEvents(events: readonly KVMap[]): KVMap {
  const response: unknown = events.findLast(({ type }) => LAST_EVENTS.has(type))?.response
  if (!isObject(response)) return mergeUnfinished(events) ?? events.at(-1) ?? {}
  // Some servers repeat nothing of what they sent.
  if (Array.isArray(response.output) && response.output.length > 0) return response
  const output = mergeOutput(events)
  return output.length > 0 ? { ...response, output } : response
}

function mergeUnfinished(events: readonly KVMap[]): KVMap | undefined {
  const begun: unknown = events.findLast(({ response }) => isObject(response))?.response
  if (!isObject(begun)) return undefined
  const { type, ...error } = events.findLast((event) => event.type === 'error') ?? {}
  return {
    ...begun,
    output: mergeOutput(events),
    ...mergeAudio(events),
    ...(type !== undefined && { error }),
  }
}

/** The audio of a response belongs to no item of its output. */
function mergeAudio(events: readonly KVMap[]): { audio?: KVMap } {
  const join = (name: string) =>
    events.map(({ type, delta }) => (type === name && typeof delta === 'string' ? delta : '')).join('')
  const data = join('response.audio.delta')
  const transcript = join('response.audio.transcript.delta')
  if (data === '' && transcript === '') return {}
  return { audio: { ...joinAudio(data), ...(transcript !== '' && { transcript }) } }
}

function mergeOutput(events: readonly KVMap[]): KVMap[] {
  const items = new Map<number, KVMap>()
  for (const event of events) {
    const { output_index: at, item } = event
    if (typeof at !== 'number') continue
    const before = items.get(at)
    if (isRecord(item)) items.set(at, item)
    else if (before !== undefined) items.set(at, addEvent(before, event))
  }
  return [...items].sort(([a], [b]) => a - b).map(([, item]) => item)
}

/** Where the text of an event is in its item. A name that ends with `_index` is a member of the event with a position. */
interface Target {
  readonly path: readonly string[]
  /** The type of the part that the text is in, when the event is the first of it. */
  readonly type?: string
}

/** By the type of the event without `response.` before it and `.added`, `.delta` or `.done` after it. */
const TEXTS: ReadonlyMap<string, Target> = new Map(
  Object.entries<Target>({
    output_text: { path: ['content', 'content_index', 'text'], type: 'output_text' },
    refusal: { path: ['content', 'content_index', 'refusal'], type: 'refusal' },
    reasoning_text: { path: ['content', 'content_index', 'text'], type: 'reasoning_text' },
    reasoning_summary_text: { path: ['summary', 'summary_index', 'text'], type: 'summary_text' },
    function_call_arguments: { path: ['arguments'] },
    mcp_call_arguments: { path: ['arguments'] },
    custom_tool_call_input: { path: ['input'] },
    code_interpreter_call_code: { path: ['code'] },
    apply_patch_call_operation_diff: { path: ['operation', 'diff'] },
    shell_call_command: { path: ['action', 'commands', 'command_index'] },
  }),
)

function addEvent(item: KVMap, event: KVMap): KVMap {
  const { part, annotation, delta, partial_image_b64: image } = event
  const [, name = '', step] = /^response\.(\w+)\.(added|delta|done)$/.exec(String(event.type)) ?? []
  const update = (path: readonly string[], change: Change) => updateAt(item, readPath(path, event), change)
  const target = TEXTS.get(name)
  if (target !== undefined) return addText(item, event, target, step === 'delta')
  if (name === 'shell_call_output_content' && isRecord(delta)) return addOutput(item, event, delta)
  if (typeof image === 'string') return update(['result'], () => image)
  if (isRecord(part)) {
    return update('summary_index' in event ? ['summary', 'summary_index'] : ['content', 'content_index'], () => part)
  }
  return isRecord(annotation) ? update(['content', 'content_index', 'annotations'], goOn([annotation])) : item
}

function addText(item: KVMap, event: KVMap, { path, type }: Target, isPiece: boolean): KVMap {
  // The event that begins or ends a text has it in a member of its own.
  const text = isPiece ? event.delta : (event[path.at(-1) as string] ?? event.command)
  const place = readPath(path, event)
  if (typeof text !== 'string' || place === undefined) return item
  const typed = type === undefined ? item : updateAt(item, place.slice(0, -1), (part) => part ?? { type })
  const merged = updateAt(typed, place, isPiece ? goOn(text) : () => text)
  const { logprobs } = event
  if (!Array.isArray(logprobs) || logprobs.length === 0) return merged
  return updateAt(merged, [...place.slice(0, -1), 'logprobs'], isPiece ? goOn(logprobs) : () => logprobs)
}

/** What a command of a shell printed, in two texts. */
function addOutput(item: KVMap, event: KVMap, delta: KVMap): KVMap {
  return Object.entries(delta).reduce(
    (merged, [name, text]) =>
      typeof text === 'string'
        ? updateAt(merged, readPath(['output', 'command_index', name], event), goOn(text))
        : merged,
    item,
  )
}

type Change = (before: unknown) => unknown

const goOn =
  (more: string | unknown[]): Change =>
  (before) =>
    typeof more === 'string'
      ? `${typeof before === 'string' ? before : ''}${more}`
      : extendList(Array.isArray(before) ? before : [], more)

type Path = readonly (string | number)[]

/** Undefined when the event lacks a position, or has one that no response has. */
function readPath(path: readonly string[], event: KVMap): Path | undefined {
  const steps = path.map((name) => (name.endsWith('_index') ? event[name] : name))
  return steps.every((step) => typeof step === 'string' || isPosition(step)) ? (steps as Path) : undefined
}

const MAX_PARTS = 10_000
const isPosition = (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < MAX_PARTS

/** Changes one member of an item, however deep. What belongs to the events is copied once. */
function updateAt(item: KVMap, path: Path | undefined, change: Change): KVMap {
  return path === undefined ? item : (updateMember(item, path, change) as KVMap)
}

function updateMember(value: unknown, [step, ...rest]: Path, change: Change): unknown {
  if (step === undefined) return change(value)
  if (typeof step === 'string') {
    const fields = toOwn(isRecord(value) ? value : {})
    fields[step] = updateMember(fields[step], rest, change)
    return fields
  }
  const list: unknown[] = toOwn(Array.isArray(value) ? (value as unknown[]) : [])
  // Without gaps: those before it were not sent.
  while (list.length < step) list.push(null)
  list[step] = updateMember(list[step] ?? undefined, rest, change)
  return list
}
