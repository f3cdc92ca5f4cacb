import type { JsonObject } from '../mapped-span.ts'
import { toFamily } from './attribute-names.ts'
import { firstOf } from './attributes.ts'
import {
  type Message,
  readAiSdkAnswer,
  readEventMessages,
  readInstructions,
  readMessages,
  withInstructions,
} from './messages.ts'
import {
  agentMessages,
  anyJson,
  claudeCodeInput,
  claudeCodeOutput,
  completionTexts,
  contentEvent,
  DETAILS_EVENT,
  detailsEvent,
  embeddedTexts,
  embeddings,
  firstJson,
  flattened,
  flattenedRequest,
  geminiRequest,
  geminiResponse,
  haystackCall,
  langchainMessages,
  livekit,
  mastraValue,
  messages,
  type PayloadContext,
  promptTemplate,
  rawCall,
  readArguments,
  readListedEvents,
  retrievedDocuments,
  retrieverQuery,
  typedValue,
  unwrapToolMessage,
} from './payload-readers.ts'

/** One row of the mapping: attributes or events, and how they become the inputs or outputs of a run. */
export interface PayloadSource {
  readonly attributes: readonly string[]
  /** Who sends them. */
  readonly emitter: string
  readonly read: (context: PayloadContext) => JsonObject | undefined
}

const LIVEKIT_INPUTS = [
  'chat_ctx',
  'user_input',
  'input_text',
  'instructions',
  'function_tool.arguments',
  'user_transcript',
]
const LIVEKIT_OUTPUTS = ['response.text', 'response.function_calls', 'function_tool.output']

const RAW_INPUTS = ['messages', 'input', 'prompt', 'contents', 'system']
const RAW_OUTPUTS = ['choices', 'output', 'content', 'candidates', 'stringified_raw_response']
const HAYSTACK_INPUTS = [
  'haystack.component.input',
  'haystack.agent.step.tool.input',
  'haystack.agent.step.llm.input',
  'haystack.agent.input',
  'haystack.pipeline.input_data',
]
const HAYSTACK_OUTPUTS = [
  'haystack.component.output',
  'haystack.agent.step.tool.output',
  'haystack.agent.step.llm.output',
  'haystack.agent.output',
  'haystack.pipeline.output_data',
]

/** The first row that finds a value gives the inputs. */
export const INPUT_SOURCES: readonly PayloadSource[] = [
  {
    attributes: [`event ${DETAILS_EVENT}: gen_ai.input.messages`],
    emitter: 'GenAI since 1.37, as an event or a log record',
    read: detailsEvent('gen_ai.input.messages', 'user'),
  },
  {
    attributes: ['gen_ai.input.messages'],
    emitter: 'GenAI since 1.37, Pydantic AI, OpenLLMetry, AI SDK 7',
    read: ({ attributes, media }) => messages(readMessages(attributes, 'gen_ai.input.messages', media)),
  },
  { attributes: ['gen_ai.prompt.{n}.*'], emitter: 'OpenLLMetry before 0.5', read: flattened('gen_ai.prompt', 'user') },
  {
    attributes: ['llm.prompt_template.variables', 'llm.prompt_template.template'],
    emitter: 'OpenInference, runs of type prompt',
    read: promptTemplate,
  },
  {
    attributes: ['gen_ai.retrieval.query.text', 'input.value'],
    emitter: 'GenAI retrieval, OpenInference retriever',
    read: retrieverQuery,
  },
  {
    attributes: ['input.value → messages'],
    emitter: 'OpenInference for LangChain.js, messages as LangChain serializes them',
    read: langchainMessages('input'),
  },
  {
    attributes: ['llm.input_messages.{n}.message.*', 'input.value → system'],
    emitter: 'OpenInference',
    read: flattenedRequest,
  },
  {
    attributes: ['ai.prompt.messages'],
    emitter: 'AI SDK 4 to 6, calls of models',
    read: ({ attributes, media }) => messages(readMessages(attributes, 'ai.prompt.messages', media)),
  },
  { attributes: ['ai.prompt'], emitter: 'AI SDK 4 to 6, outer spans', read: anyJson('ai.prompt', 'input') },
  {
    attributes: ['event gen_ai.content.prompt: gen_ai.prompt'],
    emitter: 'GenAI 1.27',
    read: contentEvent('gen_ai.content.prompt', 'gen_ai.prompt', 'input'),
  },
  {
    attributes: ['events gen_ai.system.message, gen_ai.user.message, gen_ai.assistant.message, gen_ai.tool.message'],
    emitter: 'GenAI 1.28 to 1.36, as events or log records',
    read: ({ events, media, runType }) => messages(readEventMessages(events, media, runType).inputs),
  },
  {
    attributes: ['gen_ai.tool.call.arguments'],
    emitter: 'GenAI tools',
    read: readArguments('gen_ai.tool.call.arguments', 'input'),
  },
  {
    attributes: ['ai.toolCall.input', 'ai.toolCall.args'],
    emitter: 'AI SDK tools',
    read: firstJson(['ai.toolCall.input', 'ai.toolCall.args'], 'input'),
  },
  {
    attributes: ['tool_arguments', 'gcp.vertex.agent.tool_call_args', 'mcp.request.argument'],
    emitter: 'Pydantic AI before v3, Google ADK, MCP',
    read: (context) =>
      firstOf(['tool_arguments', 'gcp.vertex.agent.tool_call_args', 'mcp.request.argument'], (key) =>
        readArguments(key, 'input')(context),
      ),
  },
  {
    attributes: ['embedding.embeddings.{n}.embedding.text', 'ai.values', 'ai.value'],
    emitter: 'OpenInference and AI SDK embeddings',
    read: embeddedTexts,
  },
  {
    attributes: ['langfuse.observation.input', 'langfuse.trace.input'],
    emitter: 'Langfuse',
    read: firstJson(['langfuse.observation.input', 'langfuse.trace.input'], 'input'),
  },
  { attributes: ['input.value', 'input.mime_type'], emitter: 'OpenInference', read: typedValue('input') },
  {
    attributes: ['tool.parameters'],
    emitter: 'OpenInference before it had `input.value`; not a schema',
    read: readArguments('tool.parameters', 'input'),
  },
  {
    attributes: ['traceloop.entity.input'],
    emitter: 'OpenLLMetry workflows and tasks',
    read: anyJson('traceloop.entity.input', 'input'),
  },
  { attributes: ['mlflow.spanInputs'], emitter: 'MLflow', read: anyJson('mlflow.spanInputs', 'input') },
  {
    attributes: ['braintrust.input_json', 'braintrust.input'],
    emitter: 'Braintrust',
    read: firstJson(['braintrust.input_json', 'braintrust.input'], 'input'),
  },
  { attributes: ['lmnr.span.input'], emitter: 'Laminar', read: anyJson('lmnr.span.input', 'input') },
  {
    attributes: RAW_INPUTS.map((name) => `llm.{provider}.${name}`),
    emitter: 'LiteLLM: the request to the provider',
    read: rawCall(RAW_INPUTS),
  },
  {
    attributes: HAYSTACK_INPUTS.map((key) => `${key} → messages`),
    emitter: 'Haystack, calls of models',
    read: haystackCall(HAYSTACK_INPUTS, 'input'),
  },
  { attributes: HAYSTACK_INPUTS, emitter: 'Haystack', read: firstJson(HAYSTACK_INPUTS, 'input') },
  { attributes: ['mastra.{type}.input'], emitter: 'Mastra', read: mastraValue('input') },
  {
    attributes: ['user_prompt', 'new_context', 'tool_input', 'user_system_prompt'],
    emitter: 'Claude Code',
    read: claudeCodeInput,
  },
  { attributes: ['gcp.vertex.agent.llm_request'], emitter: 'Google ADK', read: geminiRequest },
  { attributes: ['genkit:input'], emitter: 'Genkit', read: anyJson('genkit:input', 'input') },
  {
    attributes: ['pydantic_ai.all_messages'],
    emitter: 'Pydantic AI agents: up to the last message of the user',
    read: agentMessages('inputs'),
  },
  {
    attributes: ['gen_ai.prompt'],
    emitter: 'LangSmith exporters, the complete inputs',
    read: anyJson('gen_ai.prompt', 'input'),
  },
  { attributes: ['prompt'], emitter: 'Logfire', read: anyJson('prompt', 'input') },
  { attributes: LIVEKIT_INPUTS.map((name) => `lk.${name}`), emitter: 'LiveKit agents', read: livekit(LIVEKIT_INPUTS) },
  {
    attributes: ['gen_ai.task.input', 'input', 'request_data'],
    emitter: 'agents of OpenLLMetry, Logfire',
    read: firstJson(['gen_ai.task.input', 'input', 'request_data'], 'input'),
  },
  {
    attributes: ['events'],
    emitter: 'Pydantic AI before v2: a list of events',
    read: ({ attributes, media }) => messages(readListedEvents(attributes, media).inputs),
  },
  {
    attributes: ['gen_ai.system_instructions'],
    emitter: 'alone: the only message',
    read: ({ attributes, media }) => messages(readInstructions(attributes.json('gen_ai.system_instructions'), media)),
  },
]

/** The first row that finds a value gives the outputs. */
export const OUTPUT_SOURCES: readonly PayloadSource[] = [
  {
    attributes: [`event ${DETAILS_EVENT}: gen_ai.output.messages`],
    emitter: 'GenAI since 1.37, as an event or a log record',
    read: detailsEvent('gen_ai.output.messages', 'assistant'),
  },
  {
    attributes: ['gen_ai.output.messages'],
    emitter: 'GenAI since 1.37, Pydantic AI, OpenLLMetry, AI SDK 7',
    read: ({ attributes, media }) => messages(readMessages(attributes, 'gen_ai.output.messages', media, 'assistant')),
  },
  {
    attributes: ['gen_ai.completion.{n}.*'],
    emitter: 'OpenLLMetry before 0.5',
    read: flattened('gen_ai.completion', 'assistant'),
  },
  {
    attributes: ['output.value → generations'],
    emitter: 'OpenInference for LangChain.js, messages as LangChain serializes them',
    read: langchainMessages('output'),
  },
  {
    attributes: ['llm.output_messages.{n}.message.*'],
    emitter: 'OpenInference',
    read: flattened('llm.output_messages', 'assistant'),
  },
  {
    attributes: ['llm.choices.{n}.completion.text'],
    emitter: 'OpenInference completions',
    read: ({ attributes }) => completionTexts(attributes),
  },
  {
    attributes: [
      'ai.response.text',
      'ai.response.reasoning',
      'ai.response.toolCalls',
      'ai.response.object',
      'ai.result.text',
      'ai.result.object',
    ],
    emitter: 'AI SDK 4 to 6: one message of the assistant',
    read: ({ attributes }) => messages(readAiSdkAnswer(attributes)),
  },
  {
    attributes: ['event gen_ai.content.completion: gen_ai.completion'],
    emitter: 'GenAI 1.27',
    read: contentEvent('gen_ai.content.completion', 'gen_ai.completion', 'output'),
  },
  {
    attributes: ['event gen_ai.choice'],
    emitter: 'GenAI 1.28 to 1.36, as events or log records',
    read: ({ events, media, runType }) => messages(readEventMessages(events, media, runType).outputs),
  },
  {
    attributes: ['gen_ai.tool.call.result'],
    emitter: 'GenAI tools',
    read: readArguments('gen_ai.tool.call.result', 'output'),
  },
  {
    attributes: ['ai.toolCall.output', 'ai.toolCall.result'],
    emitter: 'AI SDK tools',
    read: firstJson(['ai.toolCall.output', 'ai.toolCall.result'], 'output'),
  },
  {
    attributes: ['tool_response', 'gcp.vertex.agent.tool_response', 'mcp.response.value'],
    emitter: 'Pydantic AI before v3, Google ADK, MCP',
    read: (context) =>
      firstOf(['tool_response', 'gcp.vertex.agent.tool_response', 'mcp.response.value'], (key) =>
        readArguments(key, 'output')(context),
      ),
  },
  {
    attributes: [
      'gen_ai.retrieval.documents',
      'retrieval.documents.{n}.document.*',
      'reranker.output_documents.{n}.document.*',
    ],
    emitter: 'GenAI retrieval, OpenInference',
    read: (context) =>
      firstOf(['gen_ai.retrieval.documents', 'retrieval.documents', 'reranker.output_documents'], (key) =>
        retrievedDocuments(key)(context),
      ),
  },
  {
    attributes: ['embedding.embeddings.{n}.embedding.vector', 'ai.embeddings', 'ai.embedding'],
    emitter: 'OpenInference and AI SDK embeddings',
    read: embeddings,
  },
  {
    attributes: ['langfuse.observation.output', 'langfuse.trace.output'],
    emitter: 'Langfuse',
    read: firstJson(['langfuse.observation.output', 'langfuse.trace.output'], 'output'),
  },
  { attributes: ['output.value', 'output.mime_type'], emitter: 'OpenInference', read: typedValue('output') },
  {
    attributes: ['traceloop.entity.output'],
    emitter: 'OpenLLMetry workflows and tasks',
    read: anyJson('traceloop.entity.output', 'output', 'text'),
  },
  { attributes: ['mlflow.spanOutputs'], emitter: 'MLflow', read: anyJson('mlflow.spanOutputs', 'output') },
  {
    attributes: ['braintrust.output_json', 'braintrust.output'],
    emitter: 'Braintrust',
    read: firstJson(['braintrust.output_json', 'braintrust.output'], 'output', 'text'),
  },
  { attributes: ['lmnr.span.output'], emitter: 'Laminar', read: anyJson('lmnr.span.output', 'output', 'text') },
  {
    attributes: RAW_OUTPUTS.map((name) => `llm.{provider}.${name}`),
    emitter: 'LiteLLM: the response of the provider',
    read: rawCall(RAW_OUTPUTS),
  },
  {
    attributes: HAYSTACK_OUTPUTS.map((key) => `${key} → replies`),
    emitter: 'Haystack, calls of models',
    read: haystackCall(HAYSTACK_OUTPUTS, 'output'),
  },
  { attributes: HAYSTACK_OUTPUTS, emitter: 'Haystack', read: firstJson(HAYSTACK_OUTPUTS, 'output', 'text') },
  { attributes: ['mastra.{type}.output'], emitter: 'Mastra', read: mastraValue('output') },
  {
    attributes: ['event tool.output: output', 'response.model_output'],
    emitter: 'Claude Code',
    read: claudeCodeOutput,
  },
  { attributes: ['gcp.vertex.agent.llm_response'], emitter: 'Google ADK', read: geminiResponse },
  { attributes: ['genkit:output'], emitter: 'Genkit', read: anyJson('genkit:output', 'output') },
  { attributes: ['final_result'], emitter: 'Pydantic AI agents', read: anyJson('final_result', 'output') },
  {
    attributes: ['pydantic_ai.all_messages'],
    emitter: 'Pydantic AI agents: after the last message of the user',
    read: agentMessages('outputs'),
  },
  {
    attributes: ['gen_ai.completion'],
    emitter: 'LangSmith exporters, the complete outputs',
    read: anyJson('gen_ai.completion', 'output', 'text'),
  },
  {
    attributes: LIVEKIT_OUTPUTS.map((name) => `lk.${name}`),
    emitter: 'LiveKit agents',
    read: livekit(LIVEKIT_OUTPUTS),
  },
  {
    attributes: ['all_messages_events', 'gen_ai.task.output', 'output', 'response_data'],
    emitter: 'Pydantic AI before v2, agents of OpenLLMetry, Logfire',
    read: firstJson(['all_messages_events', 'gen_ai.task.output', 'output', 'response_data'], 'output', 'text'),
  },
  {
    attributes: ['events'],
    emitter: 'Pydantic AI before v2: its choice',
    read: ({ attributes, media }) => messages(readListedEvents(attributes, media).outputs),
  },
]

/** A row with the first segments of its attributes, by which most rows are skipped. */
interface Candidate extends PayloadSource {
  readonly families: readonly string[]
  readonly readsEvents: boolean
}

function toCandidate(source: PayloadSource): Candidate {
  const keys = source.attributes.filter((key) => !isEvent(key))
  return { ...source, families: [...new Set(keys.map(toFamily))], readsEvents: source.attributes.some(isEvent) }
}

const isEvent = (attribute: string) => /^events? /.test(attribute)

const INPUTS = INPUT_SOURCES.map(toCandidate)
const OUTPUTS = OUTPUT_SOURCES.map(toCandidate)

function readFirst(candidates: readonly Candidate[], context: PayloadContext): JsonObject | undefined {
  const { attributes, events } = context
  for (const { families, readsEvents, read } of candidates) {
    const mayRead = attributes.hasFamily(families) || (readsEvents && events.length > 0)
    const value = mayRead ? attributes.attempt(() => read(context)) : undefined
    if (value !== undefined) return value
  }
  return undefined
}

/** Reads inputs and outputs by the tables above; instructions beside the messages become their first one. */
export function readPayloads(context: PayloadContext): {
  inputs: JsonObject | undefined
  outputs: JsonObject | undefined
} {
  const isTool = context.runType === 'tool'
  const [inputs, outputs] = [readFirst(INPUTS, context), readFirst(OUTPUTS, context)]
  // An emitter that sends both generations repeats itself in the older one.
  if (context.attributes.has('gen_ai.input.messages')) context.attributes.below('gen_ai.prompt')
  if (context.attributes.has('gen_ai.output.messages')) context.attributes.below('gen_ai.completion')
  const instructions = readInstructions(context.attributes.json('gen_ai.system_instructions'), context.media)
  if (isTool) return { inputs: unwrapToolMessage(inputs, 'input'), outputs: unwrapToolMessage(outputs, 'output') }
  const list = inputs?.messages
  if (!Array.isArray(list) || instructions === undefined) return { inputs, outputs }
  return { inputs: { ...inputs, messages: withInstructions(list as Message[], instructions) }, outputs }
}
