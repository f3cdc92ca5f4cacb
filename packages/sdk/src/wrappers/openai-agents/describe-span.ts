import { parseModelJson } from '@touchstone/formats/exact-json'
import { isRecord } from '../../guards.ts'
import type { KVMap } from '../../schemas.ts'
import { toOutputs } from '../openai-output.ts'

export interface SpanError {
  readonly message: string
  readonly data?: Record<string, unknown> | undefined
}

/** A span as a run. At its start it has only some of its fields. */
export interface SpanDescription {
  readonly name: string
  readonly run_type: string
  readonly inputs: KVMap
  readonly outputs: KVMap
  readonly metadata: KVMap
}

/** Describes the data of a span of any type. */
export function describeSpan(spanData: object): SpanDescription {
  const data = spanData as KVMap
  const { name = data.type, run_type = 'chain', ...rest } = DESCRIPTIONS[String(data.type)]?.(data) ?? {}
  return { name: String(name), run_type, inputs: {}, outputs: {}, metadata: {}, ...rest }
}

export function formatSpanError({ message, data }: SpanError): string {
  const details = isRecord(data) && Object.keys(data).length > 0 ? `\n${toText(data)}` : ''
  return `${message}${details}`
}

type Describe = (data: KVMap) => Partial<Omit<SpanDescription, 'name'>> & { readonly name?: unknown }

const DESCRIPTIONS: Readonly<Record<string, Describe>> = {
  agent: ({ name, tools, handoffs, output_type }) => ({ name, metadata: { tools, handoffs, output_type } }),
  task: ({ name }) => ({ name }),
  turn: ({ turn, agent_name }) => ({ name: `turn ${turn}`, metadata: { agent_name } }),
  function: ({ name, input, output }) => ({
    name,
    run_type: 'tool',
    inputs: toFields(input, 'input'),
    outputs: toFields(output, 'output'),
  }),
  handoff: ({ from_agent, to_agent }) => ({ name: 'handoff', inputs: { from_agent }, outputs: { to_agent } }),
  guardrail: ({ name, triggered }) => ({
    name,
    run_type: 'tool',
    outputs: { triggered },
    metadata: { ls_agent_type: 'middleware' },
  }),
  generation: describeGeneration,
  response: describeResponse,
  custom({ name, data }) {
    const { input, output, ...metadata }: KVMap = isRecord(data) ? data : {}
    return { name, inputs: toFields(input, 'input'), outputs: toFields(output, 'output'), metadata }
  },
  mcp_tools: ({ server, result }) => ({ name: 'list tools of MCP', inputs: { server }, outputs: { tools: result } }),
  // The sound itself is not recorded.
  transcription: ({ output, model }) => ({
    run_type: 'llm',
    outputs: toFields(output, 'text'),
    metadata: { ls_model_name: model, ls_provider: 'openai' },
  }),
  speech: ({ input, model }) => ({
    run_type: 'llm',
    inputs: toFields(input, 'text'),
    metadata: { ls_model_name: model, ls_provider: 'openai' },
  }),
  speech_group: ({ input }) => ({ inputs: toFields(input, 'text') }),
}

/** A call of chat completions: the answers have the form of the API. */
function describeGeneration({ input, output, model, model_config, usage }: KVMap): ReturnType<Describe> {
  const [answer]: unknown[] = Array.isArray(output) ? output : []
  const { usage: reported, ...completion }: KVMap = isRecord(answer) ? answer : {}
  const outputs = toOutputs({ ...completion, usage: reported ?? usage })
  return {
    name: 'generation',
    run_type: 'llm',
    inputs: input === undefined ? {} : { messages: input },
    outputs: answer === undefined ? {} : outputs,
    metadata: describeModel(model ?? completion.model, isRecord(model_config) ? model_config : {}, outputs),
  }
}

/** A call of the responses API. Its answer repeats the request. */
function describeResponse({ _input, _response }: KVMap): ReturnType<Describe> {
  const { instructions, tools, output_text: _, ...answer }: KVMap = isRecord(_response) ? _response : {}
  const outputs = toOutputs(answer)
  const { temperature, max_output_tokens, top_p, reasoning, tool_choice } = answer
  const config = { temperature, max_tokens: max_output_tokens, top_p, reasoning, tool_choice, use_responses_api: true }
  return {
    name: 'response',
    run_type: 'llm',
    inputs: {
      ...(typeof instructions === 'string' && instructions !== '' && { instructions }),
      ...(_input !== undefined && { input: Array.isArray(_input) ? _input.map(toItem) : _input }),
      ...(Array.isArray(tools) && tools.length > 0 && { tools: tools as unknown[] }),
    },
    outputs,
    metadata: describeModel(answer.model, config, outputs),
  }
}

/** Items of the SDK as those of the API. */
function toItem(item: unknown): unknown {
  if (!isRecord(item)) return item
  const { providerData: _, callId, output, ...rest } = item
  if (item.type !== 'function_call_result') return { ...rest, ...(callId !== undefined && { call_id: callId }) }
  const text: unknown = isRecord(output) && output.type === 'text' ? output.text : output
  return { type: 'function_call_output', call_id: callId, output: text }
}

function describeModel(model: unknown, config: KVMap, outputs: KVMap): KVMap {
  const { temperature, max_tokens, ...others } = config
  const given = Object.entries(others).filter(([key, value]) => value != null && key !== 'base_url')
  const known = {
    ls_provider: 'openai',
    ls_model_type: 'chat',
    ls_model_name: model,
    ls_temperature: temperature ?? undefined,
    ls_max_tokens: max_tokens ?? undefined,
    ls_invocation_params: Object.fromEntries(given),
    usage_metadata: outputs.usage_metadata as unknown,
  }
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))
}

/** Tools have their inputs and outputs as JSON. */
function toFields(value: unknown, name: string): KVMap {
  if (value === undefined || value === null || value === '') return {}
  const parsed = typeof value === 'string' && value.startsWith('{') ? parse(value) : value
  return isRecord(parsed) ? parsed : { [name]: parsed }
}

function parse(text: string): unknown {
  try {
    return parseModelJson(text)
  } catch {
    return text
  }
}

function toText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return String(value)
  }
}
