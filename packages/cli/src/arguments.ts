import { parseArgs } from 'node:util'
import { parseUuid } from '@touchstone/contract'
import { isRecord } from '@touchstone/formats/guards'
import type { Command, FlagSpec, FlagSpecs } from './command.ts'
import { UsageError } from './exit-codes.ts'

/** Flags of every command. */
export const GLOBAL_FLAGS = {
  endpoint: {
    type: 'string',
    value: 'URL',
    description: 'server URL (default TOUCHSTONE_ENDPOINT, else http://localhost:3000)',
  },
  'api-key': { type: 'string', value: 'KEY', description: 'API key (default TOUCHSTONE_API_KEY)' },
  json: { type: 'boolean', description: 'print data as JSON' },
  help: { type: 'boolean', description: 'show help' },
} as const satisfies FlagSpecs

// biome-ignore lint/suspicious/noExplicitAny: the type of a flag is known where the command declares it
export type FlagValues = Readonly<Record<string, any>>

export interface ParsedArguments {
  readonly positionals: readonly string[]
  readonly flags: FlagValues
}

/** @throws UsageError that names the unknown, missing or superfluous argument */
export function parseArguments(command: Command, args: readonly string[]): ParsedArguments {
  const { values, positionals } = parse(command.flags, args)
  const expected = command.positionals ?? []
  const missing = expected.filter((name) => !name.endsWith('?'))[positionals.length]
  if (missing !== undefined && !values.help) throw new UsageError(`<${missing}> is missing.`)
  if (positionals.length > expected.length) {
    throw new UsageError(`"${positionals[expected.length]}" is one argument too many.`)
  }
  return { positionals, flags: { ...values } }
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
    const [sentence = ''] = (error as Error).message.split('. ')
    throw new UsageError(sentence, { cause: error })
  }
}

/** @throws UsageError when the value is not a positive integer */
export function parsePositiveInteger(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (Number.isInteger(number) && number > 0) return number
  throw new UsageError(`--${flag} must be a positive integer, not "${text}".`)
}

/** @throws UsageError unless the value is one of the choices */
export function parseChoice<const Choice extends string>(
  flag: string,
  choices: readonly Choice[],
  text: string | undefined,
): Choice | undefined {
  if (text === undefined) return undefined
  const found = choices.find((choice) => choice === text)
  if (found !== undefined) return found
  throw new UsageError(`--${flag} must be one of ${choices.join(', ')}, not "${text}".`)
}

/** @throws UsageError when the text is not a JSON object */
export function parseJsonObject(source: string, text: string): Record<string, unknown> {
  const value = parseJson(text)
  if (isRecord(value)) return { ...value }
  throw new UsageError(`${source} is not a JSON object.`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isUuid(text: string): boolean {
  return parseUuid(text) !== undefined
}

/** Accepts an id or a name. */
export function toDatasetKey(idOrName: string): { datasetId: string } | { datasetName: string } {
  return isUuid(idOrName) ? { datasetId: idOrName } : { datasetName: idOrName }
}

/** Accepts an id or a name of a project; experiments are projects. */
export function toProjectKey(idOrName: string): { projectId: string } | { projectName: string } {
  return isUuid(idOrName) ? { projectId: idOrName } : { projectName: idOrName }
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
])

/** A time, or the time that many minutes, hours, days or weeks ago. @throws UsageError */
export function parseSince(flag: string, since: string): string {
  const [, amount, unit = ''] = /^([1-9][0-9]{0,5})([mhdw])$/.exec(since) ?? []
  const unitMs = UNITS.get(unit)
  const time = unitMs === undefined ? Date.parse(since) : Date.now() - Number(amount) * unitMs
  if (Number.isFinite(time) && Math.abs(time) <= 8.64e15) return new Date(time).toISOString()
  throw new UsageError(`--${flag} must be an age such as 24h or 7d, or an ISO 8601 time, not "${since}".`)
}
