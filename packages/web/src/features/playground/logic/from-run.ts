import type { ModelMessage, ModelParameters, ModelTool, ModelToolChoice } from '@touchstone/contract'
import { findModelName, findProviderName, MODEL_FIELDS } from '@touchstone/formats/models'
import { printJson } from '#features/prompts/print-json.ts'
import { readModelMessages, readSystem } from './read-messages.ts'
import {
  asFields,
  asText,
  type JsonFields,
  newVariant,
  type OutputSchemaText,
  type PromptSource,
  type RecoveryNote,
  toFields,
  type Variant,
} from './variant.ts'

/** The parts of a run that a variant is made from. */
export interface RecordedCall {
  readonly inputs: unknown
  readonly outputs?: unknown
  readonly extra: unknown
}

export interface RecoveredVariant {
  readonly variant: Variant
  /** What could not be taken over as it was, and why; empty when nothing is lost. */
  readonly notes: readonly RecoveryNote[]
  /** `ls_provider` of the run, such as `openai`. */
  readonly provider: string | undefined
}

/**
 * Recovers messages, tools, output schema, model and parameters from the inputs of an LLM run and the parameters that its
 * client recorded: OpenAI chat and responses, Anthropic, Gemini, LangChain, AI SDK. Every field that is not understood is
 * in the extra body, in a raw part or in the notes.
 */
export function variantFromRun(run: RecordedCall, key = '1'): RecoveredVariant {
  const notes: RecoveryNote[] = []
  const extra = toFields(run.extra)
  const metadata = toFields(extra.metadata)
  const inputs = toFields(run.inputs)
  const body = collectBody(inputs, toFields(extra.invocation_params))
  const messages = readPrompt(inputs, body, notes)
  const tools = readTools(body, notes)
  const output = readOutputSchema(body)
  const model = findModelName({ extra: run.extra, inputs: body }) ?? ''
  const variant = newVariant(key, {
    model,
    format: 'none',
    messages: messages.length > 0 ? messages : [{ role: 'user', content: '' }],
    tools: tools.length === 0 ? '' : printJson(tools),
    toolChoice: readToolChoice(body, notes),
    output,
    parameters: readParameters(body, metadata),
    extraBody: readExtraBody(body, output !== undefined, notes),
    prompt: findPrompt(metadata),
  })
  return { variant, notes, provider: findProviderName(run.extra) }
}

/** Settings of a request that Gemini and the AI SDK nest, beside those that are not nested. */
function collectBody(inputs: JsonFields, invocation: JsonFields): JsonFields {
  const all = { ...invocation, ...inputs }
  const { generationConfig, generation_config, config, settings, options, ...rest } = all
  const nested = [generationConfig, generation_config, config, settings, options].map(toFields)
  return Object.assign({}, ...nested, rest) as JsonFields
}

const SYSTEM_KEYS = ['system', 'instructions', 'systemInstruction', 'system_instruction'] as const
const LIST_KEYS = ['messages', 'input', 'contents', 'prompt', 'prompts'] as const

function readPrompt(inputs: JsonFields, body: JsonFields, notes: RecoveryNote[]): ModelMessage[] {
  const system = SYSTEM_KEYS.flatMap((name) => readSystem(body[name], notes))
  const name = LIST_KEYS.find((key) => body[key] !== undefined && body[key] !== null)
  const value = name === undefined ? undefined : body[name]
  if (value !== undefined) return [...system, ...readModelMessages(flatten(value), notes)]
  const entries = Object.entries(inputs)
  const [only, ...others] = entries
  if (only === undefined) return system
  if (others.length === 0 && typeof only[1] === 'string') return [...system, { role: 'user', content: only[1] }]
  notes.push({ where: 'Inputs', reason: 'They are no messages. They are one message with their JSON.' })
  return [...system, { role: 'user', content: printJson(inputs) }]
}

/** The only text, the messages, or the messages of the first of several prompts. */
function flatten(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) return [value]
  const isNested = value.length > 0 && value.every((one) => Array.isArray(one) && typeof one[0] !== 'string')
  return isNested ? value.flat(1) : value
}

/** Definitions in the form of OpenAI; those of other forms stay raw. */
function readTools(body: JsonFields, notes: RecoveryNote[]): ModelTool[] {
  const given = body.tools ?? body.functions
  // The AI SDK has tools by name.
  const list = Array.isArray(given)
    ? given
    : Object.entries(toFields(given)).map(([name, tool]) => ({ name, ...toFields(tool) }))
  return list.flatMap((tool) => {
    const fields = toFields(tool)
    const declared = fields.functionDeclarations ?? fields.function_declarations
    return Array.isArray(declared) ? declared.map((one) => readTool(one, notes)) : [readTool(tool, notes)]
  })
}

export function readTool(value: unknown, notes: RecoveryNote[]): ModelTool {
  const fields = toFields(value)
  const source = asFields(fields.function) ?? asFields(fields.toolSpec) ?? fields
  const name = asText(source.name)
  const schema = [source.parameters, source.input_schema, source.inputSchema, source.parametersJsonSchema].find(
    (one) => one != null,
  )
  const parameters = asFields(toFields(schema).jsonSchema) ?? asFields(toFields(schema).json) ?? asFields(schema)
  const type = asText(fields.type)
  const isFunction = type === undefined || type === 'function' || type === 'custom'
  if (name === undefined || name === '' || !isFunction || (type === 'custom' && parameters === undefined)) {
    notes.push({
      where: 'Tools',
      reason: `The tool “${name ?? type ?? 'without a name'}” is one of the provider. It is kept as it was recorded.`,
    })
    return { type: 'raw', raw: asFields(value) ?? { value } }
  }
  const description = asText(source.description)
  const strict = source.strict ?? fields.strict
  const { cache_control: cached } = fields
  if (cached != null) notes.push({ where: 'Tools', reason: `The cache_control of ${name} is not sent.` })
  return {
    type: 'function',
    function: {
      name,
      ...(description !== undefined && { description }),
      ...(parameters !== undefined && { parameters }),
      ...(typeof strict === 'boolean' && { strict }),
    },
  }
}

const CHOICES: ReadonlyMap<string, 'auto' | 'none' | 'required'> = new Map([
  ['auto', 'auto'],
  ['none', 'none'],
  ['required', 'required'],
  ['any', 'required'],
])

export function readToolChoice(body: JsonFields, notes: RecoveryNote[]): ModelToolChoice | undefined {
  const calling = toFields(toFields(body.toolConfig ?? body.tool_config).functionCallingConfig)
  const given = body.tool_choice ?? body.toolChoice ?? calling.mode
  if (given == null) return undefined
  const fields = toFields(given)
  const word = (asText(given) ?? asText(fields.type) ?? '').toLowerCase()
  const known = CHOICES.get(word)
  if (known !== undefined) return known
  const name = [toFields(fields.function).name, fields.name, fields.toolName].map(asText).find(Boolean)
  if (name !== undefined) return { name }
  // LangChain also takes the name of a tool.
  if (typeof given === 'string') return { name: given }
  notes.push({ where: 'Tool choice', reason: `It is not known here: ${JSON.stringify(given)}` })
  return undefined
}

export function readOutputSchema(body: JsonFields): OutputSchemaText | undefined {
  const format = toFields(body.response_format ?? body.responseFormat)
  const ofResponses = toFields(toFields(body.text).format)
  const ofAnthropic = toFields(toFields(body.output_config).format)
  const named = [toFields(format.json_schema), ofResponses, ofAnthropic, format].find((one) => asFields(one.schema))
  const schema = named?.schema ?? body.responseJsonSchema ?? body.responseSchema ?? body.response_schema
  if (asFields(schema) === undefined) return undefined
  const name = asText(named?.name) ?? asText(toFields(schema).title) ?? 'output'
  return {
    name: name.replaceAll(/[^\w-]+/g, '_').slice(0, 64) || 'output',
    schema: printJson(schema),
    strict: named?.strict !== false,
  }
}

/** Parameter → the names that clients record it under. */
export const PARAMETERS: Readonly<Record<keyof ModelParameters, readonly string[]>> = {
  temperature: ['temperature'],
  top_p: ['top_p', 'topP'],
  top_k: ['top_k', 'topK'],
  frequency_penalty: ['frequency_penalty', 'frequencyPenalty'],
  presence_penalty: ['presence_penalty', 'presencePenalty'],
  seed: ['seed'],
  stop: ['stop', 'stop_sequences', 'stopSequences'],
  max_tokens: [
    ...['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens', 'maxTokens', 'max_new_tokens'],
  ],
  reasoning_effort: ['reasoning_effort', 'reasoningEffort'],
  reasoning_budget: ['reasoning_budget'],
  parallel_tool_calls: ['parallel_tool_calls', 'parallelToolCalls'],
}

export function readParameters(body: JsonFields, metadata: JsonFields = {}): ModelParameters {
  const thinking = toFields(body.thinking ?? body.thinkingConfig ?? body.thinking_config)
  const more: JsonFields = {
    reasoning_effort: toFields(body.reasoning).effort,
    reasoning_budget: thinking.budget_tokens ?? thinking.thinkingBudget ?? thinking.thinking_budget,
    temperature: metadata.ls_temperature,
    max_tokens: metadata.ls_max_tokens,
    stop: metadata.ls_stop,
  }
  return Object.fromEntries(
    Object.entries(PARAMETERS).flatMap(([name, keys]) => {
      const value = [...keys.map((key) => body[key]), more[name]].find((one) => one != null)
      const typed = toTyped(name, value)
      return typed === undefined ? [] : [[name, typed]]
    }),
  )
}

/** The value if the parameter takes it. */
function toTyped(name: string, value: unknown): unknown {
  if (value == null) return undefined
  if (name === 'stop') {
    const texts = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')
    return texts.length === 0 ? undefined : texts.slice(0, 16)
  }
  if (name === 'reasoning_effort') return asText(value)
  if (name === 'parallel_tool_calls') return typeof value === 'boolean' ? value : undefined
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** What is read into a field of its own, and what describes the connection of the client and not the request. */
const KNOWN = new Set<string>([
  ...MODEL_FIELDS,
  ...SYSTEM_KEYS,
  ...LIST_KEYS,
  ...Object.values(PARAMETERS).flat(),
  ...['tools', 'functions', 'tool_choice', 'toolChoice', 'toolConfig', 'tool_config'],
  ...['_type', 'stream', 'streaming', 'stream_options', 'stream_usage', 'n', 'ls_structured_output_format'],
  ...['base_url', 'openai_api_base', 'api_version', 'timeout', 'max_retries', 'request_timeout', 'maxRetries'],
])

const SCHEMA_KEYS = ['response_format', 'responseFormat', 'responseJsonSchema', 'responseSchema', 'response_schema']
const MIME_KEYS = ['responseMimeType', 'response_mime_type']

/** Fields of the request that have no form here, as they were sent. */
function readExtraBody(body: JsonFields, hasSchema: boolean, notes: RecoveryNote[]): string {
  const entries = Object.entries(body).flatMap(([name, value]): [string, unknown][] => {
    if (value == null || KNOWN.has(name)) return []
    if (hasSchema && (SCHEMA_KEYS.includes(name) || MIME_KEYS.includes(name))) return []
    const known = { text: 'format', output_config: 'format', reasoning: 'effort', thinkingConfig: 'thinkingBudget' }[
      name
    ]
    if (known !== undefined) {
      const { [known]: _read, ...rest } = toFields(value)
      const isRead = known !== 'format' || hasSchema
      const left = isRead ? rest : toFields(value)
      return Object.keys(left).length === 0 ? [] : [[name, left]]
    }
    if (name === 'thinking' && toFields(value).budget_tokens !== undefined) return []
    return [[name, value]]
  })
  if (typeof body.n === 'number' && body.n > 1) {
    notes.push({ where: 'Parameters', reason: `${body.n} answers were asked for (n). Use the number of repeats.` })
  }
  if (entries.length === 0) return ''
  const names = entries.map(([name]) => name).join(', ')
  notes.push({ where: 'Parameters', reason: `In the extra body, as they were sent: ${names}.` })
  return printJson(Object.fromEntries(entries))
}

/** The commit that the run names in its metadata; `-` is the own workspace. */
function findPrompt(metadata: JsonFields): PromptSource | undefined {
  const [owner, repo, commit] = ['lc_hub_owner', 'lc_hub_repo', 'lc_hub_commit_hash'].map((name) =>
    asText(metadata[name]),
  )
  return repo && commit ? { owner: owner || '-', repo, commit } : undefined
}

/**
 * Values of a prompt's variables in the inputs of the run that called it: those of its chain, as LangChain records them.
 *
 * @param candidates  inputs of the prompt's run, of its parent and of the trace, the nearest first
 * @returns undefined unless one of them has a value for every variable
 */
export function findVariableValues(
  variables: readonly string[],
  candidates: readonly unknown[],
): Readonly<Record<string, unknown>> | undefined {
  for (const candidate of candidates) {
    const fields = toFields(candidate)
    const inner = toFields(fields.input)
    for (const values of [fields, inner]) {
      if (variables.length > 0 && variables.every((name) => Object.hasOwn(values, name))) {
        return Object.fromEntries(variables.map((name) => [name, values[name]]))
      }
    }
  }
  return undefined
}

/** The values in a text field each: texts as they are, other values as JSON. */
export function toValueTexts(values: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value : printJson(value)]),
  )
}
