import { MODEL_PROVIDER_KIND_NAMES, type ModelCall, type ModelFinishReason, type ModelTool } from '@touchstone/contract'
import { type JsonRecord, member, memberAt } from '@touchstone/formats/guards'
import { writeOpenaiResponses } from '@touchstone/formats/messages'
import { readModelList } from './openai-chat.ts'
import { readModelMessages } from './read-model-messages.ts'
import {
  addExtraBody,
  type Delta,
  nameParameters,
  toCount,
  toList,
  toWord,
  type Wire,
  type WireReader,
} from './wire.ts'

/** OpenAI's Responses. */
export const openaiResponses: Wire = {
  name: MODEL_PROVIDER_KIND_NAMES['openai-responses'],
  build(call, stream) {
    const { fields, sent, unsent } = nameParameters(call, {
      temperature: 'temperature',
      top_p: 'top_p',
      max_tokens: 'max_output_tokens',
      parallel_tool_calls: 'parallel_tool_calls',
    })
    const effort = call.parameters?.reasoning_effort
    if (effort != null) sent.set('reasoning.effort', 'reasoning_effort').set('effort', 'reasoning_effort')
    const body = {
      model: call.model,
      input: writeOpenaiResponses(readModelMessages(call.messages, { signer: 'openai' })),
      ...fields,
      ...(effort != null && { reasoning: { effort } }),
      ...toTools(call),
      ...toFormat(call),
      // OpenAI would keep the conversation for 30 days.
      store: false,
      ...(stream && { stream: true }),
    }
    return {
      path: '/responses',
      body: addExtraBody(body, call.extra_body, sent),
      sent,
      unsent: unsent.filter((name) => name !== 'reasoning_effort'),
    }
  },
  createReader,
  readModels: readModelList,
}

function toTools({ tools, tool_choice: choice }: ModelCall): JsonRecord {
  if (tools == null || tools.length === 0) return {}
  return {
    tools: tools.map((tool: ModelTool) => {
      if (tool.type === 'raw') return tool.raw
      const { name, description, parameters, strict } = tool.function
      return {
        type: 'function',
        name,
        ...(description != null && { description }),
        parameters: parameters ?? { type: 'object', properties: {} },
        strict: strict ?? false,
      }
    }),
    ...(choice != null && {
      tool_choice: typeof choice === 'string' ? choice : { type: 'function', name: choice.name },
    }),
  }
}

function toFormat({ output_schema: format }: ModelCall): JsonRecord {
  if (format == null) return {}
  const { name, schema, strict } = format
  return { text: { format: { type: 'json_schema', name, schema, strict: strict ?? true } } }
}

function createReader(): WireReader {
  /** Positions of the function calls among all items of the output. */
  const calls = new Map<number, number>()
  const toIndex = (outputIndex: number) => {
    const index = calls.get(outputIndex) ?? calls.size
    calls.set(outputIndex, index)
    return index
  }

  function readEvent(event: unknown): Delta[] {
    const type = toWord(member(event, 'type')) ?? ''
    const text = toWord(member(event, 'delta'))
    const position = toCount(member(event, 'output_index')) ?? 0
    switch (type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return text === undefined ? [] : [{ type: 'text', text }]
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return text === undefined ? [] : [{ type: 'reasoning', text }]
      case 'response.output_item.added': {
        const item = member(event, 'item')
        return member(item, 'type') === 'function_call' ? [toCall(item, toIndex(position))] : []
      }
      case 'response.function_call_arguments.delta':
        return text === undefined ? [] : [{ type: 'tool_call', index: toIndex(position), arguments: text }]
      case 'response.completed':
      case 'response.incomplete':
        return [...readEnd(member(event, 'response'), calls.size > 0), { type: 'end' }]
      case 'response.failed':
        return [{ type: 'error', error: member(event, 'response') }]
      case 'error':
        return [{ type: 'error', error: event }]
      default:
        return []
    }
  }

  return { readEvent, readWhole: (answer) => readAnswer(answer) }
}

function toCall(item: unknown, index: number): Delta {
  const [id, name] = [toWord(member(item, 'call_id')), toWord(member(item, 'name'))]
  const text = toWord(member(item, 'arguments'))
  return { type: 'tool_call', index, ...(id && { id }), ...(name && { name }), ...(text && { arguments: text }) }
}

function readAnswer(answer: unknown): Delta[] {
  if (member(answer, 'error') != null) return [{ type: 'error', error: answer }]
  const output = member(answer, 'output')
  if (!Array.isArray(output)) return []
  const calls = output.filter((item) => member(item, 'type') === 'function_call')
  const texts = output.flatMap((item): Delta[] => {
    const isReasoning = member(item, 'type') === 'reasoning'
    return toList(member(item, isReasoning ? 'summary' : 'content')).flatMap((part): Delta[] => {
      const text = toWord(member(part, 'text')) ?? toWord(member(part, 'refusal'))
      return text === undefined ? [] : [{ type: isReasoning ? 'reasoning' : 'text', text }]
    })
  })
  return [...texts, ...calls.map(toCall), ...readEnd(answer, calls.length > 0)]
}

/** The model, the usage and the reason at the end of an answer. */
function readEnd(response: unknown, hasCalls: boolean): Delta[] {
  const model = toWord(member(response, 'model'))
  const usage = member(response, 'usage')
  const cutBy = toWord(memberAt(response, 'incomplete_details', 'reason'))
  const status = toWord(member(response, 'status')) ?? 'completed'
  return [
    ...(model === undefined ? [] : [{ type: 'model' as const, model }]),
    ...(usage == null ? [] : [{ type: 'usage' as const, usage: readUsage(usage) }]),
    { type: 'finish', reason: toReason(status, cutBy, hasCalls), providerReason: cutBy ?? status },
  ]
}

function toReason(status: string, cutBy: string | undefined, hasCalls: boolean): ModelFinishReason {
  if (cutBy === 'max_output_tokens') return 'length'
  if (cutBy === 'content_filter') return 'content_filter'
  if (status !== 'completed') return 'other'
  return hasCalls ? 'tool_calls' : 'stop'
}

function readUsage(usage: unknown) {
  return {
    prompt_tokens: toCount(member(usage, 'input_tokens')),
    completion_tokens: toCount(member(usage, 'output_tokens')),
    total_tokens: toCount(member(usage, 'total_tokens')),
    cache_read_tokens: toCount(memberAt(usage, 'input_tokens_details', 'cached_tokens')),
    reasoning_tokens: toCount(memberAt(usage, 'output_tokens_details', 'reasoning_tokens')),
  }
}
