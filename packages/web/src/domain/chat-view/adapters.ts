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

/** The messages of one side, and the fields of it that they show completely. */
interface ReadSide {
  messages: ChatMessage[]
  fields: readonly string[]
}

/** Reads the format of one provider. Each side returns undefined if it has another format. */
export interface Adapter {
  id: string
  label: string
  input(inputs: Fields): ReadSide | undefined
  output(outputs: Fields): ReadSide | undefined
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

/** What the messages of a side do not show, to be shown as JSON. */
export interface Remainder {
  /** Whether the side has no messages. */
  isWhole: boolean
  /** Fields of the side that are in the messages; the others remain. */
  readFields: readonly string[]
  /** The other fields; empty if the side is not an object or has no fields. */
  otherFields: readonly string[]
}

export interface Adapted extends Conversation {
  adapter: Adapter
  /** Undefined where the messages show the whole side, or nothing was recorded. */
  rest: { inputs: Remainder | undefined; outputs: Remainder | undefined }
}

/**
 * Reads a run's inputs and outputs as a conversation. What is not a message is in `rest`.
 *
 * @param choice  id of the only adapter to try
 * @returns undefined if neither has messages
 */
export function adaptConversation(inputs: unknown, outputs: unknown, choice?: string): Adapted | undefined {
  const [inputFields, outputFields] = [asObject(inputs) ?? {}, asObject(outputs) ?? {}]
  const adapters = choice === undefined ? ADAPTERS : ADAPTERS.filter(({ id }) => id === choice)
  const known = {
    input: readWithFirst(adapters, (adapter) => adapter.input(inputFields)),
    output: readWithFirst(adapters, (adapter) => adapter.output(outputFields)),
  }
  const adapter = selectMoreSpecific(known.input?.adapter, known.output?.adapter)
  if (!adapter) return undefined
  const input = known.input ?? readOnlyField(inputFields, 'user')
  const output = known.output ?? readOnlyField(outputFields, 'assistant')
  return {
    adapter,
    input: input?.messages ?? [],
    output: removeRepetition(input?.messages ?? [], output?.messages ?? []),
    tools: readTools(inputFields),
    rest: { inputs: findRest(inputs, input?.fields), outputs: findRest(outputs, output?.fields) },
  }
}

/** The only field of a side as a message if it is a text, whatever its name: a function has its argument there. */
function readOnlyField(fields: Fields, role: string): ReadSide | undefined {
  const [only, ...others] = Object.entries(fields)
  const text = others.length === 0 ? asText(only?.[1]) : undefined
  return only && text !== undefined ? { messages: [textMessage(role, text)], fields: [only[0]] } : undefined
}

/**
 * What remains of a side.
 *
 * @param readFields  the fields that are shown; undefined if nothing of the side is
 */
export function findRest(side: unknown, readFields: readonly string[] | undefined): Remainder | undefined {
  if (side === null || side === undefined) return undefined
  const otherFields = Object.keys(asObject(side) ?? {}).filter((name) => !readFields?.includes(name))
  if (readFields === undefined) return { isWhole: true, readFields: [], otherFields }
  return otherFields.length > 0 ? { isWhole: false, readFields, otherFields } : undefined
}

/** Removes the input messages from an output that begins with them, as the state of a graph does. */
function removeRepetition(input: readonly ChatMessage[], output: ChatMessage[]): ChatMessage[] {
  const isRepeated =
    output.length > input.length && input.every((message, i) => JSON.stringify(message) === JSON.stringify(output[i]))
  return isRepeated ? output.slice(input.length) : output
}

function readWithFirst(adapters: readonly Adapter[], read: (adapter: Adapter) => ReadSide | undefined) {
  for (const adapter of adapters) {
    const side = read(adapter)
    if (side && side.messages.length > 0) return { adapter, ...side }
  }
  return undefined
}

/** The fields of a message that is the whole output, and those that offer tools. */
const MESSAGE_FIELDS = ['type', 'role', 'content', 'parts', 'tool_calls', 'name', 'refusal', 'reasoning_content']
const TOOL_FIELDS = ['tools', 'functions']

function toSide(messages: ChatMessage[] | undefined, ...fields: readonly string[]): ReadSide | undefined {
  return messages && { messages, fields }
}

function selectMoreSpecific(a: Adapter | undefined, b: Adapter | undefined): Adapter | undefined {
  if (!a || !b) return a ?? b
  return ADAPTERS.indexOf(a) < ADAPTERS.indexOf(b) ? a : b
}

function langChainInput(inputs: Fields): ReadSide | undefined {
  const name = firstField(inputs, 'messages', 'input')
  const first = asList(inputs[name])?.flat(1)[0]
  return isLangChainMessage(first) ? toSide(readMessages(inputs[name]), name, ...TOOL_FIELDS) : undefined
}

function langChainOutput(outputs: Fields): ReadSide | undefined {
  const generations = asList(outputs.generations)
  if (generations) return toSide(generations.flat(1).flatMap(readGeneration), 'generations')
  if (isLangChainMessage(outputs)) return readOne(outputs, ...MESSAGE_FIELDS, 'lc', 'id', 'kwargs', 'data')
  const name = firstField(outputs, 'messages', 'output')
  const list = asList(outputs[name])
  if (list) return isLangChainMessage(list.flat(1)[0]) ? toSide(readMessages(list), name) : undefined
  return isLangChainMessage(outputs[name]) ? readOne(outputs[name], name) : undefined
}

function firstField(fields: Fields, name: string, other: string): string {
  return (fields[name] ?? undefined) === undefined ? other : name
}

function readOne(value: unknown, ...fields: readonly string[]): ReadSide | undefined {
  const message = readMessage(value)
  return toSide(message && [message], ...fields)
}

function readGeneration(generation: unknown): ChatMessage[] {
  const object = asObject(generation)
  const message = readMessage(object?.message)
  if (message) return [message]
  const text = asText(object?.text)
  return text === undefined ? [] : [textMessage('assistant', text)]
}

function responsesInput(inputs: Fields): ReadSide | undefined {
  const instructions = asText(inputs.instructions)
  const items = asList(inputs.input)
  const isResponses = instructions !== undefined || items?.some(isResponseItem)
  if (!isResponses) return undefined
  const text = asText(inputs.input)
  const messages = text === undefined ? responseItems(items ?? []) : [textMessage('user', text)]
  const all = instructions ? [textMessage('system', instructions), ...messages] : messages
  return toSide(all, 'instructions', 'input', ...TOOL_FIELDS)
}

function responsesOutput(outputs: Fields): ReadSide | undefined {
  const items = asList(outputs.output)
  return items?.some(isResponseItem) ? toSide(responseItems(items), 'output') : undefined
}

function isResponseItem(item: unknown): boolean {
  const type = asText(asObject(item)?.type)
  return (
    type === 'message' ||
    type === 'reasoning' ||
    (type !== undefined && /_call(_output)?$/.test(type) && type !== 'tool_call')
  )
}

/**
 * Messages, reasoning and tool calls are items of one list. Reasoning and calls belong to the assistant. Reasoning and
 * the answer or calls that follow are one message.
 */
function responseItems(items: readonly unknown[]): ChatMessage[] {
  const messages: ChatMessage[] = []
  for (const item of items) {
    const message = readResponseItem(item)
    const last = messages.at(-1)
    if (message.role === 'assistant' && last?.role === 'assistant' && isContinued(last, message)) {
      last.parts.push(...message.parts)
    } else messages.push(message)
  }
  return messages
}

function readResponseItem(item: unknown): ChatMessage {
  const object = asObject(item)
  if (object?.role !== undefined) return readMessage(object) ?? { role: 'user', parts: readParts(object) }
  const type = asText(object?.type) ?? ''
  return { role: type.endsWith('_output') ? 'tool' : 'assistant', parts: readParts(item) }
}

/** Reasoning is continued by anything, an answer or a call only by calls. */
function isContinued(last: ChatMessage, next: ChatMessage): boolean {
  const isOnlyReasoning = last.parts.every(({ kind }) => kind === 'reasoning')
  return isOnlyReasoning || next.parts.every(({ kind }) => kind === 'tool_call')
}

function geminiInput(inputs: Fields): ReadSide | undefined {
  const contents = inputs.contents
  const system = inputs.systemInstruction ?? inputs.system_instruction ?? asObject(inputs.config)?.systemInstruction
  const text = asText(contents)
  const messages = text === undefined ? geminiContents(contents) : [textMessage('user', text)]
  if (!messages) return undefined
  const parts = readParts(asObject(system)?.parts ?? system)
  const all = parts.length > 0 ? [{ role: 'system', parts }, ...messages] : messages
  return toSide(all, 'contents', 'systemInstruction', 'system_instruction', ...TOOL_FIELDS)
}

function geminiOutput(outputs: Fields): ReadSide | undefined {
  const contents = asList(outputs.candidates)?.map((candidate) => asObject(candidate)?.content)
  return toSide(contents && geminiContents(contents), 'candidates')
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

function anthropicInput(inputs: Fields): ReadSide | undefined {
  const messages = readMessages(inputs.messages)
  if (!messages) return undefined
  const system = readParts(inputs.system)
  const hasBlocks = asList(inputs.messages)?.some((message) =>
    asList(asObject(message)?.content)?.some((block) =>
      /^(tool_use|tool_result|thinking|document)$/.test(String(asObject(block)?.type)),
    ),
  )
  if (system.length === 0 && !hasBlocks) return undefined
  const all = system.length > 0 ? [{ role: 'system', parts: system }, ...messages] : messages
  return toSide(all, 'messages', 'system', ...TOOL_FIELDS)
}

function anthropicOutput(outputs: Fields): ReadSide | undefined {
  const inner = asObject(outputs.message)
  const message = inner ?? outputs
  const blocks = asList(message.content)
  if (!blocks || message.role !== 'assistant') return undefined
  return toSide([{ role: 'assistant', parts: readParts(blocks) }], ...(inner ? ['message'] : MESSAGE_FIELDS))
}

function chatInput(inputs: Fields): ReadSide | undefined {
  return toSide(readMessages(inputs.messages), 'messages', ...TOOL_FIELDS)
}

function chatOutput(outputs: Fields): ReadSide | undefined {
  const messages = asList(outputs.choices)?.flatMap((choice) => {
    const object = asObject(choice)
    const message = asObject(object?.message) ?? asObject(object?.delta)
    if (message) return readMessage({ role: 'assistant', content: null, ...message }) ?? []
    const text = asText(object?.text)
    return text === undefined ? [] : [textMessage('assistant', text)]
  })
  return toSide(messages, 'choices')
}

const INPUT_FIELDS = [
  ...['messages', 'input', 'inputs', 'question', 'query', 'user_input', 'prompt', 'prompts', 'text', 'content'],
  ...['message', 'request', 'task', 'topic', 'chat_history'],
]
const OUTPUT_FIELDS = [
  ...['messages', 'output', 'outputs', 'answer', 'response', 'result', 'text', 'content', 'completion', 'message'],
  ...['generation', 'summary', 'reply', 'final_answer'],
]

function genericInput(inputs: Fields): ReadSide | undefined {
  const side = readFields(inputs, INPUT_FIELDS, 'user')
  return side && { ...side, fields: [...side.fields, ...TOOL_FIELDS] }
}

function genericOutput(outputs: Fields): ReadSide | undefined {
  return readOne(outputs, ...MESSAGE_FIELDS) ?? readFields(outputs, OUTPUT_FIELDS, 'assistant')
}

/** The first field with messages or text. */
function readFields(fields: Fields, names: readonly string[], role: string): ReadSide | undefined {
  for (const name of names) {
    const value = fields[name]
    const message = readMessage(value)
    const messages = readMessages(value) ?? (message && [message])
    if (messages) return { messages, fields: [name] }
    const texts = typeof value === 'string' ? [value] : asList(value)
    if (texts?.length && texts.every((text) => typeof text === 'string'))
      return { messages: texts.map((text) => textMessage(role, text)), fields: [name] }
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
