import { MAX_LISTED_MODELS, type ModelProblem, type RawModelReply } from '@touchstone/contract'
import { OutboundError } from '../outbound/allowed-targets.ts'
import type { Outbound } from '../outbound/open-outbound.ts'
import { joinUrl, listSecrets, type ModelConnection, toSecretHeaders, WIRES } from './call-model.ts'
import { aProblem, type CallFacts, toNetworkProblem, toStatusProblem } from './problems.ts'
import { isSecretHeader, REDACTED, SecretRedactor } from './redact-secrets.ts'

export interface ListedModels {
  readonly models: readonly string[]
  /** Why there are none; undefined when the provider answered. */
  readonly problem: ModelProblem | undefined
  readonly reply: RawModelReply | undefined
}

const MAX_BYTES = 4 * 1024 * 1024
const MAX_RAW = 16 * 1024

/** Reads the models that a provider lists, in its order. Failures are returned and not thrown. */
export async function listProviderModels(
  outbound: Outbound,
  connection: ModelConnection,
  { signal, timeoutMs = 15_000 }: { readonly signal?: AbortSignal; readonly timeoutMs?: number } = {},
): Promise<ListedModels> {
  const wire = WIRES[connection.kind]
  const url = joinUrl(connection.baseUrl, `/models?${wire.modelsQuery ?? ''}`)
  const redactor = new SecretRedactor(listSecrets(connection))
  const { host } = new URL(url)
  const facts: CallFacts = {
    host,
    wireName: wire.name,
    model: '',
    hasKey: connection.key !== undefined,
    sent: new Map(),
  }
  const headers = connection.kind === 'anthropic-messages' ? { 'anthropic-version': '2023-06-01' } : {}
  try {
    const secretHeaders = toSecretHeaders(connection)
    const limits = { timeoutMs, sameHost: true, ...(signal && { signal }) }
    const request = { method: 'GET', url, headers, secretHeaders, ...limits } as const
    const stream = await outbound.open(request)
    const text = redactor.redact(await readText(stream.chunks))
    stream.close()
    const { status } = stream
    const reply = { status, headers: redactHeaders(stream.headers, redactor), ...cut(text) }
    if (status >= 300)
      return { models: [], problem: toStatusProblem({ status, headers: stream.headers, text }, facts), reply }
    const models = wire.readModels(parse(text))
    if (models !== undefined) {
      return { models: [...new Set(models)].slice(0, MAX_LISTED_MODELS), problem: undefined, reply }
    }
    const message = `${host} did not list models in the format of ${wire.name}. Check the kind and the base URL.`
    return {
      models: [],
      problem: aProblem('invalid_reply', message, { status, provider_message: text.slice(0, 500) }),
      reply,
    }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { models: [], problem: toNetworkProblem(error, facts), reply: undefined }
  }
}

/** The beginning of a body, up to a limit. */
async function readText(chunks: AsyncIterable<Buffer>): Promise<string> {
  const read: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    read.push(chunk)
    bytes += chunk.length
    if (bytes > MAX_BYTES) break
  }
  return Buffer.concat(read).toString('utf8')
}

function redactHeaders(headers: Readonly<Record<string, string>>, redactor: SecretRedactor): Record<string, string> {
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    isSecretHeader(name) ? REDACTED : redactor.redact(value),
  ])
  return Object.fromEntries(shown)
}

function cut(text: string) {
  return { body: text.slice(0, MAX_RAW), truncated: text.length > MAX_RAW }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
