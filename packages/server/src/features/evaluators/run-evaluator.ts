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
  timeOfEpochMs,
} from '@touchstone/contract'
import type { TemplateSteps } from '@touchstone/formats/templates'
import type { Deps } from '../../deps.ts'
import { callModel, type ModelConnection, type ModelEvent } from '../../models/index.ts'
import { callAtPace, type Paces } from '../../models/pace-calls.ts'
import { estimateCost, type PriceUsage, priceSpending, toUsageMetadata } from '../../models/price-call.ts'
import { aProblem as aModelProblem } from '../../models/problems.ts'
import { countBytes, type Held, MAX_WAIT_MS, nameEviction, type RenderBudget } from '../../models/render-budget.ts'
import type { Outbound } from '../../outbound/open-outbound.ts'
import { findInstructions } from './find-instructions.ts'
import { runJavascript } from './javascript.ts'
import { aProblem, type EvaluatorRow, readReply, renderJudge, toJudgeCall, withoutSchema } from './judge.ts'
import type { JavascriptSandbox } from './sandbox/javascript-sandbox.ts'

interface ConnectedProvider {
  readonly connection: ModelConnection
  /** What prices call the provider. */
  readonly provider: string | null
}

export type RunEvaluatorDeps = Pick<Deps, 'relational' | 'clock'> & {
  /** Reserves the cost of a call. @throws ApiError SPENDING_LIMIT when a monthly limit does not allow it */
  reserveSpending(planned: {
    readonly tenantId: string
    readonly providerId: string
    readonly estimate: number | null
  }): Promise<{ settle(ended: { readonly end: End; readonly cost: number | null }): Promise<void> }>
  readonly paces: Paces
  readonly renderBudget: RenderBudget
  readonly priceUsage: PriceUsage
  readonly modelOutbound: Outbound
  readonly sandbox: JavascriptSandbox
  /** A provider of the workspace with its secrets. @throws ApiError NOT_FOUND; INVALID_REQUEST when its key cannot be read */
  connectProvider(tenantId: string, providerId: string): Promise<ConnectedProvider>
}

export interface EvaluatorResult {
  /** Empty when there is a problem. */
  readonly scores: readonly EvaluatorScore[]
  readonly problem: EvaluatorProblem | null
  /** Of a judge, as they are sent; null for JavaScript and when they cannot be rendered. */
  readonly messages: readonly ModelMessage[] | null
  /** A passage of the judged values that reads like an instruction for the judge. */
  readonly suspected_instructions: string | null
  /** What the model wrote; null without an answer. */
  readonly reply: string | null
  readonly usage: ModelTokens | null
  /** US dollars; null without a call, and without a price. */
  readonly cost: number | null
  readonly latency_ms: number
}

export interface RunEvaluatorOptions {
  readonly signal?: AbortSignal | undefined
  /** Key of a program that names none. @default score */
  readonly defaultKey?: string | undefined
  /** False: the messages of a judge are rendered only. @default true */
  readonly callsModel?: boolean | undefined
  /** Calls wait for the pace of their provider, and are made again while a problem may pass. @default false */
  readonly isPatient?: boolean | undefined
  /** Ends the waiting of a patient call. @default signal */
  readonly waitSignal?: AbortSignal | undefined
  /** Of the templates of all rows of a request. @default those of this row */
  readonly steps?: TemplateSteps | undefined
  /** Milliseconds for the call of a model. @default 120000 */
  readonly timeoutMs?: number | undefined
}

const NO_RESULT: Omit<EvaluatorResult, 'latency_ms'> = {
  scores: [],
  problem: null,
  messages: null,
  suspected_instructions: null,
  reply: null,
  usage: null,
  cost: null,
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
          owner: { workspace: tenantId, program: definition.source },
          defaultKey: options.defaultKey ?? 'score',
          signal: options.signal,
        })
      : await runJudge(deps, tenantId, definition, row, options)
  return { ...NO_RESULT, ...result, latency_ms: Math.round(performance.now() - startedAt) }
}

/** The call of a judge, as it is sent and shown. */
type RenderedJudge = Pick<EvaluatorResult, 'problem' | 'messages' | 'suspected_instructions'>

function renderCall(definition: LlmJudgeDefinition, row: EvaluatorRow, steps?: TemplateSteps): RenderedJudge {
  const rendered = renderJudge(definition, row, steps)
  if ('problem' in rendered) return { problem: rendered.problem, messages: null, suspected_instructions: null }
  const { messages, values } = rendered
  return { problem: null, messages, suspected_instructions: findInstructions(values) ?? null }
}

async function runJudge(
  deps: RunEvaluatorDeps,
  tenantId: string,
  definition: LlmJudgeDefinition,
  row: EvaluatorRow,
  options: RunEvaluatorOptions,
): Promise<Partial<EvaluatorResult>> {
  // Nothing that is rendered here is kept while the call waits.
  const { callsModel, steps } = options
  if (callsModel === false || 'problem' in renderJudge(definition, row, steps)) {
    return renderCall(definition, row, steps)
  }
  const call = { tenantId, definition, row, hasSchema: true }
  try {
    const withSchema = await finishWithSchema(deps, call, options)
    return toResult(definition, withSchema ?? (await finishCall(deps, { ...call, hasSchema: false }, options)))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { ...renderCall(definition, row, steps), problem: toProblem(error) }
  }
}

function toResult(
  definition: LlmJudgeDefinition,
  { end, problem, cost, rendered }: EndedCall,
): Partial<EvaluatorResult> {
  if (end === undefined) {
    return { ...rendered, problem: aProblem('model', problem?.message ?? '', { model_problem: problem }) }
  }
  const reply = toText(end.message.content)
  const answer = { ...rendered, reply: reply || null, usage: end.usage, cost }
  if (end.type === 'failed') {
    const { message, provider_message } = end.problem
    const words = provider_message === null ? '' : ` The provider wrote: ${provider_message}`
    return { ...answer, problem: aProblem('model', message + words, { model_problem: end.problem }) }
  }
  const read = readReply(definition, reply)
  if ('ok' in read) return { ...answer, scores: read.ok }
  const isCut = end.finish_reason === 'length'
  const why = isCut ? 'it was cut off at the most tokens of an answer; raise max_tokens' : read.problem
  return { ...answer, problem: aProblem('invalid_reply', `The answer of the model does not match the schema: ${why}.`) }
}

function toProblem(error: ApiError): EvaluatorProblem {
  if (error.code === 'RATE_LIMITED') {
    const model_problem = aModelProblem('rate_limited', error.message)
    return aProblem('model', error.message, { model_problem })
  }
  const isGone = error.code === 'NOT_FOUND'
  const message = isGone
    ? 'The model provider of the evaluator does not exist any more. Choose another one.'
    : error.message
  return aProblem('missing_provider', message)
}

export const isOverLimit = (problem: EvaluatorProblem | null) => problem?.model_problem?.code === 'spending_limit'

/** @throws ApiError SPENDING_LIMIT when a monthly limit did not allow a single call */
export function assertAnyCalled(problems: readonly (EvaluatorProblem | null)[]): void {
  const [first] = problems
  if (first && problems.every(isOverLimit)) throw new ApiError('SPENDING_LIMIT', first.message)
}

type End = Extract<ModelEvent, { type: 'done' | 'failed' }>

interface EndedCall {
  /** Undefined when the call was not made. */
  readonly end: End | undefined
  readonly problem: ModelProblem | null
  readonly cost: number | null
  readonly rendered: RenderedJudge
}

interface JudgeCall {
  readonly tenantId: string
  readonly definition: LlmJudgeDefinition
  readonly row: EvaluatorRow
  readonly hasSchema: boolean
}

/** @returns undefined when the provider refuses schemas */
async function finishWithSchema(...given: Parameters<typeof finishCall>): Promise<EndedCall | undefined> {
  const ended = await finishCall(...given)
  return ended.problem !== null && refusesSchema(ended.problem) ? undefined : ended
}

/**
 * @throws ApiError without its provider, and when there is no memory for a call that is not patient; when a patient call
 *   is aborted before it begins, or while it waits
 */
async function finishCall(deps: RunEvaluatorDeps, judge: JudgeCall, options: RunEvaluatorOptions): Promise<EndedCall> {
  const { tenantId, definition, row } = judge
  const { isPatient = false, signal = NEVER, waitSignal = signal, steps } = options
  const wait = { workspace: tenantId, signal: waitSignal, ...(!isPatient && { maxWaitMs: MAX_WAIT_MS }) }
  const render = () => {
    const made = renderCall(definition, row, steps)
    return { made, bytes: countBytes(made.messages) }
  }
  const attempt = async () => {
    // Read for each try: a removed provider or key must not be called any longer.
    const access = await deps.connectProvider(tenantId, definition.provider_id)
    // Rendered for each try: a call that waits for its provider takes no memory.
    return deps.renderBudget.hold(wait, render, (held) => callJudge(deps, judge, { ...access, held }, options))
  }
  return isPatient ? callAtPace(deps.paces.get(tenantId, definition.provider_id), waitSignal, attempt) : attempt()
}

async function callJudge(
  deps: RunEvaluatorDeps,
  { tenantId, definition, hasSchema }: JudgeCall,
  { connection, provider, held }: ConnectedProvider & { readonly held: Held<RenderedJudge> },
  { signal = NEVER, timeoutMs = 120_000 }: RunEvaluatorOptions,
): Promise<EndedCall> {
  const { made: rendered, evicted } = held
  const withSchema = toJudgeCall(definition, rendered.messages ?? [])
  const call = hasSchema ? withSchema : withoutSchema(withSchema)
  const run = { tenantId, model: call.model, provider: provider ?? undefined, startTime: timeOfEpochMs(deps.clock()) }
  const estimate = estimateCost(deps, { tenantId, provider }, call)
  const spent = await reserve(deps, { tenantId, providerId: definition.provider_id, estimate })
  if ('problem' in spent) return { end: undefined, cost: null, problem: spent.problem, rendered }
  const given = { signal: AbortSignal.any([signal, evicted]), timeoutMs }
  // It may have been cancelled while its cost was reserved.
  const isSent = !given.signal.aborted
  // The provider is silent from now on, not while the cost was reserved.
  held.heard()
  const end = nameEviction(await callOnce(deps, connection, call, given), evicted)
  const usage = end.usage === null ? null : toUsageMetadata(end.usage)
  const spentUsd = usage && priceSpending(deps.priceUsage, run, usage)
  await spent.settle({ end, cost: isSent ? spentUsd : 0 })
  const cost = usage && deps.priceUsage(run, usage)
  return { end, cost, problem: end.type === 'failed' ? end.problem : null, rendered }
}

/** A monthly limit is a problem of the call. */
async function reserve(deps: RunEvaluatorDeps, planned: Parameters<RunEvaluatorDeps['reserveSpending']>[0]) {
  try {
    return await deps.reserveSpending(planned)
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'SPENDING_LIMIT')) throw error
    return { problem: aModelProblem('spending_limit', error.message) }
  }
}

const NEVER = new AbortController().signal

async function callOnce(
  { modelOutbound }: RunEvaluatorDeps,
  connection: ModelConnection,
  call: ModelCall,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
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
