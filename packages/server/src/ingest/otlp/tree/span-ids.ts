import { createHash } from 'node:crypto'
import { padSpanId } from '../../../storage/analytics/run-aliases.ts'

/** Where a span belongs, by its own fields. Its run id and its path are found when its block is written. */
export interface SpanPlace {
  /** Hex digits, as exporters print them. */
  readonly otelTraceId: string
  readonly spanId: string
  readonly parentSpanId?: string | undefined
  /** It has no parent, or an attribute marks it as a root. */
  readonly isRoot: boolean
  /** Ids that `langsmith.*` attributes set. */
  readonly runId?: string | undefined
  readonly traceId?: string | undefined
  readonly parentRunId?: string | undefined
  readonly dottedOrder?: string | undefined
  /** It came without a start, so that the time of its run is another one. */
  readonly hasNoStart?: boolean | undefined
  /** It is a log record with the ids of a span, which may not have arrived. */
  readonly isLog?: boolean | undefined
  /** Thread of its trace. */
  readonly thread?: string | undefined
  /** It is a root with links to spans of this one other trace. */
  readonly linkedTraceId?: string | undefined
}

/** 16 bytes in hex as a UUID. */
export function toTraceUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The 16 hex digits of a padded span id. */
export const spanIdOfPadded = (id: string) => id.replaceAll('-', '').slice(16)

/** The first 8 bytes of a run id in hex: the span id that the LangSmith clients give the run. */
export const toSpanIdOfRun = (runId: string) => runId.replaceAll('-', '').slice(0, 16)

/** The run id of a span whose padded id belongs to a run of another trace. The same span gets the same id. */
export function deriveRunId(traceId: string, spanId: string): string {
  const hex = createHash('sha1').update(`${traceId}/${spanId}`).digest('hex').slice(0, 32)
  // The bits of a UUID version 5 (RFC 9562).
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16)
  return toTraceUuid(`${hex.slice(0, 12)}5${hex.slice(13, 16)}${variant}${hex.slice(17)}`)
}

/** The id that the run of a span gets, unless the store knows the span under another one. */
export function guessRunId(place: SpanPlace): string {
  if (place.runId !== undefined) return place.runId
  return place.isRoot ? (place.traceId ?? toTraceUuid(place.otelTraceId)) : padSpanId(place.spanId)
}

/** The id under which `run_aliases` has the traces whose roots link to a trace. */
export const toLinkKey = (traceId: string) => deriveRunId(traceId, 'linking traces')
