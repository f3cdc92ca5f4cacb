import type { SpanPlace } from './span-ids.ts'

/** A run of the trace that is stored, or is written in the same block by an SDK. */
export interface KnownRun {
  readonly id: string
  readonly parentRunId: string | null
  readonly dottedOrder: string
  /** Its path is a short one, because it is deeper than paths are long; where its parent is not among the known runs. */
  readonly isDeep?: boolean | undefined
}

export interface NewSpan {
  readonly place: SpanPlace
  /** In the contract's printed form. */
  readonly startTime: string
}

/** The position of a run in its trace. */
export type PlacedRun = KnownRun

export interface TraceFacts {
  readonly traceId: string
  readonly spans: readonly NewSpan[]
  /** Without the stored placeholder, whose position follows from the others. */
  readonly known: ReadonlyMap<string, KnownRun>
  /** That placeholder, where runs below it may be missing in `known`: it starts with the earliest of them. */
  readonly placeholder?: KnownRun | undefined
  /** Whether a run id belongs to a run of another trace. */
  readonly isTaken: (id: string) => boolean
  /**
   * Padded span id → run id, of stored spans whose run has another id. The id of the trace → padded id of its root span, or the
   * id of the trace itself where attributes of the root set its run id.
   */
  readonly aliases: ReadonlyMap<string, string>
  /** Known runs that only log records have written, under the padded ids of their spans. */
  readonly logged: ReadonlySet<string>
}

/** The stored run of the root, which gets an id of its own because the attributes of another span name it as the root. */
export interface RenamedRun {
  readonly from: string
  readonly to: string
}

export interface PlacedTrace {
  /** The run of a span of the trace, which may not have arrived. */
  readonly findRunId: (spanId: string) => string
  /** By span id. */
  readonly spans: ReadonlyMap<string, PlacedRun>
  /** Known runs that have another position now; the renamed one by its new id. */
  readonly moved: readonly PlacedRun[]
  /** Stands for the root, which has not arrived. */
  readonly placeholder: PlacedRun | undefined
  /** The root or the placeholder. */
  readonly anchor: PlacedRun | undefined
  readonly renamed: RenamedRun | undefined
  /** Runs of log records by their id → the run of their span, which has another id. */
  readonly joined: ReadonlyMap<string, string>
  /** As in the facts, of the spans placed here. */
  readonly aliases: ReadonlyMap<string, string>
}
