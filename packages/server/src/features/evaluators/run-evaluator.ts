import {
  ApiError,
  type EvaluatorDefinition,
  type EvaluatorProblem,
  type EvaluatorScore,
  type LlmJudgeDefinition,
  type ModelCall,
  type ModelMessage,
  type ModelProblem,
  type ModelTokens,
} from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { callModel, type ModelConnection, type ModelEvent } from '../../models/index.ts'
import type { Outbound } from '../../outbound/open-outbound.ts'
import { getVersion, listKeys } from './evaluators.ts'
import { runJavascript } from './javascript.ts'
import { aProblem, type EvaluatorRow, readReply, renderJudge, toJudgeCall, withoutSchema } from './judge.ts'
import type { JavascriptSandbox } from './sandbox/javascript-sandbox.ts'

export type RunEvaluatorDeps = Pick<Deps, 'relational'> & {
  readonly modelOutbound: Outbound
  readonly sandbox: JavascriptSandbox
  /** A provider of the workspace with its secrets. @throws ApiError NOT_FOUND; INVALID_REQUEST when its key cannot be read */
  connectProvider(tenantId: string, providerId: string): Promise<ModelConnection>
}

export interface EvaluatorResult {
  /** Empty when there is a problem. */
  readonly scores: readonly EvaluatorScore[]
  readonly problem: EvaluatorProblem | null
  /** Of a judge, as they are sent; null for JavaScript and when they cannot be rendered. */
  readonly messages: readonly ModelMessage[] | null
  /** What the model wrote; null without an answer. */
  readonly reply: string | null
  readonly usage: ModelTokens | null
  readonly latency_ms: number
}

export interface RunEvaluatorOptions {
  readonly signal?: AbortSignal | undefined
  /** Key of a program that names none. @default score */
  readonly defaultKey?: string | undefined
  /** False: the messages of a judge are rendered only. @default true */
  readonly callsModel?: boolean | undefined
  /** Milliseconds for the call of a model. @default 120000 */
  readonly timeoutMs?: number | undefined
}

const NO_RESULT: Omit<EvaluatorResult, 'latency_ms'> = {
  scores: [],
  problem: null,
  messages: null,
  reply: null,
  usage: null,
}

/**
 * Judges one row. Mistakes of the definition, of the model and of its provider are in the result and not thrown.
 *
 * @param tenantId  the workspace of the evaluator, whose providers it may call
 */
export async function runEvaluator(
  deps: RunEvaluatorDeps,
  tenantId: string,
  definition: EvaluatorDefinition,
  row: EvaluatorRow,
  options: RunEvaluatorOptions = {},
): Promise<EvaluatorResult> {
  const startedAt = performance.now()
  const result = options.signal?.aborted
    ? { problem: aProblem('cancelled', 'It was not run: the request ended before.') }
    : definition.kind === 'javascript'
      ? await runJavascript(deps.sandbox, definition, row, {
          owner: `${tenantId} ${definition.source}`,
          defaultKey: options.defaultKey ?? 'score',
          signal: options.signal,
        })
      : await runJudge(deps, tenantId, definition, row, options)
  return { ...NO_RESULT, ...result, latency_ms: Math.round(performance.now() - startedAt) }
}

async function runJudge(
  deps: RunEvaluatorDeps,
  tenantId: string,
  definition: LlmJudgeDefinition,
  row: EvaluatorRow,
  options: RunEvaluatorOptions,
): Promise<Partial<EvaluatorResult>> {
  const rendered = renderJudge(definition, row)
  if ('problem' in rendered) return rendered
  const { messages } = rendered
  if (options.callsModel === false) return { messages }
  const connection = await connect(deps, tenantId, definition.provider_id)
  if ('problem' in connection) return { messages, ...connection }
  const call = toJudgeCall(definition, messages)
  let done = await finishCall(deps, connection.connection, call, options)
  if (done.type === 'failed' && refusesSchema(done.problem)) {
    done = await finishCall(deps, connection.connection, withoutSchema(call), options)
  }
  const reply = toText(done.message.content)
  const answer = { messages, reply: reply || null, usage: done.usage }
  if (done.type === 'failed') {
    const { problem } = done
    const words = problem.provider_message === null ? '' : ` The provider wrote: ${problem.provider_message}`
    return { ...answer, problem: aProblem('model', problem.message + words, { model_problem: problem }) }
  }
  const read = readReply(definition, reply)
  if ('ok' in read) return { ...answer, scores: read.ok }
  const isCut = done.finish_reason === 'length'
  const why = isCut ? 'it was cut off at the most tokens of an answer; raise max_tokens' : read.problem
  return { ...answer, problem: aProblem('invalid_reply', `The answer of the model does not match the schema: ${why}.`) }
}

async function connect(
  deps: RunEvaluatorDeps,
  tenantId: string,
  providerId: string,
): Promise<{ readonly connection: ModelConnection } | { readonly problem: EvaluatorProblem }> {
  try {
    return { connection: await deps.connectProvider(tenantId, providerId) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const isGone = error.code === 'NOT_FOUND'
    const message = isGone
      ? 'The model provider of the evaluator does not exist any more. Choose another one.'
      : error.message
    return { problem: aProblem('missing_provider', message) }
  }
}

type End = Extract<ModelEvent, { type: 'done' | 'failed' }>

async function finishCall(
  { modelOutbound }: RunEvaluatorDeps,
  connection: ModelConnection,
  call: ModelCall,
  { signal, timeoutMs = 120_000 }: RunEvaluatorOptions,
): Promise<End> {
  const events = callModel(modelOutbound, connection, call, { stream: false, timeoutMs, idleMs: timeoutMs, signal })
  for await (const event of events) if (event.type === 'done' || event.type === 'failed') return event
  throw new Error('A call of a model ended without its last event.')
}

/** Servers that know no schemas refuse the field under its name. */
function refusesSchema({ code, provider_message, offending_parameter }: ModelProblem): boolean {
  if (code !== 'invalid_request' || offending_parameter !== null) return false
  return /response_format|json_schema|output_config|response_?json_?schema|structured output/i.test(
    provider_message ?? '',
  )
}

function toText(content: End['message']['content']): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** An answer of a job with the evaluator that judges it. */
export interface JobRow {
  readonly tenantId: string
  readonly evaluator: { readonly evaluator_id: string; readonly version: number | null }
  readonly row: EvaluatorRow
  readonly runId: string
  readonly signal: AbortSignal
}

/** The evaluators that jobs over datasets use: versions by their ids, and the judgement of a row. */
export function openEvaluators(deps: RunEvaluatorDeps) {
  return {
    /** @param version  @default the newest @throws ApiError NOT_FOUND */
    async find(tenantId: string, id: string, version: number | undefined) {
      const found = await getVersion(deps, tenantId, id, version)
      return { version: found.version.version, keys: listKeys(found.version.definition) }
    },
    async evaluate({ tenantId, evaluator, row, runId, signal }: JobRow) {
      const { evaluator_id, version } = evaluator
      const found = await findVersion(deps, tenantId, evaluator_id, version ?? undefined)
      if (found === undefined) return { scores: [], problem: `The evaluator ${evaluator_id} does not exist any more.` }
      const { name } = found.evaluator
      const options = { signal, defaultKey: name.slice(0, MAX_KEY) }
      const given = { ...row, run: { id: runId } }
      const { scores, problem } = await runEvaluator(deps, tenantId, found.version.definition, given, options)
      return { scores, problem: problem && `${name}: ${problem.message}` }
    },
  }
}

/** Characters of a feedback key. */
const MAX_KEY = 180

async function findVersion(...key: Parameters<typeof getVersion>) {
  try {
    return await getVersion(...key)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}
