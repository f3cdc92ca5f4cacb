import { SETTINGS, type Setting, TASK_FLAGS, type TaskFlag } from '../settings.ts'

/** The text of `--help`. */
export function formatHelp(): string {
  const settings: readonly Setting<unknown>[] = Object.values(SETTINGS)
  const flags = settings.flatMap(({ flag, otherwise, defaultText, description }) =>
    flag === undefined
      ? []
      : [{ flag, value: 'VALUE', description: `${plain(description)} Default: ${defaultText ?? String(otherwise)}.` }],
  )
  const tasks = [
    ...TASK_FLAGS,
    { flag: 'verify-cluster', value: '', description: 'Check PostgreSQL, ClickHouse and S3 of the settings and exit.' },
    { flag: 'help', value: '', description: 'Print this text.' },
    { flag: 'version', value: '', description: 'Print the version.' },
  ]
  return [
    'Starts Touchstone: the API and the web UI, on embedded stores unless others are set.',
    '',
    'Usage: touchstone start [flags], or npm start -- [flags] in a clone of the repository',
    '',
    ...formatFlags(flags),
    '',
    'Instead of starting:',
    ...formatFlags(tasks),
    '',
    'Each setting also has an environment variable, which its flag overrides: --data-dir is TOUCHSTONE_DATA_DIR. Other',
    'stores are set by variables:',
    ...[SETTINGS.postgresUrl, SETTINGS.clickhouseUrl, SETTINGS.s3Bucket].flatMap(({ env, description }) => [
      `  ${env}`,
      ...wrap(description, 90).map((line) => `      ${line}`),
    ]),
  ].join('\n')
}

function formatFlags(flags: readonly TaskFlag[]): string[] {
  return flags.flatMap(({ flag, value, description }) => [
    `  --${flag}${value === '' ? '' : ` ${value}`}`,
    ...wrap(description, 90).map((line) => `      ${line}`),
  ])
}

/** Descriptions are Markdown in the reference. */
const plain = (text: string) => text.replaceAll('`', '')

function wrap(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}
