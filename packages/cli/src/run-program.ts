import { Client } from '@touchstone/sdk'
import type { Command } from './command.ts'
import { COMMANDS } from './commands/index.ts'
import { EXIT, type ExitCode, exitCodeOf, UsageError } from './exit-codes.ts'
import { commandHelp, programHelp } from './help.ts'
import { createOutput } from './output.ts'
import { parseCall } from './parse-call.ts'

/** Runs a command line; errors become a sentence and an exit code. */
export async function runProgram(args: readonly string[]): Promise<ExitCode> {
  try {
    const found = findCommand(args)
    if (found === undefined) return await helpOrComplain(args)
    await runCommand(found.name, (await COMMANDS[found.name]!()).default, found.rest)
    return EXIT.OK.code
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (message !== '') console.error(message)
    if (error instanceof UsageError) console.error('--help shows how.')
    return exitCodeOf(error)
  }
}

async function runCommand(name: string, command: Command, args: readonly string[]): Promise<void> {
  const { words, flags } = parseCall(command, args)
  if (flags.help) return console.log(commandHelp(name, command))
  const client = new Client({
    ...(typeof flags.endpoint === 'string' && { apiUrl: flags.endpoint }),
    ...(typeof flags['api-key'] === 'string' && { apiKey: flags['api-key'] }),
    callerOptions: { maxRetries: 1 }, // a person waits
  })
  await command.run({ client, output: createOutput(flags.json === true), words, flags })
}

/** The longest run of first words that names a command. */
function findCommand(args: readonly string[]): { name: string; rest: readonly string[] } | undefined {
  for (const length of [2, 1]) {
    const name = args.slice(0, length).join(' ')
    if (Object.hasOwn(COMMANDS, name)) return { name, rest: args.slice(length) }
  }
  return undefined
}

async function helpOrComplain(args: readonly string[]): Promise<ExitCode> {
  const words = args.filter((arg) => !arg.startsWith('-'))
  const asked = args.some((arg) => arg === '--help' || arg === '-h' || arg === 'help')
  if (words.length > 0 && !asked) throw new UsageError(`There is no command "${words.slice(0, 2).join(' ')}".`)
  const help = await programHelp()
  if (asked) console.log(help)
  else console.error(help)
  return asked ? EXIT.OK.code : EXIT.USAGE.code
}
