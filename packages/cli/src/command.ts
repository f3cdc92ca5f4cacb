import type { Client } from '@touchstone/sdk'
import type { Output } from './output.ts'

/** One verb: what it says of itself, what it takes, what it does. */
export interface Command<Flags extends FlagSpecs = FlagSpecs, Names extends string = string> {
  /** One line, without a full stop. */
  readonly summary: string
  /** Names of the words after the verb; a `?` at the end makes one optional. */
  readonly words?: readonly Names[]
  readonly flags: Flags
  /** Lines below the flags, for what has a grammar of its own. */
  readonly notes?: readonly string[]
  run(call: CommandCall<Flags>): Promise<void>
}

export interface FlagSpec {
  readonly type: 'string' | 'boolean'
  /** What stands for the value in the help. */
  readonly value?: string
  /** May be given several times; the value is the list of all. */
  readonly multiple?: true
  readonly says: string
}

export type FlagSpecs = Readonly<Record<string, FlagSpec>>

export interface CommandCall<Flags extends FlagSpecs = FlagSpecs> {
  readonly client: Client
  readonly output: Output
  readonly words: readonly string[]
  readonly flags: { readonly [Name in keyof Flags]?: FlagValue<Flags[Name]> }
}

type FlagValue<Spec extends FlagSpec> = Spec['type'] extends 'boolean'
  ? boolean
  : Spec['multiple'] extends true
    ? readonly string[]
    : string

/** Declares a command; the types of its flags follow the table. */
export function command<const Flags extends FlagSpecs>(of: Command<Flags>): Command<Flags> {
  return of
}
