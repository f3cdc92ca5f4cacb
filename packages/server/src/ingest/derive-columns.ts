import { parseTime, THREAD_KEYS } from '@touchstone/contract'
import { Digits, parseExactJson } from '@touchstone/formats/exact-json'
import { asRecord, member } from '@touchstone/formats/guards'
import { findModelName, findProviderName, mentionsModelField } from '@touchstone/formats/models'
import { entryText, flattenJson, shorten } from '@touchstone/formats/outline-json'
import { METADATA_DEPTH } from '../storage/analytics/index-expressions.ts'
import { columnTime } from '../storage/analytics/sql.ts'
import { computeCost } from './compute-cost.ts'
import type { Draft, FindPrice } from './merge-run.ts'
import { toCostColumns } from './price-again.ts'
import { MAX_PARSED_LENGTH, type RawPayload } from './run-write.ts'
import type { StoredRun } from './stored-runs.ts'
import { readUsage, type Usage } from './usage.ts'

/** Columns that are derived from the sent fields. */
export type DerivedColumns = Pick<
  StoredRun,
  | 'first_token_time'
  | 'metadata'
  | 'thread_id'
  | 'inputs_preview'
  | 'outputs_preview'
  | 'model'
  | 'provider'
  | 'prompt_tokens'
  | 'completion_tokens'
  | 'total_tokens'
  | 'prompt_token_details'
  | 'completion_token_details'
  | 'prompt_cost'
  | 'completion_cost'
  | 'total_cost'
  | 'prompt_cost_details'
  | 'completion_cost_details'
  | 'price_model_id'
  | 'has_fees'
>

/**
 * Derives the columns that a run did not contain. Columns whose source did not change are copied from the stored row.
 */
export function deriveColumns(
  draft: Draft,
  stored: StoredRun | undefined,
  context: { tenantId: string; startTime: string; findPrice: FindPrice; threadKeys?: readonly string[] | undefined },
): DerivedColumns {
  const extra = draft.extra?.value
  const exact = parseLongIntegers(draft.extra) ?? extra
  const model = toName(readModel(draft, extra))
  const provider = toName(findProviderName(extra))
  return {
    first_token_time: firstTokenTime(draft, stored),
    metadata: [...toMetadataEntries(exact), ...listCutFields(draft, stored)],
    thread_id: readThreadId(exact, context.threadKeys),
    inputs_preview: preview(draft.inputs, stored?.inputs, stored?.inputs_preview),
    outputs_preview: preview(draft.outputs, stored?.outputs, stored?.outputs_preview),
    model: model ?? '',
    provider: provider ?? '',
    ...usageColumns(draft, extra, () =>
      model === undefined ? undefined : context.findPrice({ ...context, model, provider }),
    ),
  }
}

function preview(payload: RawPayload | undefined, storedText = '', storedPreview = ''): string {
  if (payload === undefined) return ''
  if (payload.text === storedText) return storedPreview
  return toPreview(payload.value, payload.text)
}

function firstTokenTime(draft: Draft, stored: StoredRun | undefined): string | null {
  if (draft.events === undefined) return null
  if (stored !== undefined && draft.events.text === stored.events) return stored.first_token_time
  const events = draft.events.value as readonly unknown[]
  const first = events.find((event) => member(event, 'name') === 'new_token')
  const time = parseTime(member(first, 'time'))
  return time === undefined ? null : columnTime(time)
}

/**
 * Values with all digits of integers that JavaScript would round: ids of other systems. Undefined where there is none, and for
 * a large payload, whose outline has them.
 */
function parseLongIntegers(payload: RawPayload | undefined): unknown {
  if (payload === undefined || payload.text.length > MAX_PARSED_LENGTH) return undefined
  return /\d{16}/.test(payload.text) ? parseExactJson(payload.text) : undefined
}

/** Computed here and not in the engine, which is slower for a block of hundreds of runs. */
function toMetadataEntries(extra: unknown): StoredRun['metadata'] {
  const metadata = member(extra, 'metadata')
  if (typeof metadata !== 'object' || metadata === null) return []
  return flattenJson(metadata, METADATA_DEPTH).map(({ key, value }) => ({
    key: key.toWellFormed(),
    value: entryText(value),
  }))
}

/** Names the fields of a run that are too large for all of their values to be found, so that a query can find the run. */
const CUT_KEY = 'touchstone_cut'

function listCutFields(draft: Draft, stored: StoredRun | undefined): StoredRun['metadata'] {
  const isCut = (field: 'inputs' | 'outputs' | 'extra') => {
    const payload = draft[field]
    if (payload === undefined || payload.text.length <= MAX_PARSED_LENGTH) return false
    // Only what changed is outlined again.
    if (field !== 'extra' && payload.text === stored?.[field]) return stored.metadata.some(isEntry(field))
    return payload.outline.isCut || (field === 'extra' && payload.outline.cutLists.has('metadata'))
  }
  const isEntry = (field: string) => (entry: { readonly key: string; readonly value: string }) =>
    entry.key === CUT_KEY && entry.value === entryText(field)
  return (['inputs', 'outputs', 'extra'] as const)
    .filter(isCut)
    .map((field) => ({ key: CUT_KEY, value: entryText(field) }))
}

function readThreadId(extra: unknown, keys: readonly string[] = THREAD_KEYS): string {
  const metadata = member(extra, 'metadata')
  for (const key of keys) {
    const value = member(metadata, key)
    const isNumber = typeof value === 'number' || value instanceof Digits
    if (isNumber || (typeof value === 'string' && value !== '')) return String(value).toWellFormed()
  }
  return ''
}

/** The name of the model; a call of a model may be recorded as its request, which names it. */
function readModel({ runType, inputs }: Draft, extra: unknown): string | undefined {
  const named = findModelName({ extra })
  if (named !== undefined || !isModelCall(runType)) return named
  if (inputs === undefined || !mentionsModelField(inputs.text)) return undefined
  return findModelName({ extra, inputs: inputs.value })
}

const toName = (text: string | undefined) => text?.slice(0, 300).toWellFormed()

type UsageColumns = Omit<
  DerivedColumns,
  'first_token_time' | 'metadata' | 'thread_id' | 'inputs_preview' | 'outputs_preview' | 'model' | 'provider'
>

const NO_USAGE: UsageColumns = {
  prompt_tokens: null,
  completion_tokens: null,
  total_tokens: null,
  prompt_token_details: {},
  completion_token_details: {},
  prompt_cost: null,
  completion_cost: null,
  total_cost: null,
  prompt_cost_details: {},
  completion_cost_details: {},
  price_model_id: null,
  has_fees: 0,
}

/** Tokens, and what an emitter reports as their cost, count for calls of models only; given costs count for every type. */
function usageColumns(draft: Draft, extra: unknown, findPrice: () => ReturnType<FindPrice>): UsageColumns {
  const reported = mentionsUsage(draft) ? readUsage(extra, draft.outputs?.value) : undefined
  if (reported === undefined) return NO_USAGE
  const usage = isModelCall(draft.runType) ? withWholePrompt(reported, draft.runType) : withoutTokens(reported)
  const cost = computeCost(usage, findPrice())
  return {
    prompt_tokens: usage.promptTokens ?? null,
    completion_tokens: usage.completionTokens ?? null,
    total_tokens: usage.totalTokens ?? null,
    prompt_token_details: usage.promptDetails,
    completion_token_details: usage.completionDetails,
    ...toCostColumns(cost),
    has_fees: isModelCall(draft.runType) && usage.hasFees ? 1 : 0,
  }
}

const isModelCall = (runType: string | undefined) => runType === 'llm' || runType === 'embedding'

/** Skips the search, and the parsing of a stored payload, where no field can contain usage or a reported cost. */
function mentionsUsage({ runType, extra, outputs }: Draft): boolean {
  const hasUsage = (text = '') => text.includes('usage') || text.includes('Usage')
  if (hasUsage(outputs?.text) || hasUsage(extra?.text) || (extra?.text.includes('reported_cost') ?? false)) return true
  return isModelCall(runType) && RESPONSE_TOKENS.some((word) => outputs?.text.includes(word) ?? false)
}

/** What the names of tokens in a response without usage have in common: `prompt_eval_count` of Ollama, `tokenCount` of others. */
const RESPONSE_TOKENS = ['eval_count', 'oken']

/** Embeddings of Voyage and of others have a total only, which is the prompt. */
function withWholePrompt(usage: Usage, runType: string | undefined): Usage {
  const isTotalOnly = usage.promptTokens === undefined && usage.completionTokens === undefined
  return isTotalOnly && runType === 'embedding' ? { ...usage, promptTokens: usage.totalTokens } : usage
}

function withoutTokens(usage: Usage): Usage {
  return {
    ...usage,
    reportedCost: undefined,
    promptTokens: undefined,
    completionTokens: undefined,
    totalTokens: undefined,
    promptDetails: {},
    completionDetails: {},
  }
}

/**
 * Returns one line of plain text by which a person recognizes a payload: the last message of a conversation, else the
 * only or best-named text, else the last item of a list, else the start of the compact JSON.
 *
 * @param value  the parsed payload
 * @param text   its JSON text, used when nothing better is found
 */
export function toPreview(value: unknown, text: string): string {
  const found = lastMessage(value) ?? namedText(value) ?? lastItem(value)
  return shorten(found ?? text)
}

const TEXT_KEYS = ['input', 'question', 'query', 'prompt', 'text', 'output', 'answer', 'outputs', 'content', 'result']

function namedText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  const record = asRecord(value)
  if (record === undefined) return undefined
  for (const key of TEXT_KEYS) {
    const named = member(record, key)
    if (typeof named === 'string' && named !== '') return named
  }
  const values = Object.values(record)
  const only = values.length === 1 ? values[0] : undefined
  return typeof only === 'string' && only !== '' ? only : undefined
}

/**
 * The last message of `output` or `input` (OpenAI Responses), or of `contents` (Gemini). Other programs have documents or the
 * history of a conversation there, beside the text that matters, so a named text goes first, and the output before the input.
 */
function lastItem(value: unknown): string | undefined {
  const items = ['output', 'input', 'contents'].map((key) => member(value, key)).find((list) => Array.isArray(list))
  return items === undefined ? undefined : textOfLast(items)
}

/**
 * Messages are in `messages`, in `choices`, in `generations`, in `candidates` (Gemini), or the payload is one message itself.
 */
function lastMessage(value: unknown): string | undefined {
  const messages = member(value, 'messages')
  if (Array.isArray(messages)) return textOfLast(messages)
  const choices = member(value, 'choices')
  if (Array.isArray(choices)) return readMessageText(member(choices[0], 'message'))
  const generations = member(value, 'generations')
  if (Array.isArray(generations)) return textOfGeneration(generations)
  const candidates = member(value, 'candidates')
  if (Array.isArray(candidates)) return readMessageText(member(candidates[0], 'content'))
  return readMessageText(value)
}

function textOfLast(messages: readonly unknown[]): string | undefined {
  const flat = messages.length === 1 && Array.isArray(messages[0]) ? (messages[0] as unknown[]) : messages
  const users = flat.filter((message) => isUser(message))
  // The last item can be one without a text: a tool call, or reasoning.
  return readMessageText(users.at(-1)) ?? readMessageText(flat.findLast((message) => readMessageText(message)))
}

function isUser(message: unknown): boolean {
  const role = member(message, 'role') ?? member(message, 'type')
  const ids = member(message, 'id')
  return role === 'user' || role === 'human' || (Array.isArray(ids) && ids.at(-1) === 'HumanMessage')
}

function textOfGeneration(generations: readonly unknown[]): string | undefined {
  const first: unknown = Array.isArray(generations[0]) ? generations[0][0] : generations[0]
  const text = member(first, 'text')
  return typeof text === 'string' && text !== '' ? text : readMessageText(member(first, 'message'))
}

/** Text of a message: its content, or the text parts of its content, or those of a serialized message. */
function readMessageText(message: unknown): string | undefined {
  const content = member(message, 'content') ?? member(message, 'parts') ?? member(member(message, 'kwargs'), 'content')
  if (typeof content === 'string' && content !== '') return content
  if (!Array.isArray(content)) return undefined
  const parts = content.map((part: unknown) => (typeof part === 'string' ? part : member(part, 'text')))
  const joined = parts.filter((part): part is string => typeof part === 'string').join(' ')
  return joined === '' ? undefined : joined
}
