import { asRecord } from '@touchstone/formats/guards'
import { readMessage, readParts } from '@touchstone/formats/messages'
import type { Run } from '@touchstone/sdk'
import type { ChatMessage, ChatPart, ToolCall, ToolResult } from './conversation.ts'

/** Tool runs that may belong to the calls of a run: runs after its output, and earlier runs (the latest first). */
export interface ToolRuns {
  after: readonly Run[]
  before: readonly Run[]
}

/**
 * Links every tool call to the run that executed it, and adds the output of the run to a call without a result.
 * A run with the id of a call belongs to that call. Other runs are matched by name, in order: calls of the output from the
 * first later run on, calls of the input from the latest earlier run back.
 *
 * @param firstAnswer  index of the first output message of the run
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
    const { id } = call
    if (id === undefined) continue
    take(
      call,
      [...free].find((run) => readCallIds(run).includes(id)),
    )
  }
  const open = calls.filter(({ call }) => !found.has(call))
  const matchesByName = (call: ToolCall) => (run: Run) =>
    free.has(run) && run.name === call.name && (call.id === undefined || readCallIds(run).length === 0)
  for (const { call, isAnswer } of open) if (isAnswer) take(call, runs.after.find(matchesByName(call)))
  for (const { call, isAnswer } of [...open].reverse()) if (!isAnswer) take(call, runs.before.find(matchesByName(call)))

  const link = (part: ChatPart): ChatPart => {
    const run = part.kind === 'tool_call' ? found.get(part) : undefined
    if (part.kind !== 'tool_call' || !run) return part
    const result = part.result ?? readResult(run)
    return { ...part, run, ...(result && { result }) }
  }
  return messages.map((message) => ({ ...message, parts: message.parts.map(link) }))
}

const ID_KEYS = ['tool_call_id', 'toolCallId', 'tool_use_id', 'call_id']
const CALL_TYPES = new Set(['tool_call', 'tool_use', 'function_call', 'function'])

/** Ids of calls where clients write them. Other fields are ignored: a payload may contain a conversation with other ids. */
function readCallIds({ inputs, outputs, extra }: Run): string[] {
  const [input, result, extraFields] = [asRecord(inputs), asRecord(outputs), asRecord(extra)]
  const output = asRecord(result?.output)
  const objects = [
    extraFields,
    extraFields?.metadata,
    input,
    input?.input,
    input?.tool_call,
    result,
    output,
    output?.kwargs,
  ]
  return objects.flatMap((object) => {
    const fields = asRecord(object) ?? {}
    const ids = ID_KEYS.map((key) => fields[key])
    if (CALL_TYPES.has(String(fields.type))) ids.push(fields.id)
    return ids.filter((id) => typeof id === 'string')
  })
}

/** Field names of a single output value. */
const RESULT_KEYS = ['output', 'outputs', 'result', 'content', 'return_value']

function readResult(run: Run): ToolResult | undefined {
  if (run.error_preview) return { ...RECORDED, parts: readParts(run.error_preview), isError: true }
  const outputs = asRecord(run.outputs)
  if (!outputs) {
    if (!run.outputs_preview) return undefined
    return { ...RECORDED, parts: readParts(run.outputs_preview), isBeginning: true }
  }
  const [name, ...otherNames] = Object.keys(outputs)
  const isSingle = name !== undefined && otherNames.length === 0 && RESULT_KEYS.includes(name)
  const value = isSingle ? outputs[name] : outputs
  const message = readMessage(value)
  const messageParts = message?.parts.flatMap((part) => (part.kind === 'tool_result' ? part.parts : [part]))
  if (messageParts) return { ...RECORDED, parts: messageParts }
  const isPlain = typeof value !== 'object' || value === null
  return { ...RECORDED, parts: isPlain ? readParts(value) : [{ kind: 'unknown', value }] }
}

const RECORDED = { kind: 'tool_result', isRecorded: true } as const

/**
 * Moves every tool result to its call, by id or else by name in order. A result without a call keeps its position. A message
 * without remaining parts is removed.
 */
export function pairToolCalls<Message extends ChatMessage>(messages: readonly Message[]): Message[] {
  const open = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'tool_call' ? [{ ...part }] : [])),
  )
  const callOf = new Map<ToolResult, ToolCall>()
  for (const result of messages.flatMap(({ parts }) => parts.filter((part) => part.kind === 'tool_result'))) {
    const call = open.find((candidate) => candidate.result === undefined && belongsTo(result, candidate))
    if (!call) continue
    call.result = result
    callOf.set(result, call)
  }
  const calls = open.values()
  return messages.flatMap((message) => {
    const parts = message.parts.flatMap((part): ChatPart[] => {
      if (part.kind === 'tool_call') return [calls.next().value ?? part]
      return part.kind === 'tool_result' && callOf.has(part) ? [] : [part]
    })
    return parts.length === 0 && message.parts.length > 0 ? [] : [{ ...message, parts }]
  })
}

function belongsTo(result: ToolResult, call: ToolCall): boolean {
  if (result.id !== undefined && call.id !== undefined) return result.id === call.id
  return result.name !== undefined && result.name === call.name
}
