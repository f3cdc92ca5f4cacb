import type { RunType } from '@touchstone/contract'
import { parseExactJson } from '@touchstone/formats/exact-json'
import { asList, asRecord, memberAt } from '@touchstone/formats/guards'
import { MODEL_ATTRIBUTES, PROVIDER_ATTRIBUTES } from '@touchstone/formats/models'
import { parsePythonLiteral } from '@touchstone/formats/python-literal'
import type { JsonObject } from '../mapped-span.ts'
import type { OtlpSpan } from '../span.ts'
import { firstOf, isSafeKey, parseJson, present, type SpanAttributes, toText, unquote } from './attributes.ts'

/** Attributes of each field, in order; the first that is set counts. */
export const FIELD_SOURCES = {
  project_id: ['langsmith.trace.session_id', 'ai.telemetry.metadata.ls_project_id'],
  project_name: ['langsmith.trace.session_name', 'ai.telemetry.metadata.ls_project_name'],
  reference_example_id: ['langsmith.reference_example_id'],
  provider: PROVIDER_ATTRIBUTES,
  /** The model that responded; it has the price. */
  model: MODEL_ATTRIBUTES.map(({ attribute }) => attribute),
  requested_model: MODEL_ATTRIBUTES.filter(({ isRequested }) => isRequested).map(({ attribute }) => attribute),
  thread: [
    'langsmith.metadata.thread_id',
    'langsmith.metadata.session_id',
    'langsmith.metadata.conversation_id',
    'gen_ai.conversation.id',
    'session.id',
    'langfuse.session.id',
    'ai.telemetry.metadata.sessionId',
    'ai.settings.context.threadId',
    'ai.settings.context.sessionId',
    'traceloop.association.properties.session_id',
    'traceloop.association.properties.thread_id',
    'mlflow.trace.session',
    'lmnr.association.properties.session_id',
    'mastra.metadata.threadId',
    'mastra.metadata.sessionId',
    'metadata.thread_id',
    'metadata.session_id',
    'metadata.requester_metadata.thread_id',
    'metadata.requester_metadata.session_id',
  ],
  user: [
    'langsmith.metadata.user_id',
    'user.id',
    'langfuse.user.id',
    'gen_ai.user',
    'enduser.id',
    'ai.telemetry.metadata.userId',
    'ai.settings.context.userId',
    'traceloop.association.properties.user_id',
    'mlflow.trace.user',
    'lmnr.association.properties.user_id',
    'mastra.metadata.userId',
    'mastra.metadata.resourceId',
    'metadata.user_api_key_end_user_id',
    'llm.user',
    'metadata.user_api_key_user_id',
  ],
  tags: [
    'langsmith.span.tags',
    'tag.tags',
    'langfuse.trace.tags',
    'ai.telemetry.metadata.tags',
    'braintrust.tags',
    'lmnr.association.properties.tags',
    'mastra.tags',
  ],
  prompt_name: [
    'gen_ai.prompt.name',
    'langfuse.observation.prompt.name',
    'traceloop.prompt.key',
    'prompt.id',
    'prompt.url',
  ],
  prompt_version: [
    'gen_ai.prompt.version',
    'langfuse.observation.prompt.version',
    'traceloop.prompt.version_hash',
    'traceloop.prompt.version',
  ],
  environment: ['langfuse.environment', 'deployment.environment.name', 'deployment.environment'],
  tools: ['gen_ai.tool.definitions', 'ai.prompt.tools', 'tools'],
} as const satisfies Record<string, readonly string[]>

/** Where the metadata of programs is; a later prefix does not replace a key of an earlier one. */
export const METADATA_PREFIXES = [
  'langsmith.metadata',
  'traceloop.association.properties',
  'ai.telemetry.metadata',
  'ai.settings.context',
  'langfuse.trace.metadata',
  'langfuse.observation.metadata',
  'braintrust.metadata',
  'lmnr.association.properties.metadata',
  'mastra.metadata',
  'metadata',
] as const

/** Metadata that is a JSON object in one attribute. */
const METADATA_OBJECTS = [
  'metadata',
  'langfuse.trace.metadata',
  'langfuse.observation.metadata',
  'braintrust.metadata',
  'metadata.requester_metadata',
] as const

/** Names of the AI SDK's providers in the words of the GenAI conventions; the first prefix that fits counts. */
const PROVIDERS: readonly (readonly [prefix: string, name: string])[] = [
  ['google.vertex', 'gcp.vertex_ai'],
  ['google.generative-ai', 'gcp.gemini'],
  ['amazon-bedrock', 'aws.bedrock'],
  ['azure-openai', 'azure.ai.openai'],
  ['azure.', 'azure.ai.openai'],
  ['xai', 'x_ai'],
  ['mistral', 'mistral_ai'],
]

/** The provider as a name that prices and pages know: without the API of the AI SDK, in lower case. */
export function readProvider(attributes: SpanAttributes): string | undefined {
  const name = attributes
    .firstText(FIELD_SOURCES.provider)
    ?.toLowerCase()
    .replace(/^"(.*)"$/, '$1')
  // The Python exporter of LangSmith has this word for every provider that it does not know.
  if (name === undefined || name === 'langchain') return undefined
  const known = PROVIDERS.find(([prefix]) => name.startsWith(prefix))
  return known?.[1] ?? name.replace(/\.(chat|messages|responses|completion|embedding|text-embedding|image)$/, '')
}

/** The model that responded, which has the price. */
export function readModel(attributes: SpanAttributes): string | undefined {
  return (
    attributes.firstText(FIELD_SOURCES.model) ??
    firstOf(attributes.among(HAYSTACK_REPLIES), (key) => {
      const reply = attributes.peekJson(key)
      return toText(memberAt(reply, 'replies', '0', 'meta', 'model') ?? memberAt(reply, 'meta', '0', 'model'))
    })
  )
}

/** Outputs of a call of Haystack: each reply has the model in its meta; that of a text stands beside it. */
const HAYSTACK_REPLIES = ['haystack.agent.step.llm.output', 'haystack.component.output'] as const

/** `langsmith.trace.name` first; a tool and an agent by their own name; else the name of the span. */
export const NAME_SOURCES: readonly { readonly attribute: string; readonly only?: 'tool' | 'agent' | 'template' }[] = [
  { attribute: 'langsmith.trace.name' },
  { attribute: 'ai.telemetry.metadata.ls_run_name' },
  { attribute: 'traceloop.entity.name' },
  { attribute: 'haystack.component.name' },
  { attribute: 'gen_ai.tool.name', only: 'tool' },
  { attribute: 'ai.toolCall.name', only: 'tool' },
  { attribute: 'tool.name', only: 'tool' },
  { attribute: 'haystack.tool.name', only: 'tool' },
  { attribute: 'gen_ai.agent.name', only: 'agent' },
  { attribute: 'logfire.msg', only: 'template' },
]

export function readName(span: OtlpSpan, attributes: SpanAttributes, runType: RunType): string {
  const isAgent = attributes.text('gen_ai.operation.name') === 'invoke_agent'
  const isTemplate = /\{[^{}]+\}/.test(span.name)
  const applies = { tool: runType === 'tool', agent: isAgent, template: isTemplate }
  const found = firstOf(attributes.rowsOf(NAME_SOURCES), ({ attribute, only }) =>
    only === undefined || applies[only] ? attributes.text(attribute) : undefined,
  )
  return found ?? (span.name === '' ? 'span' : span.name)
}

/** The project by its name. The processor of Braintrust sets `project_name:NAME` on each span. */
export function readProjectName(attributes: SpanAttributes): string | undefined {
  const parent = attributes.text('braintrust.parent')
  const name = attributes.firstText(FIELD_SOURCES.project_name)
  return name ?? (parent === undefined ? undefined : /^project_name:(.+)/s.exec(parent)?.[1])
}

/** Tags from an array, the JSON text of an array, or a text with commas. */
export function readTags(attributes: SpanAttributes): readonly string[] | undefined {
  const found = firstOf(attributes.among(FIELD_SOURCES.tags), (key) => {
    const value = attributes.json(key)
    if (Array.isArray(value)) return value.flatMap((tag: unknown) => toText(tag) ?? [])
    return typeof value === 'string' && value !== '' ? value.split(',').map((tag) => tag.trim()) : undefined
  })
  const tags = [...new Set(found?.filter((tag) => tag !== ''))]
  return tags.length === 0 ? undefined : tags
}

/** Everything that programs attached, under the keys that they chose. */
export function readMetadata(span: OtlpSpan, attributes: SpanAttributes): Record<string, unknown> {
  const metadata: Record<string, unknown> = {}
  const add = (key: string, value: unknown) => {
    if (isSafeKey(key) && !Object.hasOwn(metadata, key) && value !== undefined && value !== null) metadata[key] = value
  }
  for (const prefix of METADATA_PREFIXES) {
    for (const [key, value] of attributes.below(prefix)) {
      const isOfProxy = prefix === 'metadata' && OF_PROXY.has(key)
      if (!RESERVED.has(key) && !isOfProxy) add(key, readMetadataValue(span, prefix, value))
    }
  }
  for (const key of attributes.among(METADATA_OBJECTS)) {
    const object = attributes.json(key)
    for (const [name, value] of Object.entries(asRecord(object) ?? {})) add(name, value)
    // Some programs set a text or a list.
    if (asRecord(object) === undefined && object !== '') add(key.slice(key.lastIndexOf('.') + 1), unquote(object))
  }
  add('user_id', attributes.firstText(FIELD_SOURCES.user))
  const resource = span.resource.attributes
  add('service.name', toText(resource['service.name']))
  add('service.version', toText(resource['service.version']))
  add(
    'environment',
    attributes.firstText(FIELD_SOURCES.environment) ??
      firstOf(FIELD_SOURCES.environment, (key) => toText(resource[key])),
  )
  if (span.scope.name !== '') add('otel_scope', [span.scope.name, span.scope.version].filter(Boolean).join(' '))
  return metadata
}

/** Not metadata of a user: the AI SDK passes them on for the fields above. */
const RESERVED: ReadonlySet<string> = new Set(['ls_project_name', 'ls_project_id', 'ls_run_name'])

/** What LiteLLM has below `metadata` and is read elsewhere: the usage, and the metadata of the request. */
const OF_PROXY: ReadonlySet<string> = new Set(['usage_object', 'requester_metadata'])

/**
 * Langfuse since version 5 prints every value as JSON, texts too. Older versions print texts as they are, where a text of digits
 * looks like a number: only objects, lists and quoted texts are read.
 */
function readMetadataValue({ scope }: OtlpSpan, prefix: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (scope.name === 'litellm') return readProxyValue(value)
  if (!prefix.startsWith('langfuse.')) return value
  const isJson = scope.name === 'langfuse-sdk' && Number.parseInt(scope.version, 10) >= 5
  return isJson && SCALAR.test(value) ? parseExactJson(value) : unquote(parseJson(value))
}

/** LiteLLM has an empty text for each value that is not set. */
function readProxyValue(text: string): unknown {
  return text === '' ? undefined : (parsePythonLiteral(text) ?? parseJson(text))
}

/** A number, `true`, `false` or `null` as JSON. */
const SCALAR = /^(?:-?(?:0|[1-9]\d{0,999})(?:\.\d{1,999})?(?:[eE][+-]?\d{1,9})?|true|false|null)$/

const INVOCATION_OBJECTS = [
  'llm.invocation_parameters',
  'embedding.invocation_parameters',
  'langfuse.observation.model.parameters',
] as const

/** Prefixes whose members are parameters of the call, under their last name. */
export const INVOCATION_PREFIXES = ['gen_ai.request', 'ai.settings', 'llm.request'] as const

const INVOCATION_SINGLES = Object.entries({
  'gen_ai.output.type': 'output_type',
  'llm.presence_penalty': 'presence_penalty',
  'llm.frequency_penalty': 'frequency_penalty',
  'llm.top_k': 'top_k',
  'gen_ai.tool.name': 'tool_name',
  'gen_ai.tool.call.id': 'tool_call_id',
  'ai.toolCall.id': 'tool_call_id',
  'tool.id': 'tool_call_id',
  'ai.schema': 'response_schema',
  'gen_ai.request.structured_output_schema': 'response_schema',
}).map(([attribute, name]) => ({ attribute, name }))

/** Names of the conventions that differ from those of the APIs. */
const RENAMED: Readonly<Record<string, string>> = {
  stop_sequences: 'stop',
  'choice.count': 'n',
  'reasoning.level': 'reasoning_effort',
}

/** Parameters of the call, with its tools. */
export function readInvocation(attributes: SpanAttributes): JsonObject | undefined {
  const invocation: Record<string, unknown> = {}
  const add = (key: string, value: unknown) => {
    if (isSafeKey(key) && !Object.hasOwn(invocation, key) && value !== undefined && value !== null)
      invocation[key] = value
  }
  for (const prefix of INVOCATION_PREFIXES) {
    for (const [name, value] of attributes.below(prefix)) {
      if (name.startsWith('context.') || name.startsWith('functions.') || name === 'type' || name === 'model_name')
        continue
      add(
        Object.hasOwn(RENAMED, name) ? (RENAMED[name] ?? name) : name,
        typeof value === 'string' ? parseJson(value) : value,
      )
    }
  }
  for (const { attribute, name } of attributes.rowsOf(INVOCATION_SINGLES)) add(name, attributes.json(attribute))
  for (const key of attributes.among(INVOCATION_OBJECTS)) {
    for (const [name, value] of Object.entries(asRecord(attributes.json(key)) ?? {})) add(name, value)
  }
  for (const prefix of ['openai', 'aws.bedrock'] as const) {
    const own = Object.fromEntries(attributes.below(prefix))
    if (Object.keys(own).length > 0) add(prefix, own)
  }
  add('tools', readTools(attributes))
  add('tool_choice', readToolChoice(attributes))
  return Object.keys(invocation).length === 0 ? undefined : invocation
}

/** The AI SDK's `{"type":"auto"}` is OpenAI's `"auto"`. */
function readToolChoice(attributes: SpanAttributes): unknown {
  const choice = attributes.json('ai.prompt.toolChoice')
  const { type, toolName } = asRecord(choice) ?? {}
  if (typeof toolName === 'string') return { type: 'function', function: { name: toolName } }
  return typeof type === 'string' ? type : choice
}

/** Definitions of tools in the form of OpenAI; those of providers as they came. */
function readTools(attributes: SpanAttributes): readonly unknown[] | undefined {
  const list =
    firstOf(attributes.among(FIELD_SOURCES.tools), (key) => attributes.list(key)) ??
    readToolTree(attributes, 'llm.tools') ??
    readToolTree(attributes, 'llm.request.functions') ??
    firstOf(attributes.among(HAYSTACK_CALLS), (key) => asList(asRecord(attributes.peekJson(key))?.tools))
  return list === undefined || list.length === 0 ? undefined : list.map(toTool)
}

function readToolTree(attributes: SpanAttributes, key: string): readonly unknown[] | undefined {
  const tree = attributes.tree(key)
  return Array.isArray(tree)
    ? tree.map((one: unknown) => {
        const tool = asRecord(asRecord(one)?.tool) ?? asRecord(one)
        const schema = tool?.json_schema
        return schema === undefined ? tool : typeof schema === 'string' ? parseJson(schema) : schema
      })
    : undefined
}

/** Inputs of a call of Haystack, which have its tools beside the messages. */
const HAYSTACK_CALLS = ['haystack.agent.step.llm.input', 'haystack.component.input'] as const

/** Tools of Bedrock and Haystack are held by a member; of some emitters only the name is known. */
function openTool(value: unknown): JsonObject | undefined {
  if (typeof value === 'string' && value !== '') return { name: value }
  const tool = asRecord(value)
  const { inputSchema, ...bedrock } = asRecord(tool?.toolSpec) ?? {}
  if (inputSchema !== undefined) return { ...bedrock, parameters: asRecord(inputSchema)?.json ?? inputSchema }
  const held = typeof tool?.type === 'string' && tool.type.startsWith('haystack.') ? asRecord(tool.data) : undefined
  return held === undefined ? tool : pickTool(held)
}

const pickTool = ({ name, description, parameters }: JsonObject) => present({ name, description, parameters })

function toTool(value: unknown): unknown {
  const tool = openTool(value)
  const name = toText(tool?.name)
  const isFunction = tool?.type === undefined || tool.type === 'function' || tool.type === 'custom'
  if (tool === undefined || name === undefined || !isFunction || asRecord(tool.function) !== undefined) return value
  const { type: _, name: __, description, parameters, input_schema: anthropic, inputSchema: aiSdk, ...rest } = tool
  const schema = firstOf([parameters, anthropic, aiSdk], (one) => (typeof one === 'string' ? parseJson(one) : one))
  return { type: 'function', function: { name, ...present({ description, parameters: schema }) }, ...rest }
}

/** The prompt that the inputs were made from. */
export function readPromptLink(attributes: SpanAttributes): JsonObject | undefined {
  const name = attributes.firstText(FIELD_SOURCES.prompt_name)
  const version = attributes.firstText(FIELD_SOURCES.prompt_version)
  const variables = Object.fromEntries(attributes.below('gen_ai.prompt.variable'))
  const link = { ...present({ name, version }), ...(Object.keys(variables).length > 0 && { variables }) }
  return name === undefined ? undefined : link
}
