import { Client } from '@touchstone/sdk'
import { parseArguments } from './arguments.ts'
import type { Command } from './command.ts'
import { COMMANDS } from './commands/index.ts'
import { EXIT, type ExitCode, toExitCode, UsageError } from './exit-codes.ts'
import { formatCommandHelp, formatProgramHelp } from './help.ts'
import { createOutput } from './output.ts'

/** Runs a command line. Errors are printed to standard error and turned into an exit code. */
export async function runProgram(args: readonly string[]): Promise<ExitCode> {
  try {
    const found = findCommand(args)
    if (found === undefined) return await printProgramHelp(args)
    await runCommand(found.name, await found.load(), found.rest)
    return EXIT.OK.code
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (message !== '') console.error(message)
    if (error instanceof UsageError) console.error('Use --help for usage.')
    return toExitCode(error)
  }
}

async function runCommand(name: string, command: Command, args: readonly string[]): Promise<void> {
  const { positionals, flags } = command.isPassedOn ? { positionals: args, flags: {} } : parseArguments(command, args)
  if (flags.help) return console.log(formatCommandHelp(name, command))
  const client = new Client({
    ...(typeof flags.endpoint === 'string' && { apiUrl: flags.endpoint }),
    ...(typeof flags['api-key'] === 'string' && { apiKey: flags['api-key'] }),
    callerOptions: { maxRetries: 1 }, // a person is waiting
  })
  await command.run({ client, output: createOutput(flags.json === true), positionals, flags })
}

/** Finds the command named by the first two arguments or the first one. */
function findCommand(args: readonly string[]) {
  for (const length of [2, 1]) {
    const name = args.slice(0, length).join(' ')
    const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
    if (load) return { name, load, rest: args.slice(length) }
  }
  return undefined
}

async function printProgramHelp(args: readonly string[]): Promise<ExitCode> {
  const names = args.filter((arg) => !arg.startsWith('-'))
  const isRequested = args.some((arg) => arg === '--help' || arg === '-h' || arg === 'help')
  if (names.length > 0 && !isRequested) {
    throw new UsageError(`Unknown command "${names.slice(0, 2).join(' ')}".`)
  }
  const help = await formatProgramHelp()
  if (isRequested) console.log(help)
  else console.error(help)
  return isRequested ? EXIT.OK.code : EXIT.USAGE.code
}
