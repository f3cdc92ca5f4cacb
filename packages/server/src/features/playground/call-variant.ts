import {
  type AssistantMessage,
  type ModelCall,
  type ModelTokens,
  type PlaygroundEvent,
  type PlaygroundVariant,
  timeOfEpochMs,
} from '@touchstone/contract'
import { callModel, type ModelConnection, type ModelEvent } from '../../models/index.ts'
import { estimateCost, type PriceUsage, priceSpending, toUsageMetadata, withoutNulls } from '../../models/price-call.ts'
import { type Held, nameEviction } from '../../models/render-budget.ts'
import type { Outbound } from '../../outbound/open-outbound.ts'
import { reserveSpending, type SpendingDeps } from '../model-providers/index.ts'
import { checkAnswer, type RenderedCall } from './render-call.ts'

export type CallDeps = SpendingDeps & { readonly modelOutbound: Outbound; readonly priceUsage: PriceUsage }

/** One call of a variant, and the run that records it. */
export interface PlannedCall {
  readonly tenantId: string
  readonly runId: string
  readonly variant: PlaygroundVariant
  readonly rendered: RenderedCall
  readonly connection: ModelConnection
  /** What runs and prices call the provider. */
  readonly provider: string | null
  /** Fields of the run that place it: its project, its example. */
  readonly place: Readonly<Record<string, unknown>>
}

type WithoutPlace<Event> = Event extends unknown ? Omit<Event, 'variant' | 'repeat'> : never

/** How a call ended, as its last event has it. */
export type CallEnd = WithoutPlace<Extract<PlaygroundEvent, { type: 'finished' | 'failed' }>>

export interface EndedCall {
  readonly end: CallEnd
  /** The whole run, for the ingest. */
  readonly run: Readonly<Record<string, unknown>>
}

interface CallOptions {
  readonly signal: AbortSignal
  /** The memory of the call, which it may have to give back before it has ended. */
  readonly held?: Pick<Held<unknown>, 'evicted' | 'heard'>
  /** Gets the parts of the answer; the next part is read when it is done. */
  readonly onPart?: (event: ModelEvent) => Promise<void> | undefined
}

const NOTHING = {
  message: null,
  tokens: null,
  cost: null,
  latency_ms: 0,
  first_token_ms: null,
  raw_request: null,
  raw_reply: null,
}

/**
 * Calls a model. Failures are results. No part of the result contains the key of the provider.
 *
 * @throws ApiError SPENDING_LIMIT before the call
 */
export async function callVariant(deps: CallDeps, planned: PlannedCall, options: CallOptions): Promise<EndedCall> {
  const { rendered, connection } = planned
  const startMs = deps.clock()
  if ('problem' in rendered) {
    const end: CallEnd = { type: 'failed', ...NOTHING, ...rendered }
    return { end, run: toRun(planned, startMs, end) }
  }
  const spent = await reserveSpending(deps, toSpending(deps, planned, rendered.call))
  let request: Extract<ModelEvent, { type: 'request' }> | undefined
  let last: Extract<ModelEvent, { type: 'done' | 'failed' }> | undefined
  const { held } = options
  const signal = held === undefined ? options.signal : AbortSignal.any([options.signal, held.evicted])
  // It may have been cancelled while its cost was reserved.
  const isSent = !signal.aborted
  for await (const event of callModel(deps.modelOutbound, connection, rendered.call, { signal })) {
    if (event.type !== 'request') held?.heard()
    if (event.type === 'request') request = event
    else if (event.type === 'done' || event.type === 'failed') last = nameEviction(event, held?.evicted)
    else await options.onPart?.(event)
  }
  if (last === undefined) throw new Error('The call of the model has no end.')
  const end = toEnd(deps, planned, startMs, { request, last })
  const charge: PriceUsage = (...priced) => priceSpending(deps.priceUsage, ...priced)
  await spent.settle({ end: last, cost: isSent ? toCost(last, planned, startMs, charge) : 0 })
  return { end, run: toRun(planned, startMs, end) }
}

/** What a call of a variant may cost, and whom. */
export function toSpending(
  deps: Pick<CallDeps, 'priceUsage' | 'clock'>,
  { tenantId, variant, provider }: Pick<PlannedCall, 'tenantId' | 'variant' | 'provider'>,
  call: ModelCall,
) {
  return { tenantId, providerId: variant.provider_id, estimate: estimateCost(deps, { tenantId, provider }, call) }
}

function toCost(
  { usage }: Pick<Extract<ModelEvent, { type: 'done' | 'failed' }>, 'usage'>,
  { tenantId, variant, provider }: PlannedCall,
  startMs: number,
  price: PriceUsage,
): number | null {
  if (usage === null) return null
  const run = { tenantId, model: variant.model, provider: provider ?? undefined, startTime: timeOfEpochMs(startMs) }
  return price(run, toUsageMetadata(usage))
}

function toEnd(
  { priceUsage }: CallDeps,
  planned: PlannedCall,
  startMs: number,
  heard: {
    readonly request: Extract<ModelEvent, { type: 'request' }> | undefined
    readonly last: Extract<ModelEvent, { type: 'done' | 'failed' }>
  },
): CallEnd {
  const { request, last } = heard
  const { variant } = planned
  const result = {
    tokens: last.usage,
    cost: toCost(last, planned, startMs, priceUsage),
    latency_ms: last.latency_ms,
    first_token_ms: last.first_token_ms,
    raw_request: request?.request ?? null,
    raw_reply: last.reply,
  }
  if (last.type === 'failed') {
    const message = isEmpty(last.message) ? null : last.message
    return { type: 'failed', problem: last.problem, variable: null, message, ...result }
  }
  const { message, finish_reason, provider_finish_reason, model } = last
  const schema = variant.output_schema?.schema
  const isChecked = schema !== undefined && !(message.tool_calls?.length && !message.content)
  return {
    type: 'finished',
    message,
    ...result,
    finish_reason,
    provider_finish_reason,
    model,
    unsent_parameters: [...(request?.unsent_parameters ?? [])],
    schema_problem: isChecked ? checkAnswer(schema, message.content) : null,
  }
}

function isEmpty({ content, tool_calls, reasoning }: AssistantMessage): boolean {
  return !content?.length && !tool_calls?.length && !reasoning
}

/** A root run of type `llm`, in the form of OpenAI's chat completions. */
function toRun(planned: PlannedCall, startMs: number, end: CallEnd): Readonly<Record<string, unknown>> {
  const { runId, variant, rendered, place } = planned
  const start = timeOfEpochMs(startMs)
  const call = 'call' in rendered ? rendered.call : undefined
  const { tools, tool_choice, output_schema, extra_body, parameters } = variant
  const settings = { model: variant.model, ...withoutNulls({ ...parameters }) }
  const first = end.first_token_ms
  return {
    id: runId,
    trace_id: runId,
    dotted_order: start.replaceAll(/[-:.]/g, '') + runId,
    name: variant.name,
    run_type: 'llm',
    ...place,
    start_time: start,
    end_time: timeOfEpochMs(startMs + end.latency_ms),
    inputs: { messages: call?.messages ?? variant.messages, ...(tools?.length && { tools }) },
    ...(end.message !== null && { outputs: toOutputs(end, end.message) }),
    ...(end.type === 'failed' && {
      error: [end.problem.message, end.problem.provider_message].filter(Boolean).join('\n'),
    }),
    ...(first !== null && { events: [{ name: 'new_token', time: timeOfEpochMs(startMs + first) }] }),
    extra: {
      invocation_params: withoutNulls({ ...settings, tools, tool_choice, output_schema, extra_body }),
      metadata: toMetadata(planned, settings, end.tokens),
    },
  }
}

function toOutputs(end: CallEnd, message: AssistantMessage) {
  const finish_reason = end.type === 'finished' ? end.finish_reason : null
  return {
    ...(end.type === 'finished' && end.model !== null && { model: end.model }),
    choices: [{ index: 0, message, finish_reason }],
  }
}

function toMetadata({ variant, provider }: PlannedCall, settings: object, tokens: ModelTokens | null) {
  const { prompt } = variant
  return {
    ...(provider !== null && { ls_provider: provider }),
    ls_model_name: variant.model,
    ls_model_type: 'chat',
    ls_invocation_params: settings,
    ...(tokens !== null && { usage_metadata: toUsageMetadata(tokens) }),
    ...(prompt != null && {
      lc_hub_owner: prompt.owner,
      lc_hub_repo: prompt.repo,
      lc_hub_commit_hash: prompt.commit,
    }),
  }
}
