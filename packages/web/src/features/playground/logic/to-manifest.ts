import type { ModelMessage, ModelMessagePart, ModelProviderKind, ModelToolCall } from '@touchstone/contract'
import { readManifest } from '@touchstone/contract/prompt-manifest'
import { parseExact } from '@touchstone/formats/edit-json'
import { listVariables } from '@touchstone/formats/templates'
import {
  convertTemplate,
  getPromptPart,
  isSame,
  isSequence,
  listStoredMessages,
  mapTexts,
  readClass,
  readKwargs,
  serialize,
  variantFromManifest,
  withKwargs,
} from './from-manifest.ts'
import {
  asFields,
  type JsonFields,
  listParts,
  newVariant,
  type OutputSchemaText,
  type RecoveryNote,
  toFields,
  toList,
  type Variant,
  type VariantMessage,
} from './variant.ts'
import { getBound, writeModelStep } from './write-model.ts'

export interface ManifestOptions {
  /** Wire format of the variant's provider; decides the class of a new model. */
  readonly kind: ModelProviderKind | undefined
  /** Whether model, parameters and tools are saved with the prompt. @default true */
  readonly hasModel?: boolean
}

/**
 * The manifest of a variant in the serialization of LangChain. Parts that are the same as in the original stay as they are
 * stored there, and so does everything that the editor has no form for.
 *
 * @param original  the manifest that the variant was opened from; undefined for a new prompt
 */
export function manifestFromVariant(
  variant: Variant,
  original: unknown,
  { kind, hasModel = true }: ManifestOptions,
): { readonly manifest: unknown; readonly notes: readonly RecoveryNote[] } {
  const notes: RecoveryNote[] = []
  const read = original === undefined ? undefined : readManifest(original)
  const before =
    read !== undefined && 'document' in read ? variantFromManifest(read.document, original).variant : undefined
  const prompt = writePrompt(variant, before, original, notes)
  const isChain = before !== undefined && isSequence(original)
  const isBound = variant.model !== '' || variant.tools.trim() !== ''
  if (!hasModel || (!isChain && !isBound)) {
    return { manifest: isChain ? withKwargs(original, { first: prompt }) : prompt, notes }
  }
  const provider = read !== undefined && 'document' in read ? read.document.model?.provider : undefined
  const steps = isChain ? listSteps(original) : []
  const at = steps.findIndex((step) => provider !== undefined && readClass(getBound(step)) === provider)
  const step = writeModelStep(variant, before ?? newVariant('0'), steps[at], kind)
  const written = at < 0 ? [step, ...steps] : steps.map((one, index) => (index === at ? step : one))
  return { manifest: writeChain(original, isChain, prompt, written), notes }
}

function listSteps(manifest: unknown): readonly unknown[] {
  const { middle, last } = readKwargs(manifest)
  return [...toList(middle), ...(last == null ? [] : [last])]
}

function writeChain(original: unknown, isChain: boolean, first: unknown, steps: readonly unknown[]): unknown {
  if (!isChain) return serialize(['langchain_core', 'runnables', 'RunnableSequence'], { first, last: steps[0] })
  const { middle } = readKwargs(original)
  const between = steps.slice(0, -1)
  const hasMiddle = between.length > 0 || middle !== undefined
  return withKwargs(original, { first, ...(hasMiddle && { middle: between }), last: steps.at(-1) })
}

const CHAT = ['langchain_core', 'prompts', 'chat', 'ChatPromptTemplate']
const STRUCTURED = ['langchain_core', 'prompts', 'structured', 'StructuredPrompt']

function writePrompt(variant: Variant, before: Variant | undefined, original: unknown, notes: RecoveryNote[]): unknown {
  const part = before === undefined ? undefined : getPromptPart(original)
  const isUnchanged = before !== undefined && isSame(listContents(variant), listContents(before))
  const text = isUnchanged ? part : rewriteText(part, variant, before)
  const isText = text !== undefined && readClass(text) === 'PromptTemplate'
  if (isText && (isUnchanged || variant.output === undefined)) return text
  const written = isUnchanged && !isText ? part : writeChat(variant, before, original, part, notes)
  return before !== undefined && isSame(variant.output, before.output) && !isText
    ? written
    : writeOutput(written, variant.output)
}

const listContents = ({ messages, format, output }: Variant) => ({
  messages,
  format,
  // A text cannot have a schema, so it becomes a chat.
  hasOutput: output !== undefined,
})

/** A text prompt that still is one template; undefined otherwise. */
function rewriteText(part: unknown, { messages, format, output }: Variant, before: Variant | undefined): unknown {
  const [only, ...others] = messages
  if (readClass(part) !== 'PromptTemplate' || output !== undefined || others.length > 0) return undefined
  if (only?.role !== 'user' || typeof only.content !== 'string') return undefined
  if (isJinja(part) && before?.format === format) return withKwargs(part, { template: only.content })
  return keepTemplate(writePart(only.content, format), part)
}

const isJinja = (template: unknown) => readKwargs(template).template_format === 'jinja2'

const writePart = (text: string, format: Variant['format']) =>
  serialize(['langchain_core', 'prompts', 'prompt', 'PromptTemplate'], writeTemplate(text, format))

/** A written template with what the stored one has beside its text, such as values of variables. */
function keepTemplate(written: unknown, stored: unknown): unknown {
  if (Array.isArray(written) && Array.isArray(stored)) return written.map((one, at) => keepTemplate(one, stored[at]))
  if (readClass(written) === undefined || readClass(written) !== readClass(stored)) return written
  const { input_variables: names } = readKwargs(written)
  const input_variables = toList(names).filter((name) => !Object.hasOwn(getPartials(stored), String(name)))
  return withKwargs(stored, { ...readKwargs(written), input_variables })
}

const getPartials = (stored: unknown): JsonFields => toFields(readKwargs(stored).partial_variables)

/** The templates of a stored message. */
function listTemplates(stored: unknown): readonly unknown[] {
  const { prompt } = readKwargs(stored)
  return Array.isArray(prompt) ? prompt : prompt == null ? [] : [prompt]
}

/** A stored message of jinja2 with other texts; undefined for one with other parts, or without jinja2. */
function rewriteJinja(message: VariantMessage, stored: unknown): unknown {
  const { prompt } = readKwargs(stored)
  const templates = listTemplates(stored)
  if (message.role === 'placeholder' || message.role === 'kept' || !templates.some(isJinja)) return undefined
  const { content } = message
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : (content ?? [])
  const written = templates.map((template, at) => rewritePart(template, parts[at]))
  if (parts.length !== templates.length || written.includes(undefined)) return undefined
  return withKwargs(stored, { prompt: Array.isArray(prompt) ? written : written[0] })
}

function rewritePart(template: unknown, part: ModelMessagePart | undefined): unknown {
  const { template: before } = readKwargs(template)
  if (part?.type === 'text')
    return typeof before === 'string' ? withKwargs(template, { template: part.text }) : undefined
  if (part?.type !== 'image_url' || typeof before === 'string') return undefined
  return withKwargs(template, { template: { ...toFields(before), url: part.image_url.url } })
}

const writeTemplate = (text: string, format: Variant['format']) => ({
  // A text without a language gets the braces of an f-string, so that they stay text.
  template: format === 'none' ? convertTemplate(text, 'none', 'f-string') : text,
  template_format: format === 'none' ? 'f-string' : format,
  input_variables: format === 'none' ? [] : listVariables(text, format),
})

function writeChat(
  variant: Variant,
  before: Variant | undefined,
  original: unknown,
  part: unknown,
  notes: RecoveryNote[],
): unknown {
  const stored = before === undefined ? [] : listStoredMessages(original)
  const isChat = part !== undefined && Array.isArray(readKwargs(part).messages)
  const sources = matchMessages(variant, isChat ? before : undefined)
  const messages = variant.messages.map((message, at) => {
    const source = sources[at]
    if (message.role === 'kept') return message.value
    if (source?.isSame === true) return stored[source.index]
    const jinja = before?.format === variant.format && source && rewriteJinja(message, stored[source.index])
    if (jinja) return jinja
    const written = writeMessage(message, variant.format, `Message ${at + 1}`, notes)
    return source === undefined ? written : keepOthers(written, stored[source.index])
  })
  const input_variables = listInputs(messages, isChat ? part : undefined)
  return isChat ? withKwargs(part, { messages, input_variables }) : serialize(CHAT, { input_variables, messages })
}

/**
 * Variables that a caller gives: those of the messages without the values that the prompt or a template has itself. What
 * the stored prompt lists and its messages do not show, such as variables of jinja2, stays.
 */
function listInputs(messages: readonly unknown[], part: unknown): string[] {
  const { input_variables: listed, messages: before } = readKwargs(part)
  const used = messages.flatMap(listStoredInputs)
  const gone = new Set(toList(before).flatMap(listStoredInputs))
  const given = toFields(readKwargs(part).partial_variables)
  const kept = toList(listed).flatMap((name) => (typeof name === 'string' && !gone.has(name) ? [name] : []))
  return [...new Set([...used, ...kept])].filter((name) => !Object.hasOwn(given, name))
}

/** Variables that a stored message lists. A placeholder that may be empty needs no value. */
function listStoredInputs(stored: unknown): string[] {
  const { variable_name: variable, input_variables: own, optional } = readKwargs(stored)
  const lists = [own, ...listTemplates(stored).map((template) => readKwargs(template).input_variables)]
  return [optional === true ? undefined : variable, ...lists.flatMap(toList)].filter(
    (name): name is string => typeof name === 'string',
  )
}

/** Which stored message each message comes from: an equal one anywhere, else one of the same role at the same place. */
function matchMessages(variant: Variant, before: Variant | undefined) {
  const texts = before?.messages.map((message) => JSON.stringify(message)) ?? []
  const free = new Set(texts.keys())
  const isFormatSame = before?.format === variant.format
  const equal = variant.messages.map((message) => {
    const text = JSON.stringify(message)
    const isFixed = message.role === 'placeholder'
    const index = isFormatSame || isFixed ? [...free].find((at) => texts[at] === text) : undefined
    if (index !== undefined) free.delete(index)
    return index
  })
  return variant.messages.map((message, at): { index: number; isSame: boolean } | undefined => {
    const index = equal[at]
    if (index !== undefined) return { index, isSame: true }
    return free.has(at) && before?.messages[at]?.role === message.role ? { index: at, isSame: false } : undefined
  })
}

const WRITTEN = new Set(['prompt', 'content', 'tool_calls', 'tool_call_id', 'variable_name', 'optional', 'type'])

/** The new message with what the stored one has beside its content, if both are of one class. */
function keepOthers(written: unknown, stored: unknown): unknown {
  if (readClass(written) !== readClass(stored)) return written
  const kwargs = readKwargs(stored)
  const others = Object.entries(kwargs).filter(([name]) => !WRITTEN.has(name))
  const extra = { ...toFields(kwargs.additional_kwargs), ...toFields(readKwargs(written).additional_kwargs) }
  const { tool_calls: _calls, ...rest } = extra
  const calls = toFields(readKwargs(written).additional_kwargs).tool_calls
  const { prompt } = readKwargs(written)
  const additional = calls === undefined ? rest : { ...rest, tool_calls: calls }
  return {
    ...toFields(stored),
    kwargs: {
      ...Object.fromEntries(others),
      ...(kwargs.type !== undefined && { type: kwargs.type }),
      ...readKwargs(written),
      ...(prompt !== undefined && { prompt: keepTemplate(prompt, kwargs.prompt) }),
      ...(Object.keys(additional).length > 0 && { additional_kwargs: additional }),
    },
  }
}

/** Variables that a message uses, in order. */
export function listUsed(message: VariantMessage, format: Variant['format']): string[] {
  if (message.role === 'placeholder') return [message.variable]
  if (message.role === 'kept' || format === 'none') return []
  const texts: string[] = []
  mapTexts(message, (text) => {
    texts.push(text)
    return text
  })
  return texts.flatMap((text) => listVariables(text, format))
}

const TEMPLATES = {
  system: 'SystemMessagePromptTemplate',
  developer: 'SystemMessagePromptTemplate',
  user: 'HumanMessagePromptTemplate',
  assistant: 'AIMessagePromptTemplate',
} as const

const FIXED = {
  system: 'SystemMessage',
  developer: 'SystemMessage',
  user: 'HumanMessage',
  assistant: 'AIMessage',
  tool: 'ToolMessage',
} as const

type Sendable = Exclude<VariantMessage, { role: 'kept' }>

function writeMessage(message: Sendable, format: Variant['format'], where: string, notes: RecoveryNote[]): unknown {
  if (message.role === 'placeholder') {
    const { variable, optional } = message
    const kwargs = { variable_name: variable, ...(optional && { optional: true }) }
    return serialize(['langchain_core', 'prompts', 'chat', 'MessagesPlaceholder'], kwargs)
  }
  const hasCalls = message.role === 'assistant' && ((message.tool_calls ?? []).length > 0 || Boolean(message.reasoning))
  const hasRaw = listParts(message.content).some(({ type }) => type === 'raw')
  if (format === 'none' || message.role === 'tool' || hasCalls || hasRaw) {
    const used = listUsed(message, format)
    if (used.length > 0) {
      const reason = `LangChain has no template for such a message: ${used.join(', ')} are saved as text.`
      notes.push({ where, reason })
    }
    return writeFixed(mapTexts(message, (text) => convertTemplate(text, format, 'none')))
  }
  const parts = listParts(message.content).map((part) => {
    if (part.type === 'raw') return part.raw
    if (part.type === 'text') {
      return writePart(part.text, format)
    }
    const { url, detail } = part.image_url
    return serialize(['langchain_core', 'prompts', 'image', 'ImagePromptTemplate'], {
      template: { url, ...(detail != null && { detail }) },
      input_variables: url.startsWith('data:') ? [] : listVariables(url, format),
      template_format: format,
    })
  })
  const isText = typeof message.content === 'string' || message.content == null
  return serialize(['langchain_core', 'prompts', 'chat', TEMPLATES[message.role]], {
    prompt: isText ? (parts[0] ?? writePart('', format)) : parts,
    ...(message.role === 'developer' && DEVELOPER),
  })
}

/** How LangChain marks the role of OpenAI. */
const DEVELOPER = { additional_kwargs: { __openai_role__: 'developer' } }

/** A message whose braces are text. */
function writeFixed(message: ModelMessage): unknown {
  const parts = listParts(message.content)
  const content =
    typeof message.content === 'string' || message.content == null
      ? (message.content ?? '')
      : parts.map((part) => (part.type === 'raw' ? part.raw : part))
  const id = ['langchain_core', 'messages', FIXED[message.role]]
  if (message.role === 'tool') return serialize(id, { content, tool_call_id: message.tool_call_id })
  if (message.role !== 'assistant') return serialize(id, { content, ...(message.role === 'developer' && DEVELOPER) })
  const { tool_calls: calls, reasoning, reasoning_signature: signature } = message
  const isPlain = (calls ?? []).every(hasPlainArguments)
  const extra = {
    ...(reasoning && { reasoning_content: reasoning }),
    ...(signature && { reasoning_signature: signature }),
    ...(message.reasoning_signed_by && { reasoning_signed_by: message.reasoning_signed_by }),
    // Arguments that are no JSON, or written otherwise, keep their text in this form only.
    ...(calls != null && calls.length > 0 && !isPlain && { tool_calls: calls }),
  }
  return serialize(id, {
    content,
    ...(calls != null && calls.length > 0 && isPlain && { tool_calls: calls.map(toLangChainCall) }),
    ...(Object.keys(extra).length > 0 && { additional_kwargs: extra }),
  })
}

function toLangChainCall({ id, function: { name, arguments: text }, signature }: ModelToolCall) {
  return { name, args: JSON.parse(text), id, type: 'tool_call', ...(signature != null && { signature }) }
}

function hasPlainArguments({ function: { arguments: text } }: ModelToolCall): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return asFields(value) !== undefined && JSON.stringify(value) === text
  } catch {
    return false
  }
}

/** A chat with or without a schema of its answer. */
function writeOutput(prompt: unknown, output: OutputSchemaText | undefined): unknown {
  const kwargs = readKwargs(prompt)
  if (output === undefined) {
    if (readClass(prompt) !== 'StructuredPrompt') return prompt
    const { schema_: _schema, schema: _old, structured_output_kwargs: _options, ...rest } = kwargs
    return { ...serialize(CHAT, rest) }
  }
  const schema = toFields(parseExact(output.schema))
  const isNamed = schema.title === undefined && output.name === 'output'
  const options = toFields(kwargs.structured_output_kwargs)
  const isStrictKnown = (options.strict !== false) === output.strict
  const structured_output_kwargs = isStrictKnown
    ? kwargs.structured_output_kwargs
    : { ...options, strict: output.strict }
  const name = kwargs.schema !== undefined && kwargs.schema_ === undefined ? 'schema' : 'schema_'
  const change = {
    [name]: isNamed || hasTitle(schema, output.name) ? schema : { ...schema, title: output.name },
    structured_output_kwargs,
  }
  const isStructured = readClass(prompt) === 'StructuredPrompt'
  return withKwargs(isStructured ? prompt : { ...toFields(prompt), id: STRUCTURED, name: undefined }, change)
}

/** Whether the schema is called so already, up to characters that a name cannot have. */
function hasTitle({ title }: JsonFields, name: string): boolean {
  return typeof title === 'string' && (title.replaceAll(/[^\w-]+/g, '_').slice(0, 64) || 'output') === name
}
