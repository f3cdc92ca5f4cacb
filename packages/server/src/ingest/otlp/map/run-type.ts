import type { RunType } from '@touchstone/contract'
import { MODEL_ATTRIBUTES } from '@touchstone/formats/models'
import type { OtlpSpan } from '../span.ts'
import type { SpanAttributes } from './attributes.ts'

/** An attribute, and the run type of each of its values. A value that is not listed leaves the decision to the next row. */
export interface RunTypeSource {
  readonly attribute: string
  readonly values: Readonly<Record<string, RunType>>
}

const TYPES: Readonly<Record<RunType, RunType>> = {
  tool: 'tool',
  chain: 'chain',
  llm: 'llm',
  retriever: 'retriever',
  embedding: 'embedding',
  prompt: 'prompt',
  parser: 'parser',
}

const same = (type: RunType, ...values: readonly string[]): Record<string, RunType> =>
  Object.fromEntries(values.map((value) => [value, type]))

/** Names of operations that call others: what they report is the sum of the calls inside them. */
export const AGGREGATE_OPERATIONS = [
  'invoke_agent',
  'create_agent',
  'agent_step',
  'invoke_workflow',
  'plan',
  'handle_conversation_turn',
  'conversation',
  'initiate_chats',
] as const

/** From top to bottom; the first row that knows its value decides. Values are compared in lower case. */
export const RUN_TYPE_SOURCES: readonly RunTypeSource[] = [
  { attribute: 'langsmith.span.kind', values: TYPES },
  {
    attribute: 'gen_ai.operation.name',
    values: {
      ...same('llm', 'chat', 'completion', 'text_completion', 'generate', 'generate_content'),
      ...same('embedding', 'embeddings', 'embedding'),
      ...same('retriever', 'retrieval', 'search_memory', 'search_memory_store', 'rerank'),
      ...same('tool', 'execute_tool', 'create_memory', 'update_memory', 'upsert_memory', 'delete_memory'),
      ...same('tool', 'create_memory_store', 'update_memory_store', 'upsert_memory_store', 'delete_memory_store'),
      ...same('chain', ...AGGREGATE_OPERATIONS),
    },
  },
  {
    // Claude Code; the execution of a tool and the wait for a permission are parts of its run.
    attribute: 'span.type',
    values: {
      llm_request: 'llm',
      tool: 'tool',
      ...same('chain', 'interaction', 'tool.execution', 'tool.blocked_on_user', 'subagent.spawn', 'hook'),
    },
  },
  {
    attribute: 'llm.request.type',
    values: { ...same('llm', 'chat', 'completion'), ...same('embedding', 'embedding'), ...same('chain', 'rerank') },
  },
  {
    attribute: 'traceloop.llm.request.type',
    values: { ...same('llm', 'chat', 'completion'), ...same('embedding', 'embedding'), ...same('chain', 'rerank') },
  },
  {
    attribute: 'openinference.span.kind',
    values: {
      ...same('llm', 'llm'),
      ...same('embedding', 'embedding'),
      ...same('retriever', 'retriever'),
      ...same('tool', 'tool'),
      ...same('prompt', 'prompt'),
      ...same('chain', 'agent', 'chain', 'guardrail', 'evaluator', 'reranker', 'decision'),
    },
  },
  {
    attribute: 'traceloop.span.kind',
    values: {
      ...same('tool', 'tool'),
      ...same('chain', 'workflow', 'task', 'agent'),
      llm: 'llm',
      retriever: 'retriever',
      embedding: 'embedding',
    },
  },
  {
    attribute: 'langfuse.observation.type',
    values: {
      ...same('llm', 'generation'),
      ...same('embedding', 'embedding'),
      ...same('retriever', 'retriever'),
      ...same('tool', 'tool'),
      ...same('chain', 'span', 'event', 'agent', 'chain', 'evaluator', 'guardrail'),
    },
  },
  {
    attribute: 'ai.operationId',
    values: {
      ...same('llm', 'ai.generatetext.dogenerate', 'ai.streamtext.dostream'),
      ...same('llm', 'ai.generateobject.dogenerate', 'ai.streamobject.dostream'),
      ...same('embedding', 'ai.embed.doembed', 'ai.embedmany.doembed'),
      ...same('tool', 'ai.toolcall'),
      ...same('chain', 'ai.generatetext', 'ai.streamtext', 'ai.generateobject', 'ai.streamobject'),
      ...same('chain', 'ai.embed', 'ai.embedmany', 'ai.rerank', 'ai.rerank.dorerank'),
    },
  },
  {
    attribute: 'mcp.method.name',
    values: { 'tools/call': 'tool', 'prompts/get': 'prompt', 'resources/read': 'retriever' },
  },
  {
    attribute: 'mlflow.spanType',
    values: {
      chat_model: 'llm',
      llm: 'llm',
      embedding: 'embedding',
      retriever: 'retriever',
      tool: 'tool',
      parser: 'parser',
      agent: 'chain',
      chain: 'chain',
      reranker: 'chain',
    },
  },
  {
    attribute: 'braintrust.span_attributes.type',
    values: { llm: 'llm', tool: 'tool', ...same('chain', 'task', 'function', 'score', 'eval', 'automation') },
  },
  {
    attribute: 'lmnr.span.type',
    values: {
      llm: 'llm',
      tool: 'tool',
      ...same('chain', 'default', 'pipeline', 'executor', 'evaluator', 'evaluation'),
    },
  },
  {
    attribute: 'genkit:metadata:subtype',
    values: {
      model: 'llm',
      embedder: 'embedding',
      retriever: 'retriever',
      tool: 'tool',
      prompt: 'prompt',
      flow: 'chain',
    },
  },
]

/** Ends of the names of Haystack's components. */
export const HAYSTACK_TYPES: readonly (readonly [end: string, type: RunType])[] = [
  ['Generator', 'llm'],
  ['Retriever', 'retriever'],
  ['Embedder', 'embedding'],
  ['PromptBuilder', 'prompt'],
  ['ToolInvoker', 'tool'],
]

/** Attributes whose presence tells the type of a span that no row above knows. */
export const RUN_TYPE_MARKS: readonly { readonly attributes: readonly string[]; readonly type: RunType }[] = [
  { attributes: ['gen_ai.tool.name', 'gen_ai.tool.call.id', 'gcp.vertex.agent.tool_call_args'], type: 'tool' },
  { attributes: ['haystack.tool.name', 'haystack.agent.step.tool.input'], type: 'tool' },
  { attributes: ['haystack.agent.step.llm.input'], type: 'llm' },
  { attributes: ['llm.prompt_template.variables'], type: 'prompt' },
]

/** Spans of LiveKit agents have names and no types. */
export const LIVEKIT_NAMES: Readonly<Record<string, RunType>> = {
  llm_node: 'chain',
  llm_request: 'llm',
  llm_request_run: 'llm',
  function_tool: 'tool',
}

/** Of models that exchange messages. */
const MODEL_KEYS = MODEL_ATTRIBUTES.filter(({ isOf }) => isOf === undefined).map(({ attribute }) => attribute)
const MESSAGE_KEYS =
  /^(gen_ai\.(input|output)\.messages$|gen_ai\.(prompt|completion)(\.|$)|llm\.(input|output)_messages\.|gen_ai\.usage\.(input|output|prompt|completion)_tokens$)/

export interface RunTypeFound {
  readonly type: RunType
  /** The value that decided, when it is more precise than the type: `agent`, `guardrail`. Shown as `ls_span_kind`. */
  readonly kind?: string | undefined
}

/** Decides the type of a run by the first row that knows the span. */
export function findRunType(span: OtlpSpan, attributes: SpanAttributes): RunTypeFound {
  for (const { attribute, values } of RUN_TYPE_SOURCES) {
    // MLflow prints its values as JSON, with quotes.
    const value = attributes
      .peek(attribute)
      ?.replace(/^"(.*)"$/, '$1')
      .toLowerCase()
    const type = value !== undefined && Object.hasOwn(values, value) ? values[value] : undefined
    if (type !== undefined) return { type, ...(value !== type && KINDS.has(value ?? '') && { kind: value }) }
  }
  const mark = RUN_TYPE_MARKS.find(({ attributes: keys }) => keys.some((key) => attributes.has(key)))
  if (mark !== undefined) return { type: mark.type }
  const component = attributes.peek('haystack.component.type')
  const haystack = HAYSTACK_TYPES.find(([end]) => component?.endsWith(end))
  if (haystack !== undefined) return { type: haystack[1] }
  const livekit = /^livekit/.test(span.scope.name) && Object.hasOwn(LIVEKIT_NAMES, span.name)
  if (livekit) return { type: LIVEKIT_NAMES[span.name] ?? 'chain' }
  const hasModel = MODEL_KEYS.some((key) => attributes.peek(key) !== undefined)
  const hasMessages = hasModel && Object.keys(span.attributes).some((key) => MESSAGE_KEYS.test(key))
  const hasEvents = hasModel && span.events.some(({ name }) => name === 'gen_ai.choice')
  return { type: hasMessages || hasEvents || hasLlmRequest(attributes) ? 'llm' : 'chain' }
}

/** Google ADK's `call_llm` carries the whole request; `"{}"` means that there is none. */
function hasLlmRequest(attributes: SpanAttributes): boolean {
  const request = attributes.peek('gcp.vertex.agent.llm_request')
  return request !== undefined && request !== '{}' && !attributes.has('gen_ai.tool.name')
}

const KINDS: ReadonlySet<string> = new Set([
  ...['agent', 'guardrail', 'evaluator', 'reranker', 'decision', 'workflow', 'task', 'event', 'flow', 'rerank'],
  ...AGGREGATE_OPERATIONS,
])
