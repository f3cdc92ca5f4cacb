import type { RunType } from '@touchstone/contract'

/** Everything of a run that the attributes, events and status of its span say. Ids and paths come from the tree. */
export interface MappedSpan {
  readonly name: string
  readonly runType: RunType
  /** JSON objects; absent when no source has a value. */
  readonly inputs?: JsonObject | undefined
  readonly outputs?: JsonObject | undefined
  /**
   * `metadata` (with `usage_metadata`), `invocation_params`, `runtime`, and `otel`: the resource, the scope, links, trace state,
   * raw usage, reported cost, and the text of sources whose conversion lost a part.
   */
  readonly extra: JsonObject
  /** `{name, time, kwargs}`; `new_token` at the time of the first token. */
  readonly events: readonly JsonObject[]
  /** Message of the first exception, a blank line and its stack; or the message of the status. */
  readonly error?: string | undefined
  readonly tags?: readonly string[] | undefined
  /** The project that the span names. */
  readonly sessionId?: string | undefined
  readonly sessionName?: string | undefined
  readonly referenceExampleId?: string | undefined
  /** Ids that `langsmith.*` attributes set; they replace those of the span. */
  readonly ids: {
    readonly runId?: string | undefined
    readonly traceId?: string | undefined
    readonly parentRunId?: string | undefined
    readonly dottedOrder?: string | undefined
    readonly isRoot: boolean
  }
  readonly thread?: string | undefined
  readonly attachments: readonly MappedAttachment[]
  /** Whether it refers to files that its instrumentation uploads beside it. */
  readonly hasUploads: boolean
  readonly feedback: readonly MappedFeedback[]
  /** Sentences for the receipt of the span and for its run: what was cut, dropped or could not be read. */
  readonly warnings: readonly string[]
}

export type JsonObject = { readonly [key: string]: unknown }

export interface MappedAttachment {
  readonly name: string
  readonly mimeType: string
  readonly bytes: Buffer
}

/** Feedback that a span or log record carries; its id is derived, so that a resend overwrites it. */
export interface MappedFeedback {
  /** UUID from the span's id, the name and the annotator. */
  readonly id: string
  readonly target: 'run' | 'trace' | 'thread'
  readonly key: string
  readonly score?: number | boolean | undefined
  readonly value?: string | undefined
  readonly comment?: string | undefined
}
