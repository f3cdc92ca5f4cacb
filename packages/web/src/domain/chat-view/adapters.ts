import {
  asList,
  asObject,
  asText,
  type ChatMessage,
  type ChatPart,
  type Conversation,
  type OfferedTool,
} from './conversation.ts'
import { isLangChainMessage, readMessage, readMessages, readParts } from './read-message.ts'

type Fields = Record<string, unknown>

/** Reads the format of one provider. Each side returns undefined if it has another format. */
export interface Adapter {
  id: string
  label: string
  input(inputs: Fields): ChatMessage[] | undefined
  output(outputs: Fields): ChatMessage[] | undefined
}

/** From the most specific format to the most general. The first adapter that reads a side is used. */
export const ADAPTERS: readonly Adapter[] = [
  { id: 'langchain', label: 'LangChain', input: langChainInput, output: langChainOutput },
  { id: 'openai-responses', label: 'OpenAI responses', input: responsesInput, output: responsesOutput },
  { id: 'gemini', label: 'Gemini', input: geminiInput, output: geminiOutput },
  { id: 'anthropic', label: 'Anthropic', input: anthropicInput, output: anthropicOutput },
  { id: 'openai-chat', label: 'OpenAI chat', input: chatInput, output: chatOutput },
  { id: 'generic', label: 'Messages', input: genericInput, output: genericOutput },
]

export interface Adapted extends Conversation {
  adapter: Adapter
}

/**
 * Reads a run's inputs and outputs as a conversation.
 *
 * @param choice  id of the only adapter to try
 * @returns undefined if neither has messages
 */
export function adaptConversation(inputs: unknown, outputs: unknown, choice?: string): Adapted | undefined {
  const [inputFields, outputFields] = [asObject(inputs) ?? {}, asObject(outputs) ?? {}]
  const adapters = choice === undefined ? ADAPTERS : ADAPTERS.filter(({ id }) => id === choice)
  const input = readWithFirst(adapters, (adapter) => adapter.input(inputFields))
  const output = readWithFirst(adapters, (adapter) => adapter.output(outputFields))
  const adapter = selectMoreSpecific(input?.adapter, output?.adapter)
  if (!adapter) return undefined
  const [given, answered] = [input?.messages ?? [], output?.messages ?? []]
  return { adapter, input: given, output: removeRepetition(given, answered), tools: readTools(inputFields) }
}

/** Removes the input messages from an output that begins with them, as the state of a graph does. */
function removeRepetition(input: readonly ChatMessage[], output: ChatMessage[]): ChatMessage[] {
  const isRepeated =
    output.length > input.length && input.every((message, i) => JSON.stringify(message) === JSON.stringify(output[i]))
  return isRepeated ? output.slice(input.length) : output
}

function readWithFirst(adapters: readonly Adapter[], read: (adapter: Adapter) => ChatMessage[] | undefined) {
  for (const adapter of adapters) {
    const messages = read(adapter)
    if (messages && messages.length > 0) return { adapter, messages }
  }
  return undefined
}

function selectMoreSpecific(a: Adapter | undefined, b: Adapter | undefined): Adapter | undefined {
  if (!a || !b) return a ?? b
  return ADAPTERS.indexOf(a) < ADAPTERS.indexOf(b) ? a : b
}

function langChainInput(inputs: Fields): ChatMessage[] | undefined {
  const list = inputs.messages ?? inputs.input
  const first = asList(list)?.flat(1)[0]
  return isLangChainMessage(first) ? readMessages(list) : undefined
}

function langChainOutput(outputs: Fields): ChatMessage[] | undefined {
  const generations = asList(outputs.generations)
  if (generations) {
    return generations.flat(1).flatMap((generation) => {
      const object = asObject(generation)
      const message = readMessage(object?.message)
      if (message) return [message]
      const text = asText(object?.text)
      return text === undefined ? [] : [textMessage('assistant', text)]
    })
  }
  const messages = outputs.messages ?? outputs.output
  if (asList(messages)) return isLangChainMessage(asList(messages)?.flat(1)[0]) ? readMessages(messages) : undefined
  const single = isLangChainMessage(outputs) ? outputs : asObject(messages)
  const message = isLangChainMessage(single) ? readMessage(single) : undefined
  return message && [message]
}

function responsesInput(inputs: Fields): ChatMessage[] | undefined {
  const instructions = asText(inputs.instructions)
  const items = asList(inputs.input)
  const isResponses = instructions !== undefined || items?.some(isResponseItem)
  if (!isResponses) return undefined
  const text = asText(inputs.input)
  const messages = text === undefined ? responseItems(items ?? []) : [textMessage('user', text)]
  return instructions ? [textMessage('system', instructions), ...messages] : messages
}

function responsesOutput(outputs: Fields): ChatMessage[] | undefined {
  const items = asList(outputs.output)
  return items?.some(isResponseItem) ? responseItems(items) : undefined
}

function isResponseItem(item: unknown): boolean {
  const type = asText(asObject(item)?.type)
  return (
    type === 'message' ||
    type === 'reasoning' ||
    (type !== undefined && /_call(_output)?$/.test(type) && type !== 'tool_call')
  )
}

/** Messages, reasoning and tool calls are items of one list. Reasoning and calls belong to the assistant. */
function responseItems(items: readonly unknown[]): ChatMessage[] {
  return items.flatMap((item) => {
    const object = asObject(item)
    if (!object) return []
    if (object.role !== undefined) return readMessage(object) ?? []
    const type = asText(object.type) ?? ''
    return { role: type.endsWith('_output') ? 'tool' : 'assistant', parts: readParts(object) }
  })
}

function geminiInput(inputs: Fields): ChatMessage[] | undefined {
  const contents = inputs.contents
  const system = inputs.systemInstruction ?? inputs.system_instruction ?? asObject(inputs.config)?.systemInstruction
  const text = asText(contents)
  const messages = text === undefined ? geminiContents(contents) : [textMessage('user', text)]
  if (!messages) return undefined
  const parts = readParts(asObject(system)?.parts ?? system)
  return parts.length > 0 ? [{ role: 'system', parts }, ...messages] : messages
}

function geminiOutput(outputs: Fields): ChatMessage[] | undefined {
  const candidates = asList(outputs.candidates)
  return candidates && geminiContents(candidates.map((candidate) => asObject(candidate)?.content))
}

function geminiContents(value: unknown): ChatMessage[] | undefined {
  const contents = asList(value)?.map(asObject)
  if (!contents?.some((content) => asList(content?.parts))) return undefined
  return contents.flatMap((content) => {
    if (!content) return []
    const role = asText(content.role) ?? 'user'
    return [{ role: role === 'model' ? 'assistant' : role, parts: readParts(content.parts) }]
  })
}

function anthropicInput(inputs: Fields): ChatMessage[] | undefined {
  const messages = readMessages(inputs.messages)
  if (!messages) return undefined
  const system = readParts(inputs.system)
  const hasBlocks = asList(inputs.messages)?.some((message) =>
    asList(asObject(message)?.content)?.some((block) =>
      /^(tool_use|tool_result|thinking|document)$/.test(String(asObject(block)?.type)),
    ),
  )
  if (system.length === 0 && !hasBlocks) return undefined
  return system.length > 0 ? [{ role: 'system', parts: system }, ...messages] : messages
}

function anthropicOutput(outputs: Fields): ChatMessage[] | undefined {
  const message = asObject(outputs.message) ?? outputs
  const blocks = asList(message.content)
  if (!blocks || message.role !== 'assistant') return undefined
  return [{ role: 'assistant', parts: readParts(blocks) }]
}

function chatInput(inputs: Fields): ChatMessage[] | undefined {
  return readMessages(inputs.messages)
}

function chatOutput(outputs: Fields): ChatMessage[] | undefined {
  return asList(outputs.choices)?.flatMap((choice) => {
    const object = asObject(choice)
    const message = asObject(object?.message) ?? asObject(object?.delta)
    if (message) return readMessage({ role: 'assistant', content: null, ...message }) ?? []
    const text = asText(object?.text)
    return text === undefined ? [] : [textMessage('assistant', text)]
  })
}

const INPUT_FIELDS = ['messages', 'input', 'question', 'query', 'prompt', 'prompts', 'text', 'message', 'chat_history']
const OUTPUT_FIELDS = ['messages', 'output', 'answer', 'response', 'result', 'text', 'content', 'completion', 'message']

function genericInput(inputs: Fields): ChatMessage[] | undefined {
  return readFields(inputs, INPUT_FIELDS, 'user')
}

function genericOutput(outputs: Fields): ChatMessage[] | undefined {
  const whole = readMessage(outputs)
  return whole ? [whole] : readFields(outputs, OUTPUT_FIELDS, 'assistant')
}

function readFields(fields: Fields, names: readonly string[], role: string): ChatMessage[] | undefined {
  for (const name of names) {
    const value = fields[name]
    const message = readMessage(value)
    const messages = readMessages(value) ?? (message && [message])
    if (messages) return messages
    const texts = typeof value === 'string' ? [value] : asList(value)
    if (texts?.length && texts.every((text) => typeof text === 'string'))
      return texts.map((text) => textMessage(role, text))
  }
  return undefined
}

function readTools(inputs: Fields): OfferedTool[] {
  const tools = asList(inputs.tools) ?? asList(asObject(inputs.config)?.tools) ?? asList(inputs.functions) ?? []
  return tools.flatMap((tool) => {
    const object = asObject(tool)
    const declarations = asList(object?.functionDeclarations ?? object?.function_declarations)
    return (declarations ?? [asObject(object?.function) ?? object]).flatMap((one) => readTool(asObject(one)))
  })
}

function readTool(tool: Fields | undefined): OfferedTool[] {
  const name = asText(tool?.name) ?? asText(tool?.type)
  if (!tool || name === undefined) return []
  const description = asText(tool.description)
  const schema = tool.parameters ?? tool.input_schema
  return [{ name, ...(description === undefined ? {} : { description }), ...(schema === undefined ? {} : { schema }) }]
}

function textMessage(role: string, text: string): ChatMessage {
  const part: ChatPart = { kind: 'text', text }
  return { role, parts: [part] }
}
