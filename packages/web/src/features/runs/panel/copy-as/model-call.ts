import type { Run } from '@touchstone/contract'
import { asList, asRecord } from '@touchstone/formats/guards'
import { type Message, readConversation, writeOpenaiChat } from '@touchstone/formats/messages'
import { findModelName } from '@touchstone/formats/models'
import type { RunPayload } from '#features/datasets/add-to-dataset/mapping.ts'

type Fields = Readonly<Record<string, unknown>>

/** A request that sends the same input to the model again. */
export interface ModelCall {
  api: 'openai-chat' | 'openai-responses' | 'anthropic' | 'gemini'
  url: string
  model: string
  body: Fields
}

/** Parameters that affect the answer; copied if the run recorded them. */
const PARAMETERS = [
  'temperature',
  'top_p',
  'max_tokens',
  'max_completion_tokens',
  'stop',
  'seed',
  'n',
  'frequency_penalty',
  'presence_penalty',
  'response_format',
  'reasoning_effort',
  'tools',
  'tool_choice',
]

/** Builds the request of a model run. Undefined for other runs, and for inputs that cannot be sent again. */
export function toModelCall(run: Run, payload: RunPayload | undefined): ModelCall | undefined {
  if (run.run_type !== 'llm' || payload === undefined) return undefined
  const inputs = asRecord(payload.inputs) ?? {}
  const conversation = readConversation(inputs, undefined)
  if (!conversation) return undefined
  const invocation = asRecord(run.extra?.invocation_params) ?? {}
  const provider = String(asRecord(run.extra?.metadata)?.ls_provider ?? '').toLowerCase()
  const model = findModelName({ extra: run.extra, inputs }) ?? 'MODEL'
  const parameters = pick({ ...invocation, ...inputs }, PARAMETERS)

  if (asList(inputs.contents)) {
    const body = pick(inputs, ['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig'])
    return { api: 'gemini', url: `${GEMINI}/models/${encodeURIComponent(model)}:generateContent`, model, body }
  }
  if (conversation.format.id === 'openai-responses') {
    const body = { model, ...pick(inputs, ['input', 'instructions', 'tools', 'tool_choice', 'reasoning', 'text']) }
    return { api: 'openai-responses', url: 'https://api.openai.com/v1/responses', model, body }
  }
  if (provider.includes('anthropic') || conversation.format.id === 'anthropic') {
    const { stop, ...rest } = parameters
    const said = isPlain(inputs.messages)
      ? pick(inputs, ['system', 'messages'])
      : toAnthropicMessages(conversation.input)
    const body = { model, max_tokens: 1024, ...rest, ...(stop !== undefined && { stop_sequences: stop }), ...said }
    return { api: 'anthropic', url: 'https://api.anthropic.com/v1/messages', model, body }
  }
  const messages = isPlain(inputs.messages) ? inputs.messages : toSendable(conversation.input)
  // Google accepts OpenAI requests at its own address.
  const url = provider.includes('google')
    ? `${GEMINI}/openai/chat/completions`
    : 'https://api.openai.com/v1/chat/completions'
  return { api: 'openai-chat', url, model, body: { model, messages, ...parameters } }
}

const GEMINI = 'https://generativelanguage.googleapis.com/v1beta'

/** Whether the messages already have the form that providers accept: role and content. */
function isPlain(messages: unknown): boolean {
  return asList(messages)?.every((message) => typeof asRecord(message)?.role === 'string') ?? false
}

const toSendable = (messages: readonly Message[]) =>
  messages.flatMap((message) => writeOpenaiChat(message, { others: 'send' }))

/** Anthropic takes the system prompt beside the messages, and tool calls and results as blocks inside them. */
function toAnthropicMessages(messages: readonly Message[]): Fields {
  const isSystem = ({ role }: Message) => role === 'system' || role === 'developer'
  const system = toSendable(messages.filter(isSystem)).map(({ content }) => content)
  const said = toSendable(messages.filter((message) => !isSystem(message))).map(toAnthropicMessage)
  return { ...(system.length > 0 && { system: system.join('\n\n') }), messages: said }
}

function toAnthropicMessage({ role, content, tool_calls, tool_call_id }: Fields): Fields {
  if (role === 'tool') {
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: tool_call_id, content }] }
  }
  const calls = (asList(tool_calls) ?? []).flatMap((call) => {
    const { id, function: called } = call as { id: string; function: { name: string; arguments: string } }
    return { type: 'tool_use', id, name: called.name, input: parseArguments(called.arguments) }
  })
  if (calls.length === 0) return { role, content }
  const text = typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : []
  return { role, content: [...text, ...calls] }
}

function parseArguments(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return { value: json }
  }
}

function pick(from: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.filter((name) => from[name] != null).map((name) => [name, from[name]]))
}
