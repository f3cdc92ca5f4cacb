import type { AssistantMessage, ModelMessage, ModelProblem, PlaygroundEvent } from '@touchstone/contract'
import { removeMember } from '@touchstone/formats/edit-json'
import { convertTemplate, mapTexts } from './from-manifest.ts'
import { asFields, toFields, type Variant, type VariantMessage } from './variant.ts'

export type FinishedEvent = Extract<PlaygroundEvent, { type: 'finished' }>
type FailedEvent = Extract<PlaygroundEvent, { type: 'failed' }>

/** A call of a tool while it arrives: the arguments may be incomplete. */
export interface StreamedCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/** One answer of a variant, complete or not. */
export interface Answer {
  readonly status: 'waiting' | 'running' | 'done' | 'failed' | 'stopped'
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly StreamedCall[]
  readonly runId?: string
  readonly traceId?: string
  /** The whole message; absent while it arrives. */
  readonly message?: AssistantMessage | undefined
  readonly figures?: AnswerFigures
  readonly problem?: ModelProblem
  readonly schemaProblem?: FinishedEvent['schema_problem']
  readonly finishReason?: string
  readonly unsent?: readonly string[]
}

/** Tokens, price and times of an answer; null where they are not known. */
export type AnswerFigures = Pick<
  FinishedEvent,
  'tokens' | 'cost' | 'latency_ms' | 'first_token_ms' | 'raw_request' | 'raw_reply'
>

export const WAITING: Answer = { status: 'waiting', text: '', reasoning: '', calls: [] }

export const isBusy = ({ status }: Answer) => status === 'waiting' || status === 'running'

/** The answer after an event. */
export function applyEvent(answer: Answer, event: PlaygroundEvent): Answer {
  if (answer.status === 'stopped') return answer
  switch (event.type) {
    case 'started':
      return { ...answer, status: 'running', runId: event.run_id, traceId: event.trace_id }
    case 'text':
      return { ...answer, text: answer.text + event.text }
    case 'reasoning':
      return { ...answer, reasoning: answer.reasoning + event.text }
    case 'tool_call':
      return { ...answer, calls: applyCall(answer.calls, event) }
    case 'finished':
      return finish(answer, event)
    case 'failed':
      return fail(answer, event)
  }
}

function applyCall(
  calls: readonly StreamedCall[],
  { index, id, name, arguments: more }: Extract<PlaygroundEvent, { type: 'tool_call' }>,
): readonly StreamedCall[] {
  const known = calls[index] ?? { id: '', name: '', arguments: '' }
  const next = [...calls]
  next[index] = { id: id ?? known.id, name: name ?? known.name, arguments: known.arguments + (more ?? '') }
  // Calls may arrive in any order.
  for (const at of next.keys()) next[at] ??= { id: '', name: '', arguments: '' }
  return next
}

function finish(answer: Answer, event: FinishedEvent): Answer {
  return {
    ...answer,
    ...readMessage(event.message),
    status: 'done',
    message: event.message,
    figures: getFigures(event),
    schemaProblem: event.schema_problem,
    finishReason: event.finish_reason,
    unsent: event.unsent_parameters,
  }
}

function fail(answer: Answer, event: FailedEvent): Answer {
  const partial = event.message === null ? {} : readMessage(event.message)
  return { ...answer, ...partial, status: 'failed', figures: getFigures(event), problem: event.problem }
}

function getFigures({
  tokens,
  cost,
  latency_ms,
  first_token_ms,
  raw_request,
  raw_reply,
}: AnswerFigures): AnswerFigures {
  return { tokens, cost, latency_ms, first_token_ms, raw_request, raw_reply }
}

/** The complete message replaces what was streamed. */
function readMessage({
  content,
  reasoning,
  tool_calls,
}: AssistantMessage): Pick<Answer, 'text' | 'reasoning' | 'calls'> {
  const texts =
    typeof content === 'string' ? [content] : (content ?? []).map((part) => ('text' in part ? part.text : ''))
  return {
    text: texts.join(''),
    reasoning: reasoning ?? '',
    calls: (tool_calls ?? []).map(({ id, function: { name, arguments: text } }) => ({ id, name, arguments: text })),
  }
}

/** The end of a stream that ended without an end of the answer. */
export function interrupt(answer: Answer, status: 'stopped' | 'failed', message?: string): Answer {
  if (!isBusy(answer)) return answer
  if (status === 'stopped') return { ...answer, status }
  const problem: ModelProblem = {
    code: 'connection',
    message: message ?? 'The connection to the server ended before the answer did.',
    provider_message: null,
    status: null,
    offending_parameter: null,
    retry_after_seconds: null,
    retry: true,
  }
  return { ...answer, status, problem }
}

/** The conversation with the answer, the results of its calls, and a place for the next message. */
export function continueConversation(
  variant: Variant,
  message: AssistantMessage,
  results: readonly { id: string; text: string }[],
): Variant {
  const toTemplate = (text: string) => convertTemplate(text, 'none', variant.format)
  const added: ModelMessage[] = [
    message,
    ...results.map(({ id, text }): ModelMessage => ({ role: 'tool', tool_call_id: id, content: text })),
  ]
  const next: readonly VariantMessage[] = results.length > 0 ? [] : [{ role: 'user', content: '' }]
  return { ...variant, messages: [...variant.messages, ...added.map((one) => mapTexts(one, toTemplate)), ...next] }
}

/** The variant without a parameter that its provider rejects; undefined if it sends none of that name. */
export function withoutParameter(variant: Variant, name: string): Variant | undefined {
  const [first = '', ...rest] = name.split('.')
  const isOwn = Object.hasOwn(variant.parameters, first) && toFields(variant.parameters)[first] != null
  if (isOwn && rest.length === 0) {
    const { [first]: _removed, ...parameters } = toFields(variant.parameters)
    return { ...variant, parameters }
  }
  if (asFields(tryParse(variant.extraBody))?.[first] === undefined) return undefined
  const extraBody = removeMember(variant.extraBody, first)
  return { ...variant, extraBody: Object.keys(toFields(tryParse(extraBody))).length === 0 ? '' : extraBody }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** How many different texts the answers of one variant have, e.g. 3 of 5. */
export function countDistinct(answers: readonly Answer[]): number {
  const done = answers.filter(({ status }) => status === 'done')
  return new Set(
    done.map(({ text, calls }) => JSON.stringify([text, calls.map(({ name, arguments: a }) => [name, a])])),
  ).size
}
