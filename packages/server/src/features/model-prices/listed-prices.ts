import { createHash } from 'node:crypto'
import { MATCH_PATH_DEFAULT, type ModelPrice } from '@touchstone/contract'

/** US dollars per million tokens, as price lists print them. */
interface PerMillion {
  readonly input: string
  readonly output: string
  /** Prices of single classes of prompt tokens, e.g. `cache_read`. */
  readonly inputDetails?: Readonly<Record<string, string>>
  readonly outputDetails?: Readonly<Record<string, string>>
  /** First day on which it holds. */
  readonly since?: string
  /** Equals `ls_provider`, where the same model costs differently elsewhere. */
  readonly provider?: string
}

/** Hosts put their own words before the name of a model: `openai/`, `models/`, `us.anthropic.`. */
const ANY_HOST = '^(?:[a-z0-9_-]+[./])*'

/**
 * Prices of one price list.
 *
 * @param source  the list, and when it was read
 * @returns a function from a model's name, its pattern (without the host's prefix) and its price
 */
function priceList(source: string) {
  return (name: string, pattern: string, price: PerMillion): ModelPrice => {
    const match_pattern = `${ANY_HOST}${pattern}$`
    return {
      id: hashToId([match_pattern, price.provider ?? '', price.since ?? '']),
      name,
      match_pattern,
      match_path: MATCH_PATH_DEFAULT,
      provider: price.provider ?? null,
      start_time: price.since === undefined ? null : `${price.since}T00:00:00.000000Z`,
      prompt_cost: perToken(price.input),
      completion_cost: perToken(price.output),
      prompt_cost_details: eachPerToken(price.inputDetails),
      completion_cost_details: eachPerToken(price.outputDetails),
      built_in: true,
      source,
    }
  }
}

/** The same entry has the same id in every installation and version, so that overriding it survives an upgrade. */
export function hashToId(words: readonly string[]): string {
  const hex = createHash('sha256').update(words.join('\n')).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Whether an id is one of `hashToId`: all others have the version of a time. */
export const isBuiltInId = (id: string) => id[14] === '8' && id[19] === '8'

/** Moves the decimal point six places, exactly: `0.075` per million is `0.000000075` per token. */
export function perToken(perMillion: string): string {
  const [whole = '0', fraction = ''] = perMillion.split('.')
  const digits = whole.padStart(7, '0') + fraction
  const point = digits.length - fraction.length - 6
  const text = `${digits.slice(0, point)}.${digits.slice(point)}`
  return text.replace(/^0+(?=\d)/, '').replace(/(?:\.0*|(?<!0)0+)$/, '')
}

function eachPerToken(prices: Readonly<Record<string, string>> | undefined): Record<string, string> | null {
  return prices ? Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, perToken(price)])) : null
}

const openaiPrice = priceList('https://openai.com/api/pricing, as known in November 2025')
const DATED = '(-\\d{4}-\\d{2}-\\d{2})?'

const price = (input: string, output: string, cacheRead?: string, more: Partial<PerMillion> = {}): PerMillion => ({
  input,
  output,
  ...(cacheRead && { inputDetails: { cache_read: cacheRead } }),
  ...more,
})

const spoken = (input: string, output: string, audioInput: string, audioOutput: string, cacheRead?: string) => ({
  input,
  output,
  inputDetails: { audio: audioInput, ...(cacheRead && { cache_read: cacheRead }) },
  outputDetails: { audio: audioOutput },
})

const openai = [
  openaiPrice('gpt-5.1', `gpt-5\\.1(-chat-latest|-codex)?${DATED}`, price('1.25', '10', '0.125')),
  openaiPrice('gpt-5.1-codex-mini', `gpt-5\\.1-codex-mini${DATED}`, price('0.25', '2', '0.025')),
  openaiPrice('gpt-5', `gpt-5(-chat-latest|-codex)?${DATED}`, price('1.25', '10', '0.125')),
  openaiPrice('gpt-5-mini', `gpt-5-mini${DATED}`, price('0.25', '2', '0.025')),
  openaiPrice('gpt-5-nano', `gpt-5-nano${DATED}`, price('0.05', '0.4', '0.005')),
  openaiPrice('gpt-5-pro', `gpt-5-pro${DATED}`, price('15', '120')),
  openaiPrice('gpt-4.1', `gpt-4\\.1${DATED}`, price('2', '8', '0.5')),
  openaiPrice('gpt-4.1-mini', `gpt-4\\.1-mini${DATED}`, price('0.4', '1.6', '0.1')),
  openaiPrice('gpt-4.1-nano', `gpt-4\\.1-nano${DATED}`, price('0.1', '0.4', '0.025')),
  openaiPrice('gpt-4o', 'gpt-4o', price('5', '15')),
  openaiPrice('gpt-4o', 'gpt-4o', price('2.5', '10', '1.25', { since: '2024-10-02' })),
  openaiPrice('gpt-4o-2024-05-13', 'gpt-4o-2024-05-13', price('5', '15')),
  openaiPrice('gpt-4o', 'gpt-4o-2024-(08-06|11-20)', price('2.5', '10', '1.25')),
  openaiPrice('chatgpt-4o-latest', 'chatgpt-4o-latest', price('5', '15')),
  openaiPrice('gpt-4o-mini', `gpt-4o-mini${DATED}`, price('0.15', '0.6', '0.075')),
  openaiPrice('gpt-4o-search-preview', `gpt-4o-search-preview${DATED}`, price('2.5', '10')),
  openaiPrice('gpt-4o-mini-search-preview', `gpt-4o-mini-search-preview${DATED}`, price('0.15', '0.6')),
  openaiPrice('gpt-4o-audio-preview', `gpt-4o-audio-preview${DATED}`, spoken('2.5', '10', '40', '80')),
  openaiPrice('gpt-4o-mini-audio-preview', `gpt-4o-mini-audio-preview${DATED}`, spoken('0.15', '0.6', '10', '20')),
  openaiPrice('gpt-audio', `gpt-audio${DATED}`, spoken('2.5', '10', '32', '64')),
  openaiPrice('gpt-realtime', `gpt-realtime${DATED}`, spoken('4', '16', '32', '64', '0.4')),
  openaiPrice('gpt-4o-realtime-preview', `gpt-4o-realtime-preview${DATED}`, spoken('5', '20', '40', '80', '2.5')),
  openaiPrice(
    'gpt-4o-mini-realtime-preview',
    `gpt-4o-mini-realtime-preview${DATED}`,
    spoken('0.6', '2.4', '10', '20', '0.3'),
  ),
  openaiPrice('o1', `o1(-preview)?${DATED}`, price('15', '60', '7.5')),
  openaiPrice('o1-mini', `o1-mini${DATED}`, price('1.1', '4.4', '0.55')),
  openaiPrice('o1-pro', `o1-pro${DATED}`, price('150', '600')),
  openaiPrice('o3', `o3${DATED}`, price('10', '40', '2.5')),
  openaiPrice('o3', `o3${DATED}`, price('2', '8', '0.5', { since: '2025-06-10' })),
  openaiPrice('o3-pro', `o3-pro${DATED}`, price('20', '80')),
  openaiPrice('o3-mini', `o3-mini${DATED}`, price('1.1', '4.4', '0.55')),
  openaiPrice('o4-mini', `o4-mini${DATED}`, price('1.1', '4.4', '0.275')),
  openaiPrice('o3-deep-research', `o3-deep-research${DATED}`, price('10', '40', '2.5')),
  openaiPrice('o4-mini-deep-research', `o4-mini-deep-research${DATED}`, price('2', '8', '0.5')),
  openaiPrice('codex-mini-latest', 'codex-mini-latest', price('1.5', '6', '0.375')),
  openaiPrice('computer-use-preview', `computer-use-preview${DATED}`, price('3', '12')),
  openaiPrice(
    'gpt-4-turbo',
    'gpt-4(-turbo(-preview|-2024-04-09)?|-1106(-vision)?-preview|-0125-preview|-vision-preview)',
    price('10', '30'),
  ),
  openaiPrice('gpt-4', 'gpt-4(-0314|-0613)?', price('30', '60')),
  openaiPrice('gpt-4-32k', 'gpt-4-32k(-0314|-0613)?', price('60', '120')),
  openaiPrice('gpt-3.5-turbo', 'gpt-3\\.5-turbo(-0125)?', price('0.5', '1.5')),
  openaiPrice('gpt-3.5-turbo-1106', 'gpt-3\\.5-turbo-1106', price('1', '2')),
  openaiPrice('gpt-3.5-turbo-0613', 'gpt-3\\.5-turbo-(0301|0613|instruct(-0914)?)', price('1.5', '2')),
  openaiPrice('gpt-3.5-turbo-16k', 'gpt-3\\.5-turbo-16k(-0613)?', price('3', '4')),
  openaiPrice('davinci-002', 'davinci-002', price('2', '2')),
  openaiPrice('babbage-002', 'babbage-002', price('0.4', '0.4')),
  openaiPrice('text-embedding-3-small', 'text-embedding-3-small', price('0.02', '0')),
  openaiPrice('text-embedding-3-large', 'text-embedding-3-large', price('0.13', '0')),
  openaiPrice('text-embedding-ada-002', 'text-embedding-ada-002', price('0.1', '0')),
]

const together = priceList('https://www.together.ai/pricing, as known in November 2025')
const groq = priceList('https://groq.com/pricing, as known in November 2025')
const bedrock = priceList('https://aws.amazon.com/bedrock/pricing (us-east-1), as known in November 2025')

/** Hosts name the models of Meta differently; where two names agree, the provider decides. */
const meta = [
  together('Llama 4 Maverick (Together)', 'llama-4-maverick-17b-128e-instruct-fp8', { input: '0.27', output: '0.85' }),
  together('Llama 4 Scout (Together)', 'llama-4-scout-17b-16e-instruct', {
    input: '0.18',
    output: '0.59',
    provider: 'together',
  }),
  together('Llama 3.3 70B (Together)', 'llama-3\\.3-70b-instruct-turbo', { input: '0.88', output: '0.88' }),
  together('Llama 3.1 405B (Together)', '(meta-)?llama-3\\.1-405b-instruct-turbo', { input: '3.5', output: '3.5' }),
  together('Llama 3.1 70B (Together)', '(meta-)?llama-3\\.1-70b-instruct-turbo', { input: '0.88', output: '0.88' }),
  together('Llama 3.1 8B (Together)', '(meta-)?llama-3\\.1-8b-instruct-turbo', { input: '0.18', output: '0.18' }),
  together('Llama 3.2 3B (Together)', 'llama-3\\.2-3b-instruct-turbo', { input: '0.06', output: '0.06' }),
  groq('Llama 4 Maverick (Groq)', 'llama-4-maverick-17b-128e-instruct', {
    input: '0.2',
    output: '0.6',
    provider: 'groq',
  }),
  groq('Llama 4 Scout (Groq)', 'llama-4-scout-17b-16e-instruct', { input: '0.11', output: '0.34', provider: 'groq' }),
  groq('Llama 3.3 70B (Groq)', 'llama-3\\.3-70b-versatile', { input: '0.59', output: '0.79' }),
  groq('Llama 3.1 8B (Groq)', 'llama-3\\.1-8b-instant', { input: '0.05', output: '0.08' }),
  groq('Llama 3 70B (Groq)', 'llama3-70b-8192', { input: '0.59', output: '0.79' }),
  groq('Llama 3 8B (Groq)', 'llama3-8b-8192', { input: '0.05', output: '0.08' }),
  bedrock('Llama 4 Maverick (Bedrock)', 'llama4-maverick-17b-instruct-v1:0', { input: '0.24', output: '0.97' }),
  bedrock('Llama 4 Scout (Bedrock)', 'llama4-scout-17b-instruct-v1:0', { input: '0.17', output: '0.66' }),
  bedrock('Llama 3.3 70B (Bedrock)', 'llama3-3-70b-instruct-v1:0', { input: '0.72', output: '0.72' }),
  bedrock('Llama 3.2 90B (Bedrock)', 'llama3-2-90b-instruct-v1:0', { input: '0.72', output: '0.72' }),
  bedrock('Llama 3.2 11B (Bedrock)', 'llama3-2-11b-instruct-v1:0', { input: '0.16', output: '0.16' }),
  bedrock('Llama 3.2 3B (Bedrock)', 'llama3-2-3b-instruct-v1:0', { input: '0.15', output: '0.15' }),
  bedrock('Llama 3.2 1B (Bedrock)', 'llama3-2-1b-instruct-v1:0', { input: '0.1', output: '0.1' }),
  bedrock('Llama 3.1 405B (Bedrock)', 'llama3-1-405b-instruct-v1:0', { input: '2.4', output: '2.4' }),
  bedrock('Llama 3.1 70B (Bedrock)', 'llama3-1-70b-instruct-v1:0', { input: '0.72', output: '0.72' }),
  bedrock('Llama 3.1 8B (Bedrock)', 'llama3-1-8b-instruct-v1:0', { input: '0.22', output: '0.22' }),
  bedrock('Llama 3 70B (Bedrock)', 'llama3-70b-instruct-v1:0', { input: '2.65', output: '3.5' }),
  bedrock('Llama 3 8B (Bedrock)', 'llama3-8b-instruct-v1:0', { input: '0.3', output: '0.6' }),
]

const googlePrice = priceList('https://ai.google.dev/pricing, as known in November 2025')
const VERSION = '(-latest|-\\d{3}|-exp(-\\d{2}-\\d{2})?|-preview(-\\d{2}-\\d{2,4})?)?'

const google = [
  googlePrice('gemini-3-pro', `gemini-3-pro${VERSION}`, {
    input: '2',
    output: '12',
    inputDetails: { cache_read: '0.2', over_200k: '4', cache_read_over_200k: '0.4' },
    outputDetails: { over_200k: '18' },
  }),
  googlePrice('gemini-3-flash', `gemini-3-flash${VERSION}`, {
    input: '0.5',
    output: '3',
    inputDetails: { cache_read: '0.05', audio: '1' },
  }),
  googlePrice('gemini-2.5-pro', `gemini-2\\.5-pro${VERSION}`, {
    input: '1.25',
    output: '10',
    inputDetails: { cache_read: '0.125', over_200k: '2.5', cache_read_over_200k: '0.25' },
    outputDetails: { over_200k: '15' },
  }),
  googlePrice('gemini-2.5-flash', `gemini-2\\.5-flash${VERSION}`, {
    input: '0.3',
    output: '2.5',
    inputDetails: { cache_read: '0.03', audio: '1' },
  }),
  googlePrice('gemini-2.5-flash-lite', `gemini-2\\.5-flash-lite${VERSION}`, {
    input: '0.1',
    output: '0.4',
    inputDetails: { cache_read: '0.01', audio: '0.3' },
  }),
  googlePrice('gemini-2.0-flash', `gemini-2\\.0-flash${VERSION}`, {
    input: '0.1',
    output: '0.4',
    inputDetails: { cache_read: '0.025', audio: '0.7' },
  }),
  googlePrice('gemini-2.0-flash-lite', `gemini-2\\.0-flash-lite${VERSION}`, { input: '0.075', output: '0.3' }),
  googlePrice('gemini-1.5-pro', `gemini-1\\.5-pro${VERSION}`, {
    input: '1.25',
    output: '5',
    inputDetails: { cache_read: '0.3125' },
  }),
  googlePrice('gemini-1.5-flash', `gemini-1\\.5-flash${VERSION}`, {
    input: '0.075',
    output: '0.3',
    inputDetails: { cache_read: '0.01875' },
  }),
  googlePrice('gemini-1.5-flash-8b', `gemini-1\\.5-flash-8b${VERSION}`, {
    input: '0.0375',
    output: '0.15',
    inputDetails: { cache_read: '0.01' },
  }),
  googlePrice('gemini-1.0-pro', `gemini-(1\\.0-)?pro${VERSION}`, { input: '0.5', output: '1.5' }),
  googlePrice('gemini-embedding-001', 'gemini-embedding-001', { input: '0.15', output: '0' }),
]

const coherePrice = priceList('https://cohere.com/pricing, as known in November 2025')

const cohere = [
  coherePrice('command-a', 'command-a(-03-2025)?', { input: '2.5', output: '10' }),
  coherePrice('command-r-plus', 'command-r-plus-08-2024', { input: '2.5', output: '10' }),
  coherePrice('command-r-plus', 'command-r-plus(-04-2024|-v1:0)?', { input: '3', output: '15' }),
  coherePrice('command-r', 'command-r-08-2024', { input: '0.15', output: '0.6' }),
  coherePrice('command-r', 'command-r(-03-2024|-v1:0)?', { input: '0.5', output: '1.5' }),
  coherePrice('command-r7b', 'command-r7b-12-2024', { input: '0.0375', output: '0.15' }),
  coherePrice('command', 'command', { input: '1', output: '2' }),
  coherePrice('command-light', 'command-light', { input: '0.3', output: '0.6' }),
  coherePrice('embed-v4.0', 'embed-v4\\.0', { input: '0.12', output: '0' }),
  coherePrice('embed-v3.0', 'embed-(english|multilingual)(-light)?-v3\\.0', { input: '0.1', output: '0' }),
]

const mistralPrice = priceList('https://mistral.ai/pricing, as known in November 2025')
const MISTRAL_VERSION = '(-latest|-\\d{4})?'

const mistral = [
  mistralPrice('mistral-large', `(mistral|pixtral)-large${MISTRAL_VERSION}`, { input: '2', output: '6' }),
  mistralPrice('mistral-medium', `mistral-medium${MISTRAL_VERSION}`, { input: '0.4', output: '2' }),
  mistralPrice('mistral-small', `mistral-small${MISTRAL_VERSION}`, { input: '0.1', output: '0.3' }),
  mistralPrice('mistral-saba', `mistral-saba${MISTRAL_VERSION}`, { input: '0.2', output: '0.6' }),
  mistralPrice('magistral-medium', `magistral-medium${MISTRAL_VERSION}`, { input: '2', output: '5' }),
  mistralPrice('magistral-small', `magistral-small${MISTRAL_VERSION}`, { input: '0.5', output: '1.5' }),
  mistralPrice('codestral', `codestral${MISTRAL_VERSION}`, { input: '0.3', output: '0.9' }),
  mistralPrice('devstral-medium', `devstral-medium${MISTRAL_VERSION}`, { input: '0.4', output: '2' }),
  mistralPrice('devstral-small', `devstral-small${MISTRAL_VERSION}`, { input: '0.1', output: '0.3' }),
  mistralPrice('ministral-8b', `ministral-8b${MISTRAL_VERSION}`, { input: '0.1', output: '0.1' }),
  mistralPrice('ministral-3b', `ministral-3b${MISTRAL_VERSION}`, { input: '0.04', output: '0.04' }),
  mistralPrice('pixtral-12b', `pixtral-12b${MISTRAL_VERSION}`, { input: '0.15', output: '0.15' }),
  mistralPrice('open-mistral-nemo', `open-mistral-nemo${MISTRAL_VERSION}`, { input: '0.15', output: '0.15' }),
  mistralPrice('open-mistral-7b', 'open-mistral-7b', { input: '0.25', output: '0.25' }),
  mistralPrice('open-mixtral-8x7b', 'open-mixtral-8x7b', { input: '0.7', output: '0.7' }),
  mistralPrice('open-mixtral-8x22b', 'open-mixtral-8x22b', { input: '2', output: '6' }),
  mistralPrice('mistral-embed', 'mistral-embed', { input: '0.1', output: '0' }),
  mistralPrice('codestral-embed', 'codestral-embed', { input: '0.15', output: '0' }),
]

const anthropicPrice = priceList('https://www.anthropic.com/pricing, as known in November 2025')

/** `-20241022`, `-latest`, `@20241022` on Vertex, `-20241022-v2:0` on Bedrock. */
const ANTHROPIC_VERSION = '(-latest|[-@]\\d{8})?(-v\\d+)?(:\\d+)?'

/** Reading the cache costs a tenth of the input, writing it a quarter more (5 minutes) or twice as much (1 hour). */
function anthropicCost(input: string, output: string, read: string, write5m: string, write1h: string): PerMillion {
  const inputDetails = {
    cache_read: read,
    cache_creation: write5m,
    ephemeral_5m_input_tokens: write5m,
    ephemeral_1h_input_tokens: write1h,
    ephemeral_1hr_input_tokens: write1h,
  }
  return { input, output, inputDetails }
}

/** Prompts above 200,000 tokens cost twice as much, their output half as much again. */
const longSonnet: PerMillion = {
  ...anthropicCost('3', '15', '0.3', '3.75', '6'),
  inputDetails: {
    ...anthropicCost('3', '15', '0.3', '3.75', '6').inputDetails,
    over_200k: '6',
    cache_read_over_200k: '0.6',
    cache_creation_over_200k: '7.5',
    ephemeral_1h_input_tokens_over_200k: '12',
  },
  outputDetails: { over_200k: '22.5' },
}
const opus = anthropicCost('15', '75', '1.5', '18.75', '30')
const sonnet = anthropicCost('3', '15', '0.3', '3.75', '6')

const anthropic = [
  anthropicPrice(
    'claude-opus-4-5',
    `claude-opus-4-5${ANTHROPIC_VERSION}`,
    anthropicCost('5', '25', '0.5', '6.25', '10'),
  ),
  anthropicPrice('claude-opus-4-1', `claude-opus-4-1${ANTHROPIC_VERSION}`, opus),
  anthropicPrice('claude-opus-4', `claude-(opus-4(-0)?|4-opus)${ANTHROPIC_VERSION}`, opus),
  anthropicPrice('claude-sonnet-4-5', `claude-sonnet-4-5${ANTHROPIC_VERSION}`, longSonnet),
  anthropicPrice('claude-sonnet-4', `claude-(sonnet-4(-0)?|4-sonnet)${ANTHROPIC_VERSION}`, longSonnet),
  anthropicPrice(
    'claude-haiku-4-5',
    `claude-haiku-4-5${ANTHROPIC_VERSION}`,
    anthropicCost('1', '5', '0.1', '1.25', '2'),
  ),
  anthropicPrice('claude-3-7-sonnet', `claude-3-7-sonnet${ANTHROPIC_VERSION}`, sonnet),
  anthropicPrice('claude-3-5-sonnet', `claude-3-5-sonnet(-v2)?${ANTHROPIC_VERSION}`, sonnet),
  anthropicPrice(
    'claude-3-5-haiku',
    `claude-3-5-haiku${ANTHROPIC_VERSION}`,
    anthropicCost('0.8', '4', '0.08', '1', '1.6'),
  ),
  anthropicPrice('claude-3-opus', `claude-3-opus${ANTHROPIC_VERSION}`, opus),
  anthropicPrice('claude-3-sonnet', `claude-3-sonnet${ANTHROPIC_VERSION}`, sonnet),
  anthropicPrice(
    'claude-3-haiku',
    `claude-3-haiku${ANTHROPIC_VERSION}`,
    anthropicCost('0.25', '1.25', '0.03', '0.3', '0.5'),
  ),
  anthropicPrice('claude-2', 'claude-(2(\\.[01])?|v2(:[12])?)', { input: '8', output: '24' }),
  anthropicPrice('claude-instant', 'claude-instant(-1(\\.[0-2])?|-v1)?', { input: '0.8', output: '2.4' }),
]

/** Prices that were read from the providers' own lists. They have what the generated table lacks: retired models and former prices. */
export const listedPrices: readonly ModelPrice[] = [...openai, ...anthropic, ...google, ...mistral, ...meta, ...cohere]
