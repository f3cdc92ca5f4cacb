import {
  type AvailableModel,
  DEFAULT_KEY_HEADERS,
  type ModelCall,
  type ModelProblem,
  type ModelProviderKind,
  type ModelProviderTest,
  type ModelProviderTestAnswer,
  type ModelProviderTestStep,
  type RawModelReply,
} from '@touchstone/contract'
import { callModel, listProviderModels, type ModelConnection } from '../../models/index.ts'
import { SecretBoxError } from '../../storage/secret-box.ts'
import {
  assertMayCall,
  getModelConnection,
  getProvider,
  keepSecrets,
  type ProviderDeps,
  toConnection,
  unreadable,
} from './providers.ts'
import { NO_SECRETS, openSecrets } from './secrets.ts'

const TIMEOUT_MS = 20_000
/** Reasoning models refuse less. */
const MAX_TOKENS = 16
/** Characters of a raw answer that are shown. */
const MAX_SHOWN = 4000

/**
 * Reads the list of models, and calls one if it is given.
 *
 * @throws ApiError NOT_FOUND for an unknown id, INVALID_REQUEST for a URL that the server may not call
 */
export async function testProvider(
  deps: ProviderDeps,
  tenantId: string,
  { provider, model }: ModelProviderTest,
): Promise<ModelProviderTestAnswer> {
  assertMayCall(deps, provider.base_url)
  const connection = await connectDraft(deps, tenantId, provider)
  if ('problem' in connection) return { works: false, problem: connection.problem, steps: [], models: [] }
  const startedAt = performance.now()
  const listed = await listProviderModels(deps.modelOutbound, connection, { timeoutMs: TIMEOUT_MS })
  const first: ModelProviderTestStep = {
    step: 'models',
    latency_ms: Math.round(performance.now() - startedAt),
    problem: listed.problem ?? null,
    reply: shorten(listed.reply),
  }
  const steps = [first, ...(model == null ? [] : [await tryModel(deps, connection, model)])]
  // Not every provider lists its models: a call that works is enough.
  const problem = steps.at(-1)?.problem ?? null
  return { works: problem === null, problem, steps, models: [...listed.models] }
}

async function tryModel(
  { modelOutbound }: ProviderDeps,
  connection: ModelConnection,
  model: string,
): Promise<ModelProviderTestStep> {
  const call: ModelCall = { model, messages: [{ role: 'user', content: 'Hi' }], parameters: { max_tokens: MAX_TOKENS } }
  let step: ModelProviderTestStep = { step: 'call', latency_ms: 0, problem: null, reply: null }
  for await (const event of callModel(modelOutbound, connection, call, { stream: false, timeoutMs: TIMEOUT_MS })) {
    if (event.type !== 'done' && event.type !== 'failed') continue
    const problem = event.type === 'failed' ? event.problem : null
    step = { step: 'call', latency_ms: event.latency_ms, problem, reply: shorten(event.reply) }
  }
  return step
}

/** What a form has, with the stored secrets where they may be used. */
async function connectDraft(
  { relational, secrets }: ProviderDeps,
  tenantId: string,
  draft: ModelProviderTest['provider'],
): Promise<ModelConnection | { readonly problem: ModelProblem }> {
  const key_header = draft.key_header ?? DEFAULT_KEY_HEADERS[draft.kind]
  const target = { kind: draft.kind, base_url: draft.base_url, key_header }
  if (draft.id == null) return toConnection(target, keepSecrets(target, NO_SECRETS, draft))
  const row = await getProvider(relational.db, tenantId, draft.id)
  try {
    return toConnection(target, keepSecrets(row, openSecrets(secrets, row), draft))
  } catch (error) {
    if (!(error instanceof SecretBoxError)) throw error
    // The key that was just entered takes the place of the unreadable one.
    if (draft.key !== undefined) return toConnection(target, keepSecrets(row, NO_SECRETS, draft))
    const problem = { provider_message: null, status: null, offending_parameter: null, retry_after_seconds: null }
    return { problem: { code: 'unreadable_key', message: unreadable(row, error), retry: false, ...problem } }
  }
}

function shorten(reply: RawModelReply | null | undefined): RawModelReply | null {
  if (reply == null || reply.body.length <= MAX_SHOWN) return reply ?? null
  return { ...reply, body: reply.body.slice(0, MAX_SHOWN), truncated: true }
}

/** The part of the price table that lists of models need. */
export interface ModelPriceTable {
  list(tenantId: string): readonly { readonly name: string; readonly provider: string | null }[]
  /** Prices that match a model at any time. */
  fitting(run: {
    readonly tenantId: string
    readonly model: string
    readonly provider: string | undefined
  }): readonly unknown[]
}

/** Names of priced models that a kind of provider has for certain; hosts of open models name them in their own ways. */
const PRICED_NAMES: Readonly<Record<ModelProviderKind, RegExp | undefined>> = {
  'openai-chat': undefined,
  'openai-responses': /^(gpt-[\w.-]+|o\d[\w-]*)$/,
  'anthropic-messages': /^claude-[\w.-]+$/,
  gemini: /^gemini-[\w.-]+$/,
}

/** Models that the provider lists, that were typed for it, and that the price table knows, in this order. */
export async function listAvailableModels(
  deps: ProviderDeps & { readonly priceTable: ModelPriceTable },
  tenantId: string,
  id: string,
): Promise<{ models: AvailableModel[]; problem: ModelProblem | null }> {
  const row = await getProvider(deps.relational.db, tenantId, id)
  const connection = await getModelConnection(deps, tenantId, id)
  const listed = await listProviderModels(deps.modelOutbound, connection)
  const provider = row.provider ?? undefined
  const pattern =
    row.kind === 'openai-chat' && provider === 'openai' ? PRICED_NAMES['openai-responses'] : PRICED_NAMES[row.kind]
  const priced = deps.priceTable
    .list(tenantId)
    .filter(({ name, provider: of }) =>
      pattern ? of === null && pattern.test(name) : of !== null && of === row.provider,
    )
    .map(({ name }) => name)
  const sources = new Map<string, Set<'provider' | 'typed' | 'prices'>>()
  const add = (names: readonly string[], source: 'provider' | 'typed' | 'prices') => {
    for (const name of names) sources.set(name, (sources.get(name) ?? new Set()).add(source))
  }
  add(row.models, 'typed')
  add(listed.models, 'provider')
  add(priced, 'prices')
  const models = [...sources].map(([name, of]) => {
    const has_price = deps.priceTable.fitting({ tenantId, model: name, provider }).length > 0
    return { id: name, sources: [...of], has_price }
  })
  return { models, problem: listed.problem ?? null }
}
