import { joinGeminiCalls } from '@touchstone/formats/messages'
import { readProviderUsage, toUsageMetadata, withServiceTier } from '@touchstone/formats/usage'
import { isObject, isRecord } from '../guards.ts'
import type { InvocationParamsSchema, KVMap } from '../schemas.ts'
import type { RunTreeConfig } from '../tracing/run-tree.ts'
import type { TraceableConfig } from '../tracing/traceable/types.ts'
import { extendList, toOwn } from './merge-deltas.ts'
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
  const calls = new CallIds()
  let loose: unknown[] = []
  const closeLoose = () => {
    if (loose.length > 0) messages.push(...toTurn('user', loose, calls))
    loose = []
  }
  for (const content of Array.isArray(contents) ? (contents as unknown[]) : [contents]) {
    if (!isObject(content) || !Array.isArray(content.parts)) {
      if (content != null) loose.push(content)
      continue
    }
    closeLoose()
    messages.push(...toTurn(content.role === 'model' ? 'assistant' : 'user', content.parts as unknown[], calls))
  }
  closeLoose()
  return messages
}

/** Ids for calls that have none: Gemini finds the call of a result by the name of its function. */
class CallIds {
  #made = 0
  readonly #open = new Map<unknown, string[]>()

  make(name: unknown): string {
    const id = `call_${this.#made++}`
    const open = this.#open.get(name) ?? []
    open.push(id)
    this.#open.set(name, open)
    return id
  }

  /** The first call of the function without a result. */
  take(name: unknown): string | undefined {
    return this.#open.get(name)?.shift()
  }
}

/** Results of tools are messages of their own. */
function toTurn(role: string, given: readonly unknown[], calls: CallIds): KVMap[] {
  const messages: KVMap[] = []
  let open: unknown[] = []
  const close = () => {
    if (open.length > 0) messages.push(...toMessage(role, open, calls))
    open = []
  }
  // Streamed arguments come in several parts.
  for (const part of joinGeminiCalls(given)) {
    if (role === 'user' && isObject(part) && isObject(part.functionResponse)) {
      close()
      messages.push(toResult(part, part.functionResponse, calls))
    } else open.push(part)
  }
  close()
  return messages
}

function toMessage(role: string, parts: readonly unknown[], ids: CallIds): KVMap[] {
  const calls = parts.flatMap((part) => (isObject(part) && isObject(part.functionCall) ? [toToolCall(part, ids)] : []))
  const blocks = parts.flatMap(toBlock)
  if (blocks.length === 0 && calls.length === 0) return []
  const isText = blocks.every((block) => block.type === 'text' && Object.keys(block).length === 2)
  const content = isText ? blocks.map(({ text }) => String(text)).join('') : blocks
  // Streams of calls have empty texts.
  return [
    {
      role,
      content: content === '' && calls.length > 0 ? null : content,
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ]
}

function toToolCall({ functionCall, ...rest }: KVMap, ids: CallIds): KVMap {
  const { id, name, args, ...others } = functionCall as KVMap
  const call = { name: name as unknown, arguments: JSON.stringify(args ?? {}) }
  return { id: (id ?? ids.make(name)) as string, type: 'function', function: call, ...others, ...removeEmpty(rest) }
}

/** Images and files of a result are beside its value. */
function toResult({ functionResponse: _, ...about }: KVMap, result: KVMap, ids: CallIds): KVMap {
  const { id = ids.take(result.name), name, response, parts, ...others } = result
  const value = response === undefined ? '' : JSON.stringify(response)
  const files = Array.isArray(parts) ? parts.flatMap(toBlock) : []
  return {
    role: 'tool',
    ...(id !== undefined && { tool_call_id: id as string }),
    name: name as unknown,
    content: files.length === 0 ? value : [...(value === '' ? [] : [{ type: 'text', text: value }]), ...files],
    ...others,
    ...removeEmpty(about),
  }
}

/** What a part has beside its content, such as its signature, stays in the block: Gemini takes it back. */
function toBlock(part: unknown): KVMap[] {
  if (typeof part === 'string') return [{ type: 'text', text: part }]
  if (!isObject(part) || isObject(part.functionCall)) return []
  const { text, thought, ...about } = part
  if (typeof text === 'string') {
    const block = thought === true ? { type: 'reasoning', reasoning: text } : { type: 'text', text }
    return [{ ...block, ...removeEmpty(about) }]
  }
  const { inlineData, ...rest } = part
  const url = isObject(inlineData) ? toImageUrl(inlineData) : undefined
  return [url === undefined ? { ...part } : { type: 'image_url', image_url: { url }, ...removeEmpty(rest) }]
}

/** Undefined for audio and the like, and for a file with a name. */
function toImageUrl({ mimeType, data, ...others }: KVMap): string | undefined {
  const isOnlyImage = String(mimeType).startsWith('image/') && Object.keys(removeEmpty(others)).length === 0
  return isOnlyImage ? `data:${String(mimeType)};base64,${String(data)}` : undefined
}

const removeEmpty = (fields: KVMap): KVMap =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))

/** The result is an instance of a class, which is recorded below `outputs`. */
function toOutputs(outputs: KVMap): KVMap {
  const response: KVMap = isObject(outputs.outputs) ? outputs.outputs : outputs
  const { candidates, usageMetadata, modelVersion, sdkHttpResponse: _, ...rest } = response
  // A prompt that was blocked has no candidates.
  if (!Array.isArray(candidates) && usageMetadata === undefined && rest.promptFeedback === undefined) return outputs
  const [first, ...others] = (Array.isArray(candidates) ? (candidates as KVMap[]) : []).map(toAnswer)
  const usage = isObject(usageMetadata) ? toUsage(usageMetadata) : undefined
  return {
    ...first,
    ...(others.length > 0 && { other_candidates: others }),
    ...(modelVersion !== undefined && { model: modelVersion as unknown }),
    ...toSnakeCase(rest),
    ...(usage && { usage_metadata: usage }),
  }
}

function toAnswer({ content, index: _, ...rest }: KVMap): KVMap {
  const parts: unknown[] = isObject(content) && Array.isArray(content.parts) ? content.parts : []
  const [message = { role: 'assistant', content: '' }] = toTurn('assistant', parts, new CallIds())
  return { ...message, ...toSnakeCase(rest) }
}

/** The members of an answer are named like those of its message. */
function toSnakeCase(fields: KVMap): KVMap {
  const entries = Object.entries(removeEmpty(fields))
  return Object.fromEntries(
    entries.map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  )
}

function toUsage(usage: KVMap): KVMap | undefined {
  const found = readProviderUsage(usage)
  return found && toUsageMetadata(withServiceTier(found, usage.trafficType ?? usage.serviceTier))
}

/** The pieces of a streamed answer as the answer that the API returns without streaming. */
function mergeResponses(pieces: readonly KVMap[]): KVMap {
  const candidates = new Map<number, MergedCandidate>()
  const whole: KVMap = {}
  for (const { candidates: parts, ...rest } of pieces) {
    // The last piece that has a member counts.
    Object.assign(whole, removeEmpty(rest))
    for (const [at, part] of (Array.isArray(parts) ? (parts as KVMap[]) : []).entries()) {
      const index = typeof part.index === 'number' ? part.index : at
      const candidate = candidates.get(index) ?? { about: {}, parts: [] }
      candidates.set(index, candidate)
      mergeCandidate(candidate, part)
    }
  }
  const sorted = [...candidates].sort(([a], [b]) => a - b)
  return {
    ...whole,
    candidates: sorted.map(([, { about, parts }]) => ({ ...about, content: { role: 'model', parts } })),
  }
}

interface MergedCandidate {
  readonly about: KVMap
  readonly parts: unknown[]
}

function mergeCandidate({ about, parts }: MergedCandidate, { content, ...rest }: KVMap): void {
  for (const part of isObject(content) && Array.isArray(content.parts) ? (content.parts as unknown[]) : []) {
    const joined = joinTexts(parts.at(-1), part)
    if (joined === undefined) parts.push(part)
    else parts[parts.length - 1] = joined
  }
  for (const [name, value] of Object.entries(removeEmpty(rest))) {
    const before = about[name]
    about[name] = isRecord(before) && isRecord(value) ? mergeMetadata(before, value) : value
  }
}

/** A text that comes in pieces is one part. One with a signature is complete: the signature may follow its text. */
function joinTexts(last: unknown, part: unknown): KVMap | undefined {
  if (!isObject(last) || !isObject(part) || typeof last.text !== 'string' || typeof part.text !== 'string') return
  if ((last.thought === true) !== (part.thought === true) || (last.thoughtSignature !== undefined && part.text !== ''))
    return
  return { ...last, ...part, text: last.text + part.text }
}

/** Lists in metadata of which each piece has those of its own text. */
const GROWING: ReadonlySet<string> = new Set(['citations', 'topCandidates', 'chosenCandidates'])

function mergeMetadata(before: KVMap, value: KVMap): KVMap {
  const merged = toOwn(before)
  for (const [name, part] of Object.entries(removeEmpty(value))) {
    const known = merged[name]
    const grows = GROWING.has(name) && Array.isArray(known) && Array.isArray(part)
    merged[name] = grows ? extendList(known, part) : part
  }
  return merged
}
