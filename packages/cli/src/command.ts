import type { Client } from '@touchstone/sdk'
import type { Output } from './output.ts'

/** One command: its documentation, its arguments, its implementation. Help and the reference page are made from it. */
export interface Command<Flags extends FlagSpecs = FlagSpecs, Names extends string = string> {
  /** One line, without a full stop. */
  readonly summary: string
  /** Names of the positional arguments; a `?` at the end makes one optional. */
  readonly positionals?: readonly Names[]
  readonly flags: Flags
  /** All arguments are those of another program, also `--help`: they are passed to `run` as positionals. */
  readonly isPassedOn?: true
  /** Lines below the flags, e.g. for a grammar. */
  readonly notes?: readonly string[]
  run(call: CommandCall<Flags>): Promise<void>
}

export interface FlagSpec {
  readonly type: 'string' | 'boolean'
  /** Placeholder of the value in the help. */
  readonly value?: string
  /** May be given several times; the value is the list of all. */
  readonly multiple?: true
  readonly description: string
}

export type FlagSpecs = Readonly<Record<string, FlagSpec>>

export interface CommandCall<Flags extends FlagSpecs = FlagSpecs> {
  readonly client: Client
  readonly output: Output
  readonly positionals: readonly string[]
  readonly flags: { readonly [Name in keyof Flags]?: FlagValue<Flags[Name]> }
}

type FlagValue<Spec extends FlagSpec> = Spec['type'] extends 'boolean'
  ? boolean
  : Spec['multiple'] extends true
    ? readonly string[]
    : string

/** Declares a command with the types of its flags. */
export function command<const Flags extends FlagSpecs>(definition: Command<Flags>): Command<Flags> {
  return definition
}
