import type { AgentAddress, RunType } from '@touchstone/contract'
import { type Outline, outlineJson } from '@touchstone/formats/outline-json'
import type { CostWrite } from '../features/bulk-jobs/repricing/index.ts'
import type { SpanPlace } from './otlp/tree/span-ids.ts'

/** A create or an update of one run, validated and in our forms. Fields that were missing or null are absent. */
export interface RunWrite {
  readonly kind: 'post' | 'patch'
  /** It stands for a run that has not arrived: the next write of the run replaces all of it. */
  readonly isPlaceholder?: boolean | undefined
  /** It changes the position or the thread of a stored run, which may lack its create even after it. */
  readonly isMove?: boolean | undefined
  readonly id: string
  readonly traceId?: string | undefined
  /** Null for a run that has no parent, whatever was stored before. */
  readonly parentRunId?: string | null | undefined
  readonly dottedOrder?: string | undefined
  readonly sessionId?: string | undefined
  readonly sessionName?: string | undefined
  /** The project of the run if no write of it names one; set when projects are found, in writes that name none. */
  readonly defaultSessionId?: string | undefined
  /** Environment of an agent, which determines the project; never together with a session. */
  readonly address?: AgentAddress | undefined
  readonly name?: string | undefined
  readonly runType?: RunType | undefined
  /** Times are in the contract's printed form. */
  readonly startTime?: string | undefined
  readonly endTime?: string | undefined
  readonly error?: string | undefined
  readonly interrupted?: boolean | undefined
  readonly referenceExampleId?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly inputs?: RawPayload | undefined
  readonly outputs?: RawPayload | undefined
  readonly extra?: RawPayload | undefined
  readonly events?: RawPayload | undefined
  readonly serialized?: RawPayload | undefined
  /** Of an OpenTelemetry span: its id and its path are found when its block is written. */
  readonly span?: SpanPlace | undefined
  /** New costs of the stored run, without any other change; a run that is not stored stays so. */
  readonly costs?: Omit<CostWrite, 'id'> | undefined
  /** When its request arrived; set when its project is found. */
  readonly receivedAt?: string | undefined
  /** Its size in the buffer. */
  readonly bytes: number
}

/** Payload fields, as raw JSON text. */
export const PAYLOAD_FIELDS = ['inputs', 'outputs', 'extra', 'events', 'serialized'] as const
export type PayloadField = (typeof PAYLOAD_FIELDS)[number]

/** A run that cannot be stored; the others of the request can. */
export class BadRun extends Error {
  override readonly name: string = 'BadRun'
}

/** A run that cannot be stored because one of its fields is too large. */
export class LargeRun extends BadRun {
  override readonly name = 'LargeRun'
}

/** Larger texts are parsed only as far as columns are derived from them. */
export const MAX_PARSED_LENGTH = 256 * 1024

/** A payload of the user: the raw JSON text, and its value for derived columns. */
export class RawPayload {
  #read: Outline | undefined

  private constructor(
    readonly text: string,
    read: Outline | undefined,
  ) {
    this.#read = read
  }

  /** Valid text, parsed when its value is first read; a large text is only outlined. */
  static trusted(text: string): RawPayload {
    return new RawPayload(text, undefined)
  }

  /** Text with the value that it was printed from or parsed to. */
  static of(text: string, value: unknown): RawPayload {
    return new RawPayload(text, toWhole(value))
  }

  get value(): unknown {
    return this.outline.value
  }

  /** The value, and what it lacks because the text is large. */
  get outline(): Outline {
    this.#read ??= this.text.length > MAX_PARSED_LENGTH ? outlineJson(this.text) : toWhole(JSON.parse(this.text))
    return this.#read
  }
}

const NO_LISTS: ReadonlySet<string> = new Set()
const toWhole = (value: unknown): Outline => ({ value, isCut: false, cutLists: NO_LISTS })
