/** Where a model runs, and the names under which price lists may know it. */
export interface ModelNames {
  /** Undefined when nothing tells it: then only prices that hold at every host apply. */
  readonly host: string | undefined
  /** Lower case. The first list has the name as it is, the next ones leave out the words that tell its version. */
  readonly levels: readonly (readonly string[])[]
}

/**
 * Hosts with prices of their own, by the words that clients have for them: `ls_provider`, `gen_ai.provider.name`, and the first
 * segment of a name (`groq/…`).
 */
const HOSTS: Readonly<Record<string, readonly string[]>> = {
  azure: [
    'azure_ai',
    'azure_openai',
    'azureopenai',
    'az.ai.openai',
    'az.ai.inference',
    'azure.ai.openai',
    'azure.ai.inference',
  ],
  bedrock: ['amazon_bedrock', 'aws_bedrock', 'aws.bedrock', 'bedrock_converse', 'bedrock_mantle'],
  cerebras: [],
  cloudflare: ['workers-ai', 'cloudflare_workers_ai'],
  dashscope: ['alibaba', 'tongyi', 'alibaba_cloud'],
  databricks: [],
  deepinfra: ['deep_infra'],
  deepseek: [],
  fireworks: ['fireworks_ai'],
  groq: [],
  meta: ['meta_llama'],
  minimax: [],
  mistral: ['mistralai', 'mistral_ai'],
  moonshot: ['moonshotai', 'moonshot_ai'],
  nebius: [],
  novita: ['novita_ai'],
  oci: ['oracle', 'oci_genai'],
  openrouter: ['open_router'],
  perplexity: [],
  sambanova: [],
  snowflake: ['cortex'],
  together: ['together_ai', 'togetherai'],
  vercel: ['vercel_ai_gateway', 'ai_gateway'],
  vertex: ['vertex_ai', 'vertexai', 'google_vertexai', 'google_vertex', 'gcp.vertex_ai', 'google_anthropic_vertex'],
  watsonx: ['ibm', 'ibm.watsonx.ai', 'watsonx_ai'],
  zai: ['z_ai', 'zhipu', 'zhipuai', 'zhipu_ai'],
  /** The machine of the user: no price list holds there. */
  local: [
    'ollama',
    'ollama_chat',
    'lmstudio',
    'lm_studio',
    'llamacpp',
    'llama.cpp',
    'llama_cpp',
    'vllm',
    'hosted_vllm',
    'gpt4all',
  ],
}

const HOST_BY_WORD: ReadonlyMap<string, string> = new Map(
  Object.entries(HOSTS).flatMap(([host, words]) => [host, ...words].map((word) => [toWord(word), host] as const)),
)

function toWord(provider: string): string {
  return provider.trim().toLowerCase().replaceAll(/[\s-]/g, '_')
}

export function findHost(provider: string): string | undefined {
  return HOST_BY_WORD.get(toWord(provider))
}

/**
 * First segments that OpenRouter and other resellers have for the maker of a model, who is not its host there:
 * `deepseek/deepseek-r1` costs something else at each of them.
 */
const MAKERS = new Set([
  'deepseek',
  'minimax',
  'mistral',
  'mistralai',
  'moonshotai',
  'meta_llama',
  'perplexity',
  'z_ai',
])

/** Names that only the maker of an open model uses, in its own API. */
const OWN_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^deepseek-(?:chat|reasoner)$/, 'deepseek'],
  [/^(?:moonshot-v1-|kimi-latest|kimi-thinking-preview)/, 'moonshot'],
  [/^(?:qwen-(?:max|plus|turbo|flash|coder-plus|vl-max|vl-plus)|qwen3-max|qwen3-coder-(?:plus|flash))/, 'dashscope'],
  [/^databricks-/, 'databricks'],
  [/^accounts\/fireworks\//, 'fireworks'],
]

const REGION = '(?:us-gov|us|eu|apac|au|jp|ca|sa|global)\\.'
const BEDROCK_ID = new RegExp(
  `^(${REGION})?(?:ai21|amazon|anthropic|cohere|deepseek|google|luma|meta|minimax|mistral|moonshot|moonshotai|nvidia|openai|qwen|stability|twelvelabs|writer|xai|zai)\\.(.+)$`,
)
/** `inference-profile` and `foundation-model` name the model; an application's own profile does not. */
const ARN = /^arn:aws[a-z-]*:bedrock:[^:]*:[^:]*:(?:foundation-model|inference-profile)\/(.+)$/

/** Variants of OpenRouter that change how a model is called. `:free` changes its price, so it stays. */
const VARIANT = /:(?:thinking|extended|nitro|floor|online|beta|exacto)$/
/** What tells one version of a model from another: a date, a number of Bedrock or Vertex, `latest`. */
const VERSIONS = [/-v\d+(?::\d+)?(?::\d+k)?$/, /@[a-z0-9-]+$/, /-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, /-(?:latest|00\d)$/]

/** Longer names are not matched: they are not model names, and matching takes time. */
export const MAX_MODEL_LENGTH = 500

/** Reads the name of a model as a run has it. */
export function readModelNames(model: string, provider: string | undefined): ModelNames {
  if (model.length > MAX_MODEL_LENGTH) return { host: undefined, levels: [] }
  const given = model.trim().toLowerCase()
  const [, ofArn] = ARN.exec(given.replace(/^bedrock\/(?:converse\/)?/, '')) ?? []
  const paths = eachPath(ofArn ?? given)
  const bedrock = ofArn !== undefined || paths.some((path) => BEDROCK_ID.test(path))
  const ownHost = OWN_NAMES.find(([pattern]) => paths.some((path) => pattern.test(path)))?.[1]
  return {
    host: findNamedHost(given, provider) ?? (bedrock ? 'bedrock' : ownHost),
    levels: toLevels(paths),
  }
}

function toLevels(paths: readonly string[]): string[][] {
  const shorter = paths.map(withoutVersions)
  const steps = Math.max(...shorter.map((one) => one.length))
  const levels = [paths, ...Array.from({ length: steps }, (_, step) => shorter.flatMap((one) => one[step] ?? []))]
  const seen = new Set<string>([''])
  return levels.map((level) =>
    level.flatMap((name) => [name, ...withOtherDots(name)]).filter((name) => !seen.has(name) && seen.add(name)),
  )
}

/** The provider of the run, or the first segment of the name where the provider is that of the client library. */
function findNamedHost(name: string, provider: string | undefined): string | undefined {
  const [segment = '', ...rest] = name.split('/')
  const ofName = rest.length > 0 && !MAKERS.has(toWord(segment)) ? findHost(segment) : undefined
  const isProxy = provider === undefined || ['openai', 'litellm', ''].includes(toWord(provider))
  return isProxy ? ofName : (findHost(provider) ?? ofName)
}

/** The name, and what remains of it without the segments of hosts before it. */
function eachPath(name: string): string[] {
  const segments = name.split('/')
  return segments.flatMap((_, start) => {
    const path = segments.slice(start).join('/')
    const [, region, model] = BEDROCK_ID.exec(path) ?? []
    return [path, ...(region ? [path.slice(region.length)] : []), ...(model ? [model] : [])]
  })
}

/** What remains without versions, one after the other; a fine-tuned model stays one. */
function withoutVersions(path: string): string[] {
  const [, tuned] = /^(ft:[^:]+):/.exec(path) ?? []
  const found: string[] = tuned ? [tuned] : []
  let rest = (tuned ?? path).replace(VARIANT, '')
  found.push(rest)
  for (const version of VERSIONS) {
    rest = rest.replace(version, '')
    found.push(rest)
  }
  const databricks = rest.replace(/^databricks-/, '')
  return databricks === rest ? found : [...found, databricks]
}

/** `claude-sonnet-4.5` is `claude-sonnet-4-5`, and `gpt-5-2` is `gpt-5.2`; Azure writes `gpt-35-turbo`. */
function withOtherDots(name: string): string[] {
  return [
    name.replaceAll(/(?<=\d)\.(?=\d)/g, '-'),
    name.replaceAll(/(?<=\D\d)-(?=\d(?!\d))/g, '.'),
    name.replace(/^gpt-35-/, 'gpt-3.5-'),
  ]
}
