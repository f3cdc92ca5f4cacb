import type { AgentAddress, RunType } from '@touchstone/contract'
import type { Cargo } from './cargo.ts'

/** A create or an update of one run, checked and in our forms. What it did not say, or said as null, is absent. */
export interface RunWrite {
  readonly kind: 'post' | 'patch'
  readonly id: string
  readonly traceId?: string | undefined
  readonly parentRunId?: string | undefined
  readonly dottedOrder?: string | undefined
  readonly sessionId?: string | undefined
  readonly sessionName?: string | undefined
  /** Environment of an agent, whose project it goes to; never beside a session. */
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
  readonly inputs?: Cargo | undefined
  readonly outputs?: Cargo | undefined
  readonly extra?: Cargo | undefined
  readonly events?: Cargo | undefined
  readonly serialized?: Cargo | undefined
  /** What it weighs in the buffer. */
  readonly bytes: number
}

/** Payload fields, kept as the text that came. */
export const CARGO_FIELDS = ['inputs', 'outputs', 'extra', 'events', 'serialized'] as const
export type CargoField = (typeof CARGO_FIELDS)[number]

/** A run that cannot be stored; its neighbours can. */
export class BadRun extends Error {
  override readonly name: string = 'BadRun'
}

/** A run that cannot be stored because one of its fields is too large. */
export class LargeRun extends BadRun {
  override readonly name = 'LargeRun'
}
