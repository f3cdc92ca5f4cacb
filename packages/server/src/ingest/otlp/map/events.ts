import { createHash } from 'node:crypto'
import { asRecord } from '@touchstone/formats/guards'
import type { JsonObject, MappedFeedback } from '../mapped-span.ts'
import type { OtlpEvent, OtlpSpan } from '../span.ts'
import { present, SpanAttributes, toNumber, toText } from './attributes.ts'
import { isMessageEvent, readBody } from './messages.ts'
import { CLAUDE_CODE_OUTPUT } from './payload-readers.ts'

const NANOS_PER_SECOND = 1_000_000_000n

/** ISO 8601 in UTC with microseconds. */
export function isoFromNano(nano: bigint): string {
  const seconds = nano / NANOS_PER_SECOND
  const micros = String((nano % NANOS_PER_SECOND) / 1_000n).padStart(6, '0')
  const milliseconds = Number(seconds) * 1_000
  // Beyond the range of dates; the writer checks times itself.
  if (!Number.isFinite(new Date(milliseconds).getTime())) return new Date(0).toISOString()
  return new Date(milliseconds).toISOString().replace('.000Z', `.${micros}Z`)
}

/** Times of the first token: attributes with a duration since the start, in seconds or milliseconds. */
export const FIRST_TOKEN_SOURCES: readonly { readonly attribute: string; readonly unit: 'seconds' | 'milliseconds' }[] =
  [
    { attribute: 'gen_ai.response.time_to_first_chunk', unit: 'seconds' },
    { attribute: 'gen_ai.client.operation.time_to_first_chunk', unit: 'seconds' },
    { attribute: 'gen_ai.server.time_to_first_token', unit: 'seconds' },
    { attribute: 'ai.response.msToFirstChunk', unit: 'milliseconds' },
    { attribute: 'ai.stream.msToFirstChunk', unit: 'milliseconds' },
    { attribute: 'braintrust.metrics.time_to_first_token', unit: 'seconds' },
    { attribute: 'ttft_ms', unit: 'milliseconds' },
  ]

/** Attributes with the time itself. */
export const FIRST_TOKEN_TIMES = ['langfuse.observation.completion_start_time', 'mastra.completion_start_time'] as const

/** Events at the time of the first token. */
export const FIRST_TOKEN_EVENTS: readonly string[] = [
  'new_token',
  'ai.stream.firstChunk',
  'First Token Stream Event',
  'gen_ai.content.completion.chunk',
  'llm.content.completion.chunk',
]

function readFirstToken(span: OtlpSpan, attributes: SpanAttributes): string | undefined {
  for (const { attribute, unit } of attributes.rowsOf(FIRST_TOKEN_SOURCES)) {
    const duration = attributes.number(attribute)
    if (duration === undefined || duration < 0 || duration > 1e9) continue
    const micros = Math.round(duration * (unit === 'seconds' ? 1e6 : 1e3))
    return isoFromNano(span.startNano + BigInt(micros) * 1_000n)
  }
  // Langfuse prints the time as JSON, with quotes.
  const time = attributes.firstText(FIRST_TOKEN_TIMES)?.replace(/^"(.*)"$/, '$1')
  if (time !== undefined) return time
  const event = span.events.find(({ name }) => FIRST_TOKEN_EVENTS.includes(name))
  return event && isoFromNano(event.timeNano)
}

/** Events of a run: those of the span that are no messages, and the first token. */
export function readEvents(
  span: OtlpSpan,
  attributes: SpanAttributes,
  logs: readonly OtlpEvent[],
): readonly JsonObject[] {
  const firstToken = readFirstToken(span, attributes)
  const others = [...span.events, ...logs].filter((event) => !isRead(event))
  return [
    ...(firstToken === undefined ? [] : [{ name: 'new_token', time: firstToken }]),
    ...others
      .filter((event) => !isToken(event))
      .map((event) => ({
        name: event.name,
        time: isoFromNano(event.timeNano),
        kwargs: { ...event.attributes, ...present({ body: event.body }) },
      })),
  ]
}

/** One event per piece of an answer tells nothing but the time of the first, which is read. */
function isToken({ name, attributes }: OtlpEvent): boolean {
  return FIRST_TOKEN_EVENTS.includes(name) && Object.keys(attributes).length === 0
}

const READ_EVENTS: ReadonlySet<string> = new Set([
  'gen_ai.content.prompt',
  'gen_ai.content.completion',
  'gen_ai.client.inference.operation.details',
  'gen_ai.evaluation.result',
  CLAUDE_CODE_OUTPUT,
])

function isRead(event: OtlpEvent): boolean {
  return isMessageEvent(event) || READ_EVENTS.has(event.name)
}

/**
 * The error of a run: the first exception with its stack, else the message of the status, else the type of the error. A status
 * that is OK means that the program went on after an exception.
 */
export function readError(span: OtlpSpan, attributes: SpanAttributes, logs: readonly OtlpEvent[]): string | undefined {
  const level = attributes.text('langfuse.observation.level')?.toUpperCase()
  const type = attributes.text('error.type')
  if (span.status.code === 1 && level !== 'ERROR') return undefined
  const exception = [...span.events, ...logs].find(
    ({ name }) => name === 'exception' || name === 'gen_ai.client.operation.exception',
  )
  const thrown = exception && printException(exception)
  if (thrown !== undefined) return thrown
  const message = span.status.message || attributes.text('langfuse.observation.status_message')
  if (span.status.code === 2 || level === 'ERROR') return message || type || 'Error'
  return undefined
}

function printException(event: OtlpEvent): string | undefined {
  const text = (key: string) => toText(event.attributes[`exception.${key}`])
  const message = text('message') ?? text('type')
  const stack = text('stacktrace')
  if (message === undefined) return stack
  return stack === undefined ? message : `${message}\n\nStacktrace:\n${stack}`
}

export const FEEDBACK_SOURCES: readonly {
  readonly prefix: string
  readonly entry: string
  readonly target: MappedFeedback['target']
}[] = [
  { prefix: 'annotations', entry: 'annotation', target: 'run' },
  { prefix: 'evaluations', entry: 'evaluation', target: 'run' },
  { prefix: 'trace.annotations', entry: 'annotation', target: 'trace' },
  { prefix: 'trace.evaluations', entry: 'evaluation', target: 'trace' },
  { prefix: 'session.annotations', entry: 'annotation', target: 'thread' },
  { prefix: 'session.evaluations', entry: 'evaluation', target: 'thread' },
]

/** Scores that a span or its log records carry: `gen_ai.evaluation.result`, and OpenInference's annotations. */
export function readFeedback(
  span: OtlpSpan,
  attributes: SpanAttributes,
  logs: readonly OtlpEvent[],
): readonly MappedFeedback[] {
  const results = [...span.events, ...logs].filter(({ name }) => name === 'gen_ai.evaluation.result')
  const fromEvents = results.flatMap((event) => readEvaluation(span, event))
  const fromAttributes = FEEDBACK_SOURCES.flatMap(({ prefix, entry, target }) => {
    const tree = attributes.tree(prefix)
    return (Array.isArray(tree) ? tree : []).flatMap((one: unknown) =>
      readAnnotation(span, asRecord(one)?.[entry], target),
    )
  })
  return [...fromEvents, ...fromAttributes]
}

function readEvaluation(span: OtlpSpan, event: OtlpEvent): MappedFeedback[] {
  const own = new SpanAttributes({ ...event.attributes, ...readBody(event) } as OtlpEvent['attributes'])
  const key = own.text('gen_ai.evaluation.name')
  if (key === undefined) return []
  const score = own.number('gen_ai.evaluation.score.value')
  const [value, comment] = [own.text('gen_ai.evaluation.score.label'), own.text('gen_ai.evaluation.explanation')]
  const id = deriveId(span, 'run', key, own.text('gen_ai.response.id') ?? '')
  return [{ id, target: 'run', key, ...present({ score, value, comment }) } as MappedFeedback]
}

function readAnnotation(span: OtlpSpan, value: unknown, target: MappedFeedback['target']): MappedFeedback[] {
  const entry = asRecord(value)
  const key = toText(entry?.name)
  if (entry === undefined || key === undefined) return []
  const score = typeof entry.score === 'boolean' ? entry.score : toNumber(entry.score)
  const [label, comment] = [toText(entry.label), toText(entry.explanation)]
  const id = deriveId(span, target, key, toText(entry.identifier) ?? '')
  return [{ id, target, key, ...present({ score, value: label, comment }) } as MappedFeedback]
}

/** The same feedback has the same id: a resend overwrites it, and scores of a trace count once on whatever span they are. */
function deriveId(span: OtlpSpan, target: string, key: string, identifier: string): string {
  const subject = target === 'run' ? `${span.traceId}:${span.spanId}` : span.traceId
  const hex = createHash('sha256')
    .update(JSON.stringify([target, subject, key, identifier]))
    .digest('hex')
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
