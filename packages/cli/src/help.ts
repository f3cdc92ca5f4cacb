import { GLOBAL_FLAGS } from './arguments.ts'
import type { Command, FlagSpecs } from './command.ts'
import { COMMANDS } from './commands/index.ts'
import { EXIT } from './exit-codes.ts'

/** Help for the whole program. */
export async function formatProgramHelp(): Promise<string> {
  const commands = await loadCommands()
  const width = Math.max(...commands.map(({ name }) => name.length))
  return [
    'touchstone <command> [flags]',
    '',
    ...commands.map(({ name, command }) => `  ${name.padEnd(width)}  ${command.summary}`),
    '',
    'Global flags:',
    ...formatFlags(GLOBAL_FLAGS),
    '',
    'Exit codes:',
    ...Object.values(EXIT).map(({ code, meaning }) => `  ${code}  ${meaning}`),
  ].join('\n')
}

/** Help for one command. */
export function formatCommandHelp(name: string, command: Command): string {
  const flags = formatFlags(command.flags)
  return [
    formatUsage(name, command),
    '',
    `${command.summary}.`,
    '',
    ...(flags.length > 0 ? ['Flags:', ...flags, ''] : []),
    ...(command.notes ? [...command.notes, ''] : []),
    'Global flags:',
    ...formatFlags(GLOBAL_FLAGS),
  ].join('\n')
}

/** The reference page in Markdown: all commands with their flags. */
export async function formatReferencePage(): Promise<string> {
  const commands = await loadCommands()
  return `${[
    '# Command line',
    '<!-- Written by scripts/write-reference.mjs; change the code and run it. -->',
    'Data goes to standard output, messages go to standard error. `touchstone <command> --help` shows this text in the terminal.',
    '## Global flags',
    formatFlagTable(GLOBAL_FLAGS),
    '## Exit codes',
    formatMarkdownTable(
      ['code', 'meaning'],
      Object.values(EXIT).map(({ code, meaning }) => [String(code), meaning]),
    ),
    '## Commands',
    ...commands.map(({ name, command }) => formatReferenceSection(name, command)),
  ].join('\n\n')}\n`
}

function formatReferenceSection(name: string, command: Command): string {
  const parts = [`### ${name}`, `${command.summary}.`, `\`\`\`\n${formatUsage(name, command)}\n\`\`\``]
  if (Object.keys(command.flags).length > 0) parts.push(formatFlagTable(command.flags))
  if (command.notes) parts.push(`\`\`\`text\n${command.notes.join('\n').trim()}\n\`\`\``)
  return parts.join('\n\n')
}

async function loadCommands(): Promise<{ name: string; command: Command }[]> {
  return await Promise.all(Object.entries(COMMANDS).map(async ([name, load]) => ({ name, command: await load() })))
}

function formatUsage(name: string, { positionals = [] }: Command): string {
  const placeholders = positionals.map((positional) =>
    positional.endsWith('?') ? `[${positional.slice(0, -1)}]` : `<${positional}>`,
  )
  return ['touchstone', name, ...placeholders, '[flags]'].join(' ')
}

function formatFlags(flags: FlagSpecs): string[] {
  const entries = toFlagEntries(flags)
  const width = Math.max(...entries.map(({ flag }) => flag.length))
  return entries.map(({ flag, description }) => `  ${flag.padEnd(width)}  ${description}`)
}

function formatFlagTable(flags: FlagSpecs): string {
  const rows = toFlagEntries(flags).map(({ flag, description }) => [`\`${flag}\``, description])
  return formatMarkdownTable(['flag', 'description'], rows)
}

function toFlagEntries(flags: FlagSpecs) {
  return Object.entries(flags).map(([name, { value, description }]) => ({
    flag: `--${name}${value ? ` ${value}` : ''}`,
    description,
  }))
}

function formatMarkdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
