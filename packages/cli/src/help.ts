import type { Command, FlagSpecs } from './command.ts'
import { COMMANDS } from './commands/index.ts'
import { EXIT } from './exit-codes.ts'
import { GLOBAL_FLAGS } from './parse-call.ts'

/** The page of the whole program. */
export async function programHelp(): Promise<string> {
  const names = Object.keys(COMMANDS)
  const width = Math.max(...names.map((name) => name.length))
  const lines = await Promise.all(
    names.map(async (name) => `  ${name.padEnd(width)}  ${(await COMMANDS[name]!()).default.summary}`),
  )
  return [
    'touchstone <command> [flags]',
    '',
    ...lines,
    '',
    'Flags of every command:',
    ...flagLines(GLOBAL_FLAGS),
    '',
    'Exit codes:',
    ...Object.values(EXIT).map(({ code, says }) => `  ${code}  ${says}`),
  ].join('\n')
}

/** The page of one command. */
export function commandHelp(name: string, command: Command): string {
  const words = (command.words ?? []).map((word) => (word.endsWith('?') ? `[${word.slice(0, -1)}]` : `<${word}>`))
  const own = flagLines(command.flags)
  return [
    ['touchstone', name, ...words, '[flags]'].join(' '),
    '',
    `${command.summary}.`,
    '',
    ...(own.length > 0 ? ['Flags:', ...own, ''] : []),
    ...(command.notes ? [...command.notes, ''] : []),
    'Flags of every command:',
    ...flagLines(GLOBAL_FLAGS),
  ].join('\n')
}

function flagLines(flags: FlagSpecs): string[] {
  const entries = Object.entries(flags).map(([name, { value, says }]) => [`--${name}${value ? ` ${value}` : ''}`, says])
  const width = Math.max(...entries.map(([flag]) => flag!.length))
  return entries.map(([flag, says]) => `  ${flag!.padEnd(width)}  ${says}`)
}
