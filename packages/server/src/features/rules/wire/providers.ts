import type { ModelProviderKind } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { ModelProviderRow } from '../../../storage/relational/tables/model-providers.ts'
import { selectProviders } from '../../model-providers/index.ts'
import { unprocessable } from './problems.ts'

export interface WantedModel {
  /** As providers are called in traces, e.g. `openai`. @default any */
  readonly provider?: string | undefined
  readonly model?: string | undefined
  /** Only a provider with this URL. */
  readonly baseUrl?: string | undefined
  /** Whether the only provider of the workspace is taken when none fits. */
  readonly isStrict?: boolean
}

/** Formats that a provider is spoken to in. */
const KINDS: Readonly<Record<string, readonly ModelProviderKind[]>> = {
  openai: ['openai-chat', 'openai-responses'],
  anthropic: ['anthropic-messages'],
  google_genai: ['gemini'],
}

/** Classes of chat models of LangChain. */
const CLASSES: Readonly<Record<string, string>> = {
  ChatOpenAI: 'openai',
  ChatAnthropic: 'anthropic',
  ChatGoogleGenerativeAI: 'google_genai',
  ChatMistralAI: 'mistralai',
  ChatGroq: 'groq',
  ChatDeepSeek: 'deepseek',
  ChatXAI: 'xai',
  ChatOllama: 'ollama',
}

/** The provider of a class; of one that is not known, its name without `Chat`. */
export const toProviderName = (className: string): string =>
  CLASSES[className] ?? className.replace(/^(Azure)?Chat/, '').toLowerCase()

/** The class of a provider, and the path that LangChain gives it. */
export function toClass(provider: string | null): { readonly path: string; readonly name: string } {
  const found = Object.entries(CLASSES).find(([, name]) => name === provider)
  return { path: found?.[1] ?? 'openai', name: found?.[0] ?? 'ChatOpenAI' }
}

/** The provider and the model that a judge of a public client is run with. @throws ApiError UNPROCESSABLE names what to add */
export async function resolveModel(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  { provider, model, baseUrl, isStrict = false }: WantedModel,
  path: readonly (string | number)[],
): Promise<{ readonly provider_id: string; readonly model: string }> {
  const all = await selectProviders(relational.db, tenantId)
  const fitting = baseUrl === undefined ? findFitting(all, provider, model) : all.filter(hasUrl(baseUrl))
  const only = all.length === 1 && !isStrict ? all[0] : undefined
  const found = fitting[0] ?? only
  if (found === undefined) throw unprocessable(path, describeMissing(all, provider, baseUrl))
  const name = model ?? found.models[0]
  if (name === undefined) {
    throw unprocessable(path, `Name a model, or list the models of the provider "${found.name}" in the settings.`)
  }
  return { provider_id: found.id, model: name }
}

function findFitting(all: readonly ModelProviderRow[], provider: string | undefined, model: string | undefined) {
  const hasModel = (row: ModelProviderRow) => model !== undefined && row.models.includes(model)
  if (provider === undefined) return all.filter(hasModel)
  const named = all.filter((row) => row.provider === provider || row.name.toLowerCase() === provider)
  const ofKind = all.filter(({ kind, provider: name }) => name === null && KINDS[provider]?.includes(kind))
  return [...named, ...ofKind].sort((a, b) => Number(hasModel(b)) - Number(hasModel(a)))
}

const hasUrl = (url: string) => (row: ModelProviderRow) => withoutSlash(row.base_url) === withoutSlash(url)
const withoutSlash = (url: string) => (url.endsWith('/') ? url.slice(0, -1) : url)

function describeMissing(all: readonly unknown[], provider: string | undefined, baseUrl: string | undefined): string {
  const wanted = provider === undefined ? 'a model provider' : `a model provider for "${provider}"`
  const at = baseUrl === undefined ? '' : ` with the base URL ${baseUrl}`
  const why = all.length === 0 ? 'The workspace has no model provider.' : 'No model provider of the workspace fits.'
  const more = provider === undefined && all.length > 1 ? ' Or name the model of one.' : ''
  return `${why} Add ${wanted}${at} in the settings.${more}`
}
