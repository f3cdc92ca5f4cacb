import type { EngineSettings, Table } from '../port.ts'
import type { SourceTable } from './linked-tables.ts'

/** A statement for the process, with the tables that it reads. */
export interface StatementTask {
  readonly id: number
  readonly tables: readonly SourceTable[]
  readonly text: string
  readonly params: Readonly<Record<string, unknown>>
  readonly settings: EngineSettings
}

/** Sent by the process: when its tables are ready, and when the statement has ended. */
export type StatementMessage =
  | { readonly id: number; readonly started: true }
  | { readonly id: number; readonly table: Table }
  | { readonly id: number; readonly failure: StatementFailure }

export interface StatementFailure {
  readonly name: string
  readonly message: string
  /** Error code and error type of the engine. */
  readonly code?: string | undefined
  readonly type?: string | undefined
}
