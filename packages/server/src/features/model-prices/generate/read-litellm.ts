import { PRICE_LISTS } from '../generated-prices.ts'

/** One line of the table: amounts are US dollars per million tokens. */
export interface TableLine {
  readonly key: string
  readonly list: string
  readonly prompt: string
  readonly completion: string
  readonly promptClasses: Readonly<Record<string, string>>
  readonly completionClasses: Readonly<Record<string, string>>
}

type Model = Readonly<Record<string, unknown>>

interface Source {
  readonly list: string
  /** Names that are taken; all without it. */
  readonly only?: RegExp
}

/**
 * The lists of LiteLLM's providers, in the order in which the first one counts. A maker that sells its models in one place, or
 * at one price, has a list for every host; open models cost something else at each host.
 */
const SOURCES: Readonly<Record<string, readonly Source[]>> = {
  openai: [{ list: 'openai' }],
  'text-completion-openai': [{ list: 'openai' }],
  anthropic: [{ list: 'anthropic' }],
  gemini: [{ list: 'google', only: /^(gemini|deep-research|text-embedding|imagen)-(?!gemma)/ }],
  'vertex_ai-language-models': [{ list: 'vertex' }, { list: 'google', only: /^gemini-/ }],
  'vertex_ai-embedding-models': [{ list: 'google', only: /^(text-embedding|text-multilingual|gemini)-/ }],
  mistral: [
    { list: 'mistral', only: /^(mistral|codestral|magistral|devstral|ministral|pixtral|voxtral)-/ },
    { list: 'mistral-api' },
  ],
  cohere: [{ list: 'cohere', only: /^(embed|rerank|command)-/ }],
  cohere_chat: [{ list: 'cohere', only: /^command-/ }],
  xai: [{ list: 'xai' }],
  voyage: [{ list: 'voyage', only: /^(voyage|rerank)-/ }],
  ai21: [{ list: 'ai21', only: /^(jamba|j2)-/ }],
  amazon_nova: [{ list: 'nova' }],
  perplexity: [{ list: 'sonar', only: /^sonar/ }, { list: 'perplexity' }],
  azure: [{ list: 'azure' }],
  azure_ai: [{ list: 'azure' }],
  bedrock: [{ list: 'bedrock' }],
  bedrock_converse: [{ list: 'bedrock' }],
  bedrock_mantle: [{ list: 'bedrock' }],
  cerebras: [{ list: 'cerebras' }],
  dashscope: [{ list: 'dashscope' }],
  databricks: [{ list: 'databricks' }],
  deepinfra: [{ list: 'deepinfra' }],
  deepseek: [{ list: 'deepseek' }],
  fireworks_ai: [{ list: 'fireworks' }],
  'fireworks_ai-embedding-models': [{ list: 'fireworks' }],
  groq: [{ list: 'groq' }],
  meta: [{ list: 'meta' }],
  minimax: [{ list: 'minimax' }],
  moonshot: [{ list: 'moonshot' }],
  nebius: [{ list: 'nebius' }],
  novita: [{ list: 'novita' }],
  oci: [{ list: 'oci' }],
  sambanova: [{ list: 'sambanova' }],
  snowflake: [{ list: 'snowflake' }],
  together_ai: [{ list: 'together' }],
  vercel_ai_gateway: [{ list: 'vercel' }],
  vertex_ai: [{ list: 'vertex' }],
  'vertex_ai-anthropic_models': [{ list: 'vertex' }],
  'vertex_ai-llama_models': [{ list: 'vertex' }],
  'vertex_ai-mistral_models': [{ list: 'vertex' }],
  'vertex_ai-deepseek_models': [{ list: 'vertex' }],
  'vertex_ai-qwen_models': [{ list: 'vertex' }],
  'vertex_ai-zai_models': [{ list: 'vertex' }],
  'vertex_ai-openai_models': [{ list: 'vertex' }],
  'vertex_ai-ai21_models': [{ list: 'vertex' }],
  'vertex_ai-minimax_models': [{ list: 'vertex' }],
  'vertex_ai-moonshot_models': [{ list: 'vertex' }],
  watsonx: [{ list: 'watsonx' }],
  zai: [{ list: 'zai' }],
}

const PREFIXES = new RegExp(
  `^(?:${Object.keys(SOURCES)
    .concat('amazon-nova')
    .sort((one, other) => other.length - one.length)
    .join('|')})/`,
)
/** A region, a commitment or the size of a picture before the name: the price is not that of the model as programs call it. */
const NOT_A_MODEL =
  /^(?:[a-z]{2}(?:-gov)?-[a-z]+-\d|us-gov-|\d+-month|\*)|-x-|^(?:standard|hd|low|medium|high)\/|^(?:fireworks|together)-ai-|^claude_platform\//

/** Reads the models with prices per token. Free ones are left out: in the table a zero often stands for an unknown price. */
export function readLitellm(table: Readonly<Record<string, Model>>): TableLine[] {
  const lines = new Map<string, TableLine>()
  for (const [name, entry] of Object.entries(table)) {
    const model = typeof entry.alias_of === 'string' ? table[entry.alias_of] : entry
    const provider = String(model?.litellm_provider)
    const key = name.toLowerCase().replace(PREFIXES, '')
    const source = SOURCES[provider]?.find(({ only }) => only?.test(key) ?? true)
    if (model === undefined || source === undefined || NOT_A_MODEL.test(key) || /[|,=\s]/.test(key)) continue
    const prices = readPrices(model)
    if (prices === undefined) continue
    const id = `${key}|${PRICE_LISTS[source.list]?.host ?? ''}`
    if (!lines.has(id)) lines.set(id, { key, list: source.list, ...prices })
  }
  return [...lines.values(), ...addUndatedTunes([...lines.values()])]
}

/** Fine-tuned models are named without a date too: their price is known when all versions cost the same. */
function addUndatedTunes(lines: readonly TableLine[]): TableLine[] {
  const tunes = new Map<string, TableLine[]>()
  for (const line of lines) {
    if (!line.key.startsWith('ft:')) continue
    const undated = line.key.replace(/-(\d{4}-\d{2}-\d{2}|\d{4})$/, '')
    tunes.set(undated, [...(tunes.get(undated) ?? []), line])
  }
  return [...tunes].flatMap(([key, versions]) => {
    const [first] = versions
    const known = versions.some((one) => one.key === key)
    const isOne = new Set(versions.map((one) => JSON.stringify({ ...one, key }))).size === 1
    return first && !known && isOne ? [{ ...first, key }] : []
  })
}

function readPrices(model: Model): Omit<TableLine, 'key' | 'list'> | undefined {
  const prompt: Record<string, string> = {}
  const completion: Record<string, string> = {}
  for (const [field, amount] of [...eachRange(model), ...Object.entries(model)]) {
    const found = readField(field)
    if (found === undefined || typeof amount !== 'number') continue
    const side = found.side === 'prompt' ? prompt : completion
    side[found.name] ??= perMillion(amount)
  }
  const { '': input, ...promptClasses } = prompt
  const { '': text, ...completionClasses } = completion
  // Models that draw or speak have no price of written output.
  const output =
    text ?? completion.image ?? completion.audio ?? (WITHOUT_OUTPUT.has(String(model.mode)) ? '0' : undefined)
  if (input === undefined || output === undefined) return undefined
  if (Number(input) === 0 && Number(output) === 0) return undefined
  return {
    prompt: input,
    completion: output,
    promptClasses: withoutRepetition(promptClasses, input),
    completionClasses: withoutRepetition(completionClasses, output),
  }
}

const WITHOUT_OUTPUT = new Set(['embedding', 'rerank', 'moderation'])

/** A class at the price of all tokens need not be named where no tier changes it. */
function withoutRepetition(classes: Readonly<Record<string, string>>, base: string): Record<string, string> {
  return Object.fromEntries(Object.entries(classes).filter(([name, amount]) => name !== 'reasoning' || amount !== base))
}

/** `tiered_pricing` names ranges of prompt tokens; the first one is the base. */
function* eachRange(model: Model): Generator<[string, unknown]> {
  if (!Array.isArray(model.tiered_pricing)) return
  for (const tier of model.tiered_pricing as Model[]) {
    const [from = 0] = Array.isArray(tier.range) ? (tier.range as number[]) : []
    for (const [field, amount] of Object.entries(tier)) {
      yield [from === 0 ? field : `${field}_above_${Math.round(from / 1000)}k_tokens`, amount]
    }
  }
}

const FIELD =
  /^(input|output|cache_read_input|cache_creation_input)_(?:cost_per_(?:(audio|image|video|reasoning)_)?token|(?:(audio|image)_)?token_cost)(_cache_hit)?(_above_1hr)?(?:_above_(\d+)k_tokens)?(?:_(batches|flex|priority|balanced|ultrafast))?$/

/** The class of tokens that a field of LiteLLM has the price of. */
function readField(field: string): { side: 'prompt' | 'completion'; name: string } | undefined {
  const [, what, modality, cachedModality, hit, hour, over, tier = ''] = FIELD.exec(field) ?? []
  if (what === undefined) return undefined
  const kind = hit ? 'cache_read' : (KINDS[what] ?? '')
  const words = [
    tier === 'batches' ? 'batch' : tier,
    hour ? 'ephemeral_1h_input_tokens' : kind,
    modality ?? cachedModality ?? '',
    over ? `over_${over}k` : '',
  ]
  return { side: what === 'output' ? 'completion' : 'prompt', name: words.filter((word) => word !== '').join('_') }
}

const KINDS: Readonly<Record<string, string>> = {
  cache_read_input: 'cache_read',
  cache_creation_input: 'cache_creation',
}

/** The table has rounded doubles: `7.000000000000001e-07` is 0.7 dollars per million. */
function perMillion(perToken: number): string {
  return (perToken * 1e6).toFixed(9).replace(/\.?0+$/, '')
}
