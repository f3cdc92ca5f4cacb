import { joinGeminiCalls } from '@touchstone/formats/messages'
import { readProviderUsage, toUsageMetadata, withServiceTier } from '@touchstone/formats/usage'
import { isObject, isRecord } from '../guards.ts'
import type { InvocationParamsSchema, KVMap } from '../schemas.ts'
import type { RunTreeConfig } from '../tracing/run-tree.ts'
import type { TraceableConfig } from '../tracing/traceable/types.ts'
import {
  bodyOf,
  keepUsage,
  type LangSmithExtra,
  markAgentRoot,
  refuseWrapped,
  traceMethod,
  wrapMembers,
} from './wrap-members.ts'

/** What `GoogleGenAI` of `@google/genai` has. */
interface GeminiClient {
  // biome-ignore lint/suspicious/noExplicitAny: the methods of every version
  models: { generateContent: (...args: any[]) => any; generateContentStream: (...args: any[]) => any }
}

/** The same client; its calls accept `langsmithExtra` as a second argument. */
export type WrappedGemini<Client extends GeminiClient> = Client & {
  models: {
    generateContent: (body: object, options: LangSmithExtra) => ReturnType<Client['models']['generateContent']>
  }
}

/**
 * Records `models.generateContent` and `models.generateContentStream` of a client of Gemini as runs of type llm. The
 * client is not changed, and the returned one behaves like it.
 *
 * Contents become messages in the form of OpenAI. The output tokens include those of thoughts.
 *
 * @param options  for all runs: `name`, `metadata`, `tags`, `client`, `project_name`
 * @throws Error for a client that is wrapped
 * @example const ai = wrapGemini(new GoogleGenAI({ apiKey }))
 */
export function wrapGemini<Client extends GeminiClient>(
  client: Client,
  options: Partial<RunTreeConfig> = {},
): WrappedGemini<Client> {
  refuseWrapped(client, 'Google Gen AI')
  const { metadata: { ls_invocation_params: known, ...metadata } = {}, ...rest } = options
  const config: TraceableConfig = {
    name: 'ChatGoogleGenerativeAI',
    run_type: 'llm',
    ...rest,
    metadata,
    getInvocationParams: (body: KVMap) => readParameters(body, known),
    processInputs: toInputs,
    processOutputs: toOutputs,
    on_start: markAgentRoot,
    on_end: keepUsage,
  }
  return wrapMembers(client, {
    models: {
      generateContent: traceMethod(config),
      generateContentStream: traceMethod({ ...config, aggregator: mergeResponses }),
    },
  }) as WrappedGemini<Client>
}

/** The same, by the name of the provider. */
export const wrapGoogle = wrapGemini

export default wrapGemini

const INVOCATION_KEYS = ['topP', 'topK', 'candidateCount', 'seed', 'responseMimeType', 'thinkingConfig'] as const

function readParameters({ model, config }: KVMap, known: unknown): InvocationParamsSchema {
  const settings: KVMap = isRecord(config) ? config : {}
  const given = INVOCATION_KEYS.filter((key) => settings[key] !== undefined).map((key) => [key, settings[key]])
  return {
    ls_provider: 'google',
    ls_model_type: 'chat',
    ls_model_name: typeof model === 'string' ? model.replace(/^models\//, '') : undefined,
    ls_max_tokens: settings.maxOutputTokens as number | undefined,
    ls_temperature: settings.temperature as number | undefined,
    ls_stop: settings.stopSequences as string[] | undefined,
    ls_invocation_params: { ...(known as object | undefined), ...Object.fromEntries(given) },
  }
}

function toInputs(inputs: KVMap): KVMap {
  const { contents, config, ...body } = bodyOf(inputs)
  const { systemInstruction, ...settings } = isRecord(config) ? config : {}
  const system = systemInstruction === undefined ? [] : toMessages(systemInstruction)
  return {
    ...body,
    messages: [...system.map((message) => ({ ...message, role: 'system' })), ...toMessages(contents)],
    ...(Object.keys(settings).length > 0 && { config: settings }),
  }
}

/** A text, a part, a content, or a list of these; parts that follow one another are one message. */
function toMessages(contents: unknown): KVMap[] {
  const messages: KVMap[] = []
  let loose: unknown[] = []
  const closeLoose = () => {
    if (loose.length > 0) messages.push(...toMessage('user', loose))
    loose = []
  }
  for (const content of Array.isArray(contents) ? (contents as unknown[]) : [contents]) {
    if (!isObject(content) || !Array.isArray(content.parts)) {
      if (content != null) loose.push(content)
      continue
    }
    closeLoose()
    messages.push(...toMessage(content.role === 'model' ? 'assistant' : 'user', content.parts as unknown[]))
  }
  closeLoose()
  return messages
}

/** Results of tools are messages of their own. */
function toMessage(role: string, given: readonly unknown[]): KVMap[] {
  // Streamed arguments come in several parts.
  const parts = joinGeminiCalls(given)
  const results = parts.flatMap((part) =>
    isObject(part) && isObject(part.functionResponse) ? [part.functionResponse] : [],
  )
  const calls = parts.flatMap((part) => (isObject(part) && isObject(part.functionCall) ? [part.functionCall] : []))
  const blocks = parts.flatMap(toBlock)
  const isText = blocks.every((block) => block.type === 'text')
  const content = isText ? blocks.map(({ text }) => String(text)).join('') : blocks
  const message = {
    role,
    // Streams of calls have empty texts.
    content: content === '' && calls.length > 0 ? null : content,
    ...(calls.length > 0 && { tool_calls: calls.map(toToolCall) }),
  }
  return [
    ...(blocks.length > 0 || calls.length > 0 ? [message] : []),
    ...results.map(({ id, name, response }) => ({
      role: 'tool',
      ...(id !== undefined && { tool_call_id: id as string }),
      name: name as unknown,
      content: JSON.stringify(response) as unknown,
    })),
  ]
}

function toToolCall({ id, name, args }: KVMap, index: number): KVMap {
  const call = { name: name as unknown, arguments: JSON.stringify(args ?? {}) }
  return { id: (id ?? `call_${index}`) as string, type: 'function', function: call }
}

function toBlock(part: unknown): KVMap[] {
  if (typeof part === 'string') return [{ type: 'text', text: part }]
  if (!isObject(part) || part.functionCall !== undefined || part.functionResponse !== undefined) return []
  if (typeof part.text === 'string') {
    return [part.thought === true ? { type: 'reasoning', reasoning: part.text } : { type: 'text', text: part.text }]
  }
  if (isObject(part.inlineData)) {
    const { mimeType, data } = part.inlineData
    return [{ type: 'image_url', image_url: { url: `data:${String(mimeType)};base64,${String(data)}` } }]
  }
  return [{ ...part }]
}

/** The result is an instance of a class, which is recorded below `outputs`. */
function toOutputs(outputs: KVMap): KVMap {
  const response: KVMap = isObject(outputs.outputs) ? outputs.outputs : outputs
  if (!Array.isArray(response.candidates)) return outputs
  const [first, ...others] = (response.candidates as KVMap[]).map(toAnswer)
  const usage = isObject(response.usageMetadata) ? toUsage(response.usageMetadata) : undefined
  return {
    ...first,
    ...(others.length > 0 && { other_candidates: others }),
    ...(response.modelVersion !== undefined && { model: response.modelVersion as unknown }),
    ...(response.promptFeedback !== undefined && { prompt_feedback: response.promptFeedback as unknown }),
    ...(usage && { usage_metadata: usage }),
  }
}

function toAnswer({ content, finishReason, safetyRatings, citationMetadata, groundingMetadata }: KVMap): KVMap {
  const parts: unknown[] = isObject(content) && Array.isArray(content.parts) ? content.parts : []
  const [message = { role: 'assistant', content: '' }] = toMessage('assistant', parts)
  return {
    ...message,
    ...(finishReason !== undefined && { finish_reason: finishReason as unknown }),
    ...(safetyRatings !== undefined && { safety_ratings: safetyRatings as unknown }),
    ...(citationMetadata !== undefined && { citation_metadata: citationMetadata as unknown }),
    ...(groundingMetadata !== undefined && { grounding_metadata: groundingMetadata as unknown }),
  }
}

function toUsage(usage: KVMap): KVMap | undefined {
  const found = readProviderUsage(usage)
  return found && toUsageMetadata(withServiceTier(found, usage.trafficType ?? usage.serviceTier))
}

/** What a response has beside its candidates; the last piece that has it counts. */
const KEPT_OF_PIECES = ['usageMetadata', 'modelVersion', 'responseId', 'promptFeedback'] as const

/** The pieces of a streamed answer as the answer that the API returns without streaming. */
function mergeResponses(pieces: readonly KVMap[]): KVMap {
  const candidates: KVMap[] = []
  let whole: KVMap = {}
  for (const piece of pieces) {
    const { candidates: parts } = piece
    const rest = KEPT_OF_PIECES.filter((key) => piece[key] !== undefined).map((key) => [key, piece[key] as unknown])
    whole = { ...whole, ...Object.fromEntries(rest) }
    for (const [at, part] of (Array.isArray(parts) ? (parts as KVMap[]) : []).entries()) {
      const index = typeof part.index === 'number' ? part.index : at
      candidates[index] = mergeCandidate(candidates[index] ?? {}, part)
    }
  }
  return { ...whole, candidates: candidates.filter((one) => one !== undefined) }
}

function mergeCandidate(before: KVMap, { content, ...rest }: KVMap): KVMap {
  const partsOf = (value: unknown) => (isObject(value) && Array.isArray(value.parts) ? (value.parts as KVMap[]) : [])
  const parts = [...partsOf(before.content)]
  for (const part of partsOf(content)) {
    const last = parts.at(-1)
    // A text that comes in pieces is one part.
    if (typeof last?.text === 'string' && typeof part.text === 'string' && last.thought === part.thought) {
      parts[parts.length - 1] = { ...last, ...part, text: last.text + part.text }
    } else parts.push(part)
  }
  return { ...before, ...rest, ...mergeCitations(before, rest), content: { role: 'model', parts } }
}

/** Each piece has the citations of its own text. */
function mergeCitations(before: KVMap, part: KVMap): KVMap {
  const citationsOf = ({ citationMetadata: given }: KVMap): unknown[] =>
    isObject(given) && Array.isArray(given.citations) ? (given.citations as unknown[]) : []
  const [known, added] = [citationsOf(before), citationsOf(part)]
  return known.length === 0 || added.length === 0
    ? { ...(known.length > 0 && { citationMetadata: before.citationMetadata as unknown }) }
    : { citationMetadata: { ...(part.citationMetadata as object), citations: [...known, ...added] } }
}
