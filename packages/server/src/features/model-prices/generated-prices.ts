import { MATCH_PATH_DEFAULT, type ModelPrice } from '@touchstone/contract'
import { hashToId, perToken } from './listed-prices.ts'
import { LITELLM_PRICES } from './litellm-prices.gen.ts'

/** A price of the generated table. */
export interface GeneratedPrice {
  /** Made when it is first read: a server uses a few of the two thousand. */
  readonly price: ModelPrice
  /** The name of the model without its host, lower case. */
  readonly key: string
  /** Where it holds; undefined for every host. */
  readonly host: string | undefined
  /** The start of the id of the listed price that holds for this model as well; this one is more exact. */
  readonly listed: string
}

/** Whose prices the table has, and where they publish them. Prices of a host hold for runs of this host only. */
export const PRICE_LISTS: Readonly<Record<string, { readonly url: string; readonly host?: string }>> = {
  openai: { url: 'https://developers.openai.com/api/docs/pricing' },
  anthropic: { url: 'https://platform.claude.com/docs/en/about-claude/pricing' },
  google: { url: 'https://ai.google.dev/gemini-api/docs/pricing' },
  mistral: { url: 'https://mistral.ai/pricing' },
  cohere: { url: 'https://cohere.com/pricing' },
  xai: { url: 'https://docs.x.ai/docs/models' },
  ai21: { url: 'https://www.ai21.com/pricing' },
  voyage: { url: 'https://docs.voyageai.com/docs/pricing' },
  sonar: { url: 'https://docs.perplexity.ai/getting-started/pricing' },
  nova: { url: 'https://aws.amazon.com/nova/pricing' },
  azure: { url: 'https://azure.microsoft.com/pricing/details/cognitive-services/openai-service', host: 'azure' },
  bedrock: { url: 'https://aws.amazon.com/bedrock/pricing', host: 'bedrock' },
  cerebras: { url: 'https://www.cerebras.ai/pricing', host: 'cerebras' },
  dashscope: { url: 'https://www.alibabacloud.com/help/en/model-studio/models', host: 'dashscope' },
  databricks: { url: 'https://www.databricks.com/product/pricing/foundation-model-serving', host: 'databricks' },
  deepinfra: { url: 'https://deepinfra.com/pricing', host: 'deepinfra' },
  deepseek: { url: 'https://api-docs.deepseek.com/quick_start/pricing', host: 'deepseek' },
  fireworks: { url: 'https://fireworks.ai/pricing', host: 'fireworks' },
  groq: { url: 'https://groq.com/pricing', host: 'groq' },
  meta: { url: 'https://llama.developer.meta.com/docs/pricing', host: 'meta' },
  minimax: { url: 'https://platform.minimax.io/docs/pricing', host: 'minimax' },
  'mistral-api': { url: 'https://mistral.ai/pricing', host: 'mistral' },
  moonshot: { url: 'https://platform.moonshot.ai/docs/pricing', host: 'moonshot' },
  nebius: { url: 'https://nebius.com/token-factory/prices', host: 'nebius' },
  novita: { url: 'https://novita.ai/pricing', host: 'novita' },
  oci: { url: 'https://www.oracle.com/artificial-intelligence/generative-ai/pricing', host: 'oci' },
  perplexity: { url: 'https://docs.perplexity.ai/getting-started/pricing', host: 'perplexity' },
  sambanova: { url: 'https://cloud.sambanova.ai/pricing', host: 'sambanova' },
  snowflake: { url: 'https://www.snowflake.com/legal-files/CreditConsumptionTable.pdf', host: 'snowflake' },
  together: { url: 'https://www.together.ai/pricing', host: 'together' },
  vercel: { url: 'https://vercel.com/ai-gateway/models', host: 'vercel' },
  vertex: { url: 'https://cloud.google.com/vertex-ai/generative-ai/pricing', host: 'vertex' },
  watsonx: { url: 'https://www.ibm.com/products/watsonx-ai/pricing', host: 'watsonx' },
  zai: { url: 'https://docs.z.ai/guides/overview/pricing', host: 'zai' },
}

/** Reads the lines of the table; `scripts/write-prices.mjs` describes them. */
export function readGeneratedPrices(table = LITELLM_PRICES): GeneratedPrice[] {
  let read = ''
  return table.split('\n').flatMap((line) => {
    if (line.startsWith('# ')) read = line.slice(2)
    return line === '' || line.startsWith('# ') ? [] : [readLine(line, read)]
  })
}

function readLine(line: string, read: string): GeneratedPrice {
  const [key = '', list = '', , listed = ''] = line.split('|', 4)
  let price: ModelPrice | undefined
  return {
    key,
    host: PRICE_LISTS[list]?.host,
    listed,
    get price() {
      price ??= readPrice(line, read)
      return price
    },
  }
}

function readPrice(line: string, read: string): ModelPrice {
  const [key = '', list = '', since = '', , prompt = '', completion = '', ...classes] = line.split('|')
  const { url, host } = PRICE_LISTS[list] ?? { url: '' }
  return {
    id: hashToId(['litellm', key, list, since]),
    name: key,
    match_pattern: `^(?:[a-z0-9_-]+[./])*${key.replaceAll(/[.+*?()[\]{}^$\\]/g, '\\$&')}$`,
    match_path: MATCH_PATH_DEFAULT,
    provider: host ?? null,
    start_time: since === '' ? null : `${since}T00:00:00.000000Z`,
    prompt_cost: perToken(prompt),
    completion_cost: perToken(completion),
    prompt_cost_details: readClasses(classes[0]),
    completion_cost_details: readClasses(classes[1]),
    built_in: true,
    source: `${url}, by LiteLLM ${read}`,
  }
}

function readClasses(text = ''): Record<string, string> | null {
  if (text === '') return null
  return Object.fromEntries(
    text.split(',').map((one) => {
      const [name = '', amount = ''] = one.split('=')
      return [name, perToken(amount)]
    }),
  )
}
