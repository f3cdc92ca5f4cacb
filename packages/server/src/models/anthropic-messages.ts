import {
  findModelCapabilities,
  MODEL_PROVIDER_KIND_NAMES,
  type ModelCall,
  type ModelFinishReason,
  type ModelTool,
} from '@touchstone/contract'
import { isRecord, type JsonRecord, member } from '@touchstone/formats/guards'
import { writeAnthropic } from '@touchstone/formats/messages'
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

/** Anthropic requires a limit; this one fits every model of theirs. */
const DEFAULT_MAX_TOKENS = 4096

/** Anthropic's Messages. */
export const anthropicMessages: Wire = {
  name: MODEL_PROVIDER_KIND_NAMES['anthropic-messages'],
  build(call, stream) {
    const { fields, sent, unsent } = nameParameters(call, {
      temperature: 'temperature',
      top_p: 'top_p',
      top_k: 'top_k',
      stop: 'stop_sequences',
      max_tokens: 'max_tokens',
    })
    const budget = call.parameters?.reasoning_budget
    if (budget != null) sent.set('thinking', 'reasoning_budget').set('budget_tokens', 'reasoning_budget')
    const { system, messages } = writeAnthropic(readModelMessages(call.messages, { signer: 'anthropic' }))
    const body = {
      model: call.model,
      // Reasoning counts as output.
      max_tokens: DEFAULT_MAX_TOKENS + (budget ?? 0),
      ...(system.length > 0 && { system }),
      messages,
      ...fields,
      ...(budget != null && { thinking: { type: 'enabled', budget_tokens: budget } }),
      ...toTools(call),
      ...(hasNativeSchema(call) && {
        output_config: { format: { type: 'json_schema', schema: call.output_schema?.schema } },
      }),
      ...(stream && { stream: true }),
    }
    return {
      path: '/messages',
      headers: { 'anthropic-version': '2023-06-01' },
      body: addExtraBody(body, call.extra_body, sent),
      sent,
      unsent: unsent.filter((name) => name !== 'reasoning_budget' && name !== 'parallel_tool_calls'),
    }
  },
  createReader: (call) => createReader(findOutputTool(call)),
  modelsQuery: 'limit=1000',
  readModels: readModelList,
}

function hasNativeSchema({ model, output_schema }: ModelCall): boolean {
  return output_schema != null && findModelCapabilities('anthropic-messages', model).schemaMode === 'json_schema'
}

/** Name of the tool that stands for the schema at models without schemas. The model must call a tool then. */
function findOutputTool(call: ModelCall): string | undefined {
  if (call.output_schema == null || hasNativeSchema(call)) return undefined
  const { name } = call.output_schema
  const isTaken = (call.tools ?? []).some((tool) => tool.type === 'function' && tool.function.name === name)
  return isTaken ? `${name}_output` : name
}

function toTools(call: ModelCall): JsonRecord {
  const outputTool = findOutputTool(call)
  const output = outputTool !== undefined && {
    name: outputTool,
    description: 'Give the final answer with this tool.',
    input_schema: call.output_schema?.schema,
  }
  const tools = [...(call.tools ?? []).map(toTool), ...(output ? [output] : [])]
  if (tools.length === 0) return {}
  const { tool_choice: choice, parameters } = call
  const isAlone = parameters?.parallel_tool_calls === false && { disable_parallel_tool_use: true }
  // A model that thinks cannot be forced to call a tool; the description of the tool tells it to. A choice that forces one
  // is sent as it is, and refused in the provider's words.
  const isFree = parameters?.reasoning_budget != null && (choice == null || choice === 'auto' || choice === 'none')
  const chosen = isFree && outputTool !== undefined ? { type: 'auto' } : toChoice(choice, outputTool)
  return { tools, ...((choice != null || output || isAlone) && { tool_choice: { ...chosen, ...isAlone } }) }
}

function toChoice(choice: ModelCall['tool_choice'], outputTool: string | undefined): JsonRecord {
  if (typeof choice === 'object' && choice !== null) return { type: 'tool', name: choice.name }
  if (outputTool !== undefined) return choice === 'none' ? { type: 'tool', name: outputTool } : { type: 'any' }
  if (choice === 'required') return { type: 'any' }
  return { type: choice === 'none' ? 'none' : 'auto' }
}

function toTool(tool: ModelTool): JsonRecord {
  if (tool.type === 'raw') return tool.raw
  const { name, description, parameters } = tool.function
  return { name, ...(description != null && { description }), input_schema: parameters ?? { type: 'object' } }
}

/** @param outputTool  the tool whose arguments are the text of the answer */
function createReader(outputTool: string | undefined): WireReader {
  /** Positions of the tool calls among all blocks; null for the call that is the answer. */
  const calls = new Map<number, number | null>()
  let count = 0

  function readBlock(block: unknown, position: number): Delta[] {
    const type = member(block, 'type')
    if (type === 'text') return toTexts('text', member(block, 'text'))
    if (type === 'thinking') return readThought(member(block, 'thinking'), member(block, 'signature'))
    if (type !== 'tool_use') return []
    const [id, name, input] = [toWord(member(block, 'id')), toWord(member(block, 'name')), member(block, 'input')]
    const text = isRecord(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : ''
    if (name !== undefined && name === outputTool) {
      calls.set(position, null)
      return toTexts('text', text)
    }
    const index = count++
    calls.set(position, index)
    return [{ type: 'tool_call', index, ...(id && { id }), ...(name && { name }), ...(text && { arguments: text }) }]
  }

  function readDelta(delta: unknown, position: number): Delta[] {
    switch (member(delta, 'type')) {
      case 'text_delta':
        return toTexts('text', member(delta, 'text'))
      case 'thinking_delta':
        return toTexts('reasoning', member(delta, 'thinking'))
      case 'signature_delta':
        return readThought('', member(delta, 'signature'))
      case 'input_json_delta': {
        const text = toWord(member(delta, 'partial_json'))
        const index = calls.get(position)
        if (text === undefined || index === undefined) return []
        return index === null ? [{ type: 'text', text }] : [{ type: 'tool_call', index, arguments: text }]
      }
      default:
        return []
    }
  }

  const readStop = (value: unknown): Delta[] => {
    const reason = toWord(value)
    if (reason === undefined) return []
    const isAnswer = reason === 'tool_use' && count === 0
    return [{ type: 'finish', reason: isAnswer ? 'stop' : (FINISH[reason] ?? 'other'), providerReason: reason }]
  }

  return {
    readEvent(event) {
      const position = toCount(member(event, 'index')) ?? 0
      switch (member(event, 'type')) {
        case 'message_start':
          return readHead(member(event, 'message'))
        case 'content_block_start':
          return readBlock(member(event, 'content_block'), position)
        case 'content_block_delta':
          return readDelta(member(event, 'delta'), position)
        case 'message_delta':
          return [...readUsage(member(event, 'usage')), ...readStop(member(member(event, 'delta'), 'stop_reason'))]
        case 'message_stop':
          return [{ type: 'end' }]
        case 'error':
          return [{ type: 'error', error: event }]
        default:
          return []
      }
    },
    readWhole(answer) {
      if (member(answer, 'type') === 'error') return [{ type: 'error', error: answer }]
      const blocks = toList(member(answer, 'content')).flatMap(readBlock)
      return [...readHead(answer), ...blocks, ...readStop(member(answer, 'stop_reason'))]
    },
  }
}

const FINISH: Readonly<Record<string, ModelFinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

function toTexts(type: 'text' | 'reasoning', value: unknown): Delta[] {
  const text = toWord(value)
  return text === undefined ? [] : [{ type, text }]
}

function readThought(thinking: unknown, value: unknown): Delta[] {
  const signature = toWord(value)
  const text = toWord(thinking) ?? ''
  return text === '' && signature === undefined ? [] : [{ type: 'reasoning', text, ...(signature && { signature }) }]
}

function readHead(message: unknown): Delta[] {
  const model = toWord(member(message, 'model'))
  return [...(model === undefined ? [] : [{ type: 'model' as const, model }]), ...readUsage(member(message, 'usage'))]
}

/** Anthropic counts cached tokens beside the other ones. */
function readUsage(usage: unknown): Delta[] {
  if (usage == null) return []
  const input = toCount(member(usage, 'input_tokens'))
  const [read, written] = [
    toCount(member(usage, 'cache_read_input_tokens')),
    toCount(member(usage, 'cache_creation_input_tokens')),
  ]
  const prompt_tokens = input === null ? null : input + (read ?? 0) + (written ?? 0)
  const completion_tokens = toCount(member(usage, 'output_tokens'))
  return [
    {
      type: 'usage',
      usage: { prompt_tokens, completion_tokens, cache_read_tokens: read, cache_write_tokens: written },
    },
  ]
}
