import { asList, asRecord, member, memberAt } from '../json/guards.ts'
import { toCount } from './token-usage.ts'

/**
 * What a call is charged for beside its tokens, and how often: `{ web_searches: 2 }`. Prices are per token, so a computed cost does not
 * contain it.
 */
export type RequestFees = Readonly<Record<string, number>>

/** Numbers of the usage of a response: of Perplexity, and of xAI. */
const USAGE_FEES: Readonly<Record<string, string>> = {
  num_search_queries: 'web_searches',
  num_sources_used: 'search_sources',
  citation_tokens: 'citation_tokens',
}

/** Tools that Anthropic runs; fetching a page costs its tokens alone. */
const SERVER_TOOLS: Readonly<Record<string, string | undefined>> = {
  web_search_requests: 'web_searches',
  web_fetch_requests: undefined,
}

/** Items of a response for the tools that OpenAI runs, by type. The tokens of an image are not among those of the call. */
const ITEM_FEES: Readonly<Record<string, string>> = {
  web_search_call: 'web_searches',
  file_search_call: 'file_searches',
  code_interpreter_call: 'code_interpreter_calls',
  image_generation_call: 'generated_images',
}

const MAX_ITEMS = 1_000

/** Reads what a response was charged for beside its tokens. Empty for nearly every call. */
export function readRequestFees(extra: unknown, outputs: unknown): RequestFees {
  const fees: Record<string, number> = {}
  const add = (name: string, count: number | undefined) => {
    // The same calls may be in two places.
    if (count !== undefined && count > 0) fees[name] = Math.max(fees[name] ?? 0, count)
  }
  for (const response of listResponses(outputs)) {
    for (const key of ['usage', 'token_usage']) addUsage(member(response, key), add)
    addItems(response, add)
    addGrounding(response, add)
  }
  // Pydantic AI.
  add('web_searches', toCount(memberAt(extra, 'otel', 'attributes', 'gen_ai.usage.details.web_search_requests')))
  return fees
}

/** A response itself, inside an event of a stream, and as LangChain keeps it with a message. */
function listResponses(outputs: unknown): unknown[] {
  const batches = member(outputs, 'generations')
  const first = asList(batches)?.[0]
  const message = member(asList(first)?.[0] ?? first, 'message')
  const messages = [message, ...Object.values(asRecord(outputs) ?? {}).slice(0, 10)]
  const kept = messages.flatMap((one) => {
    const fields = asRecord(member(one, 'kwargs')) ?? one
    const metadata = member(fields, 'response_metadata')
    return metadata === undefined ? [] : [metadata, { output: memberAt(fields, 'additional_kwargs', 'tool_outputs') }]
  })
  return [outputs, member(outputs, 'response'), member(outputs, 'llm_output'), ...kept].filter((one) => one != null)
}

type Add = (name: string, count: number | undefined) => void

function addUsage(usage: unknown, add: Add): void {
  for (const [key, name] of Object.entries(USAGE_FEES)) add(name, toCount(member(usage, key)))
  const tools = Object.entries(asRecord(member(usage, 'server_tool_use')) ?? {})
  for (const [key, count] of tools) {
    const name = Object.hasOwn(SERVER_TOOLS, key) ? SERVER_TOOLS[key] : key
    if (name !== undefined) add(name, toCount(count))
  }
  // Perplexity charges for each request, by the size of what it searched.
  const isCharged = ['request_cost', 'tool_calls_cost'].some((key) => Number(memberAt(usage, 'cost', key)) > 0)
  if (isCharged || typeof member(usage, 'search_context_size') === 'string') add('requests', 1)
}

function addItems(response: unknown, add: Add): void {
  const counts = new Map<string, number>()
  const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const item of (asList(member(response, 'output')) ?? []).slice(0, MAX_ITEMS)) {
    const type = member(item, 'type')
    const action = memberAt(item, 'action', 'type')
    // Opening a page that a search found is free.
    const isFree = action !== undefined && action !== 'search'
    if (typeof type === 'string' && Object.hasOwn(ITEM_FEES, type) && !isFree) count(ITEM_FEES[type] as string)
  }
  for (const block of (asList(member(response, 'content')) ?? []).slice(0, MAX_ITEMS)) {
    if (member(block, 'type') === 'server_tool_use' && member(block, 'name') === 'web_search') count('web_searches')
  }
  for (const [name, number] of counts) add(name, number)
  // Models that search before each response, at OpenAI and OpenRouter.
  const cited = asList(memberAt(response, 'choices', '0', 'message', 'annotations')) ?? []
  if (cited.some((one) => member(one, 'type') === 'url_citation')) add('web_searches', 1)
}

function addGrounding(response: unknown, add: Add): void {
  const candidates = [response, ...(asList(member(response, 'candidates')) ?? []).slice(0, MAX_ITEMS)]
  const isGrounded = candidates.some((one) => {
    const grounding = asRecord(member(one, 'groundingMetadata') ?? member(one, 'grounding_metadata'))
    const lists = ['webSearchQueries', 'web_search_queries', 'groundingChunks', 'grounding_chunks']
    return lists.some((key) => (asList(member(grounding, key))?.length ?? 0) > 0)
  })
  if (isGrounded) add('grounded_requests', 1)
}
