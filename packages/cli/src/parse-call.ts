import { parseArgs } from 'node:util'
import type { Command, FlagSpec, FlagSpecs } from './command.ts'
import { UsageError } from './exit-codes.ts'

/** What every command takes. */
export const GLOBAL_FLAGS = {
  endpoint: {
    type: 'string',
    value: 'URL',
    says: 'the server (default TOUCHSTONE_ENDPOINT, else http://localhost:3000)',
  },
  'api-key': { type: 'string', value: 'KEY', says: 'the key (default TOUCHSTONE_API_KEY)' },
  json: { type: 'boolean', says: 'print data as JSON' },
  help: { type: 'boolean', says: 'show this' },
} as const satisfies FlagSpecs

/** Values as the flag's type says. */
// biome-ignore lint/suspicious/noExplicitAny: what a name holds is known where the command declares it
export type FlagValues = Readonly<Record<string, any>>

export interface ParsedCall {
  readonly words: readonly string[]
  readonly flags: FlagValues
}

/** @throws UsageError naming what is unknown, missing or too much */
export function parseCall(command: Command, args: readonly string[]): ParsedCall {
  const { values, positionals } = parse(command.flags, args)
  const wanted = command.words ?? []
  const missing = wanted.filter((word) => !word.endsWith('?'))[positionals.length]
  if (missing !== undefined && !values.help) throw new UsageError(`<${missing}> is missing.`)
  if (positionals.length > wanted.length) throw new UsageError(`"${positionals[wanted.length]}" is one word too many.`)
  return { words: positionals, flags: { ...values } }
}

function parse(flags: FlagSpecs, args: readonly string[]) {
  const all = Object.entries({ ...flags, ...GLOBAL_FLAGS })
  const options = Object.fromEntries(
    all.map(([name, { type, multiple }]: [string, FlagSpec]) => [
      name,
      { type, multiple: multiple === true, ...(name === 'help' && { short: 'h' }) },
    ]),
  )
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0]!, { cause: error })
  }
}
