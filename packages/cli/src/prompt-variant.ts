import {
  type PromptDocument,
  type PromptTool,
  readManifest,
  type WrittenMessage,
} from '@touchstone/contract/prompt-manifest'
import type { TemplateFormat } from '@touchstone/formats/templates'
import type { Client, PlaygroundJobWrite } from '@touchstone/sdk'
import { UsageError } from './exit-codes.ts'

type Variant = PlaygroundJobWrite['variants'][number]
type Fields = Readonly<Record<string, unknown>>
/** Makes the error for a part of a prompt that a variant cannot have. */
type Refuse = (what: string) => UsageError

/** Parameters of calls, with the other names that manifests have for them. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  temperature: [],
  top_p: [],
  top_k: [],
  frequency_penalty: [],
  presence_penalty: [],
  seed: [],
  stop: ['stop_sequences'],
  max_tokens: ['max_completion_tokens', 'max_output_tokens'],
  reasoning_effort: [],
  reasoning_budget: [],
  parallel_tool_calls: [],
}

/** Settings of the program that made the prompt: how it connects, and what it does with the answer. */
const OF_THE_PROGRAM = new Set([
  ...['_type', 'base_url', 'openai_api_base', 'api_version', 'timeout', 'request_timeout', 'max_retries'],
  ...['stream', 'streaming', 'disable_streaming', 'stream_options', 'stream_usage', 'verbose', 'cache', 'callbacks'],
  ...['tags', 'metadata', 'name', 'output_version', 'use_responses_api', 'ls_structured_output_format'],
])

/**
 * Converts a prompt of the server into a variant of a playground job.
 *
 * @param prompt  `NAME`, `NAME@TAG` or `NAME:COMMIT`
 * @param model  @default the one of the prompt
 * @throws UsageError for a prompt that cannot be converted without loss; it names what would be lost
 */
export async function readVariant(
  client: Client,
  prompt: string,
  model: string | undefined,
): Promise<Omit<Variant, 'provider_id'>> {
  const identifier = prompt.replace(/@([^@:/]+)$/, ':$1')
  const { owner, repo, commit_hash, manifest } = await client.pullPromptCommit(identifier, { includeModel: true })
  const read = readManifest(manifest)
  if ('problem' in read) throw new UsageError(`"${prompt}" cannot be run: ${read.problem}`)
  const { document } = read
  const refuse: Refuse = (what) => new UsageError(`"${prompt}" has ${what}; run it in the playground.`)
  if (Object.keys(document.partials).length > 0) throw refuse('values of its own for some variables')
  if (document.unread.length > 0) throw refuse(`steps beside the model (${document.unread.join(', ')})`)
  const name = model ?? document.model?.name
  if (name === undefined) throw new UsageError('--model is missing: the prompt names none.')
  return {
    name: repo,
    model: name,
    ...convertMessages(document, refuse),
    tools: document.tools.map(convertTool),
    ...convertSchema(document, refuse),
    ...convertSettings(document.model?.settings ?? {}, refuse),
    prompt: { owner, repo, commit: commit_hash },
  }
}

function convertSettings(settings: Fields, refuse: Refuse): Pick<Variant, 'parameters' | 'tool_choice' | 'extra_body'> {
  const parameters: Record<string, unknown> = {}
  const { tool_choice, model_kwargs, extra_body, n, ...others } = settings
  for (const [key, value] of Object.entries(others)) {
    if (value == null || OF_THE_PROGRAM.has(key)) continue
    const found = Object.keys(PARAMETERS).find((name) => name === key || PARAMETERS[name]?.includes(key))
    if (found === undefined) throw refuse(`the setting "${key}"`)
    if (Object.hasOwn(parameters, found)) throw refuse(`the setting "${found}" under two names`)
    parameters[found] = found === 'stop' && typeof value === 'string' ? [value] : value
  }
  if (n != null && n !== 1) throw refuse('the setting "n"')
  const body = { ...toFields(model_kwargs), ...toFields(extra_body) }
  return {
    parameters,
    ...(tool_choice != null && { tool_choice: convertToolChoice(tool_choice, refuse) }),
    ...(Object.keys(body).length > 0 && { extra_body: body }),
  }
}

/** From OpenAI's, Anthropic's and LangChain's forms: a word, the name of a tool, or an object with one of them. */
function convertToolChoice(given: unknown, refuse: Refuse): Variant['tool_choice'] {
  const fields = toFields(given)
  const name = toFields(fields.function).name ?? fields.name
  if (typeof name === 'string') return { name }
  const word = typeof given === 'string' ? given : fields.type
  if (word === 'auto' || word === 'none' || word === 'required') return word
  if (word === 'any') return 'required'
  if (typeof given === 'string' && given !== '') return { name: given }
  throw refuse('a "tool_choice" of an unknown form')
}

function convertTool({ name, description, parameters, value }: PromptTool): NonNullable<Variant['tools']>[number] {
  const fields = toFields(value)
  const ofProvider = typeof fields.type === 'string' && fields.type !== 'function' && fields.type !== 'custom'
  if (ofProvider) return { type: 'raw', raw: { ...fields } }
  const strict = toFields(fields.function).strict ?? fields.strict
  return {
    type: 'function',
    function: {
      name,
      description,
      parameters: parameters as Record<string, unknown> | undefined,
      ...(typeof strict === 'boolean' && { strict }),
    },
  }
}

function convertSchema({ schema, schemaOptions }: PromptDocument, refuse: Refuse): Pick<Variant, 'output_schema'> {
  if (schema == null) return {}
  const { strict, method, ...others } = schemaOptions
  const [unknown] = Object.keys(others).filter((key) => others[key] != null && others[key] !== false)
  if (unknown !== undefined) throw refuse(`the option "${unknown}" of its output schema`)
  if (method != null && method !== 'json_schema') throw refuse(`an output schema by the method "${String(method)}"`)
  const output_schema = { name: 'output', schema: schema as Record<string, unknown> }
  return { output_schema: typeof strict === 'boolean' ? { ...output_schema, strict } : output_schema }
}

function convertMessages({ messages }: PromptDocument, refuse: Refuse): Pick<Variant, 'messages' | 'template_format'> {
  const formats = new Set<TemplateFormat | 'none'>(
    messages.flatMap((message) => (message.kind === 'message' ? [message.format ?? ('none' as const)] : [])),
  )
  const [format = 'none'] = formats
  if (formats.size > 1 || format === 'jinja2') throw refuse(`messages in ${[...formats].join(' and ')}`)
  const converted = messages.map((message) => {
    if (message.kind === 'unknown') throw refuse(`a message of type ${message.type}`)
    if (message.kind === 'message') return convertMessage(message, refuse)
    return { role: 'placeholder' as const, variable: message.variable, optional: message.isOptional }
  })
  return { template_format: format, messages: converted }
}

function convertMessage(
  { role, parts, toolCalls, partials, name, toolCallId }: WrittenMessage,
  refuse: Refuse,
): Variant['messages'][number] {
  const text = parts.map((part) => {
    if (part.kind !== 'text') throw refuse('messages with images or other parts')
    return part.text
  })
  if (toolCalls.length > 0 || partials !== undefined) throw refuse('messages with tool calls or values of their own')
  if (name !== undefined || toolCallId !== undefined) throw refuse(`a message with a name (${name ?? toolCallId})`)
  const known = role === 'prompt' ? 'user' : role
  if (known !== 'system' && known !== 'user' && known !== 'assistant') throw refuse(`a message of the role ${role}`)
  return { role: known, content: text.join('') }
}

const toFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
