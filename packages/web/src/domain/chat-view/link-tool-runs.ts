import type { Run } from '@touchstone/sdk'
import { asObject, type ChatMessage, type ChatPart, type ToolCall, type ToolResult } from './conversation.ts'
import { readMessage } from './read-message.ts'
import { readParts } from './read-parts.ts'

/** Tool runs that a conversation may speak of: because of its answers, and from before (the latest first). */
export interface ToolRuns {
  after: readonly Run[]
  before: readonly Run[]
}

/**
 * Says of every tool call which run executed it, and puts what that run returned under a call that has no result yet.
 * A run that names its call is believed; the others are taken by name, in order: of what was answered from the first
 * run on, of what was said before from the last run back.
 *
 * @param firstAnswer  index of the first message that the run itself produced
 */
export function linkToolRuns(messages: readonly ChatMessage[], firstAnswer: number, runs: ToolRuns): ChatMessage[] {
  const calls = messages.flatMap(({ parts }, index) =>
    parts.flatMap((part) => (part.kind === 'tool_call' ? [{ call: part, isAnswer: index >= firstAnswer }] : [])),
  )
  const free = new Set([...runs.after, ...runs.before])
  const found = new Map<ToolCall, Run>()
  const take = (call: ToolCall, run: Run | undefined) => {
    if (run && free.delete(run)) found.set(call, run)
  }

  for (const { call } of calls) {
    if (call.id !== undefined)
      take(
        call,
        [...free].find((run) => callIdsOf(run).includes(call.id!)),
      )
  }
  const open = calls.filter(({ call }) => !found.has(call))
  const nameless = (call: ToolCall) => (run: Run) =>
    free.has(run) && run.name === call.name && (call.id === undefined || callIdsOf(run).length === 0)
  for (const { call, isAnswer } of open) if (isAnswer) take(call, runs.after.find(nameless(call)))
  for (const { call, isAnswer } of [...open].reverse()) if (!isAnswer) take(call, runs.before.find(nameless(call)))

  const linked = (part: ChatPart): ChatPart => {
    const run = part.kind === 'tool_call' ? found.get(part) : undefined
    if (part.kind !== 'tool_call' || !run) return part
    const result = part.result ?? resultOf(run)
    return { ...part, run, ...(result && { result }) }
  }
  return messages.map((message) => ({ ...message, parts: message.parts.map(linked) }))
}

const ID_KEYS = ['tool_call_id', 'toolCallId', 'tool_use_id', 'call_id']
const CALL_TYPES = new Set(['tool_call', 'tool_use', 'function_call', 'function'])

/** Ids of calls in the places where clients write them; a payload may carry a whole conversation with others' ids. */
function callIdsOf({ inputs, outputs, extra }: Run): string[] {
  const [given, made, about] = [asObject(inputs), asObject(outputs), asObject(extra)]
  const output = asObject(made?.output)
  const places = [about, about?.metadata, given, given?.input, given?.tool_call, made, output, output?.kwargs]
  return places.flatMap((place) => {
    const fields = asObject(place) ?? {}
    const ids = ID_KEYS.map((key) => fields[key])
    if (CALL_TYPES.has(String(fields.type))) ids.push(fields.id)
    return ids.filter((id) => typeof id === 'string')
  })
}

/** Names under which a tool's only value is kept. */
const RESULT_KEYS = ['output', 'outputs', 'result', 'content', 'return_value']

function resultOf(run: Run): ToolResult | undefined {
  if (run.error_preview) return { ...RECORDED, parts: readParts(run.error_preview), isError: true }
  const outputs = asObject(run.outputs)
  if (!outputs) {
    if (!run.outputs_preview) return undefined
    return { ...RECORDED, parts: readParts(run.outputs_preview), isBeginning: true }
  }
  const names = Object.keys(outputs)
  const only = names.length === 1 && RESULT_KEYS.includes(names[0]!) ? outputs[names[0]!] : outputs
  const message = readMessage(only)
  const said = message?.parts.flatMap((part) => (part.kind === 'tool_result' ? part.parts : [part]))
  if (said) return { ...RECORDED, parts: said }
  const isPlain = typeof only !== 'object' || only === null
  return { ...RECORDED, parts: isPlain ? readParts(only) : [{ kind: 'unknown', value: only }] }
}

const RECORDED = { kind: 'tool_result', isRecorded: true } as const
