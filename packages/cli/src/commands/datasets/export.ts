import { writeFile } from 'node:fs/promises'
import { command } from '../../command.ts'
import { datasetKey, oneOf, UsageError } from '../../flags.ts'

const FORMATS = ['jsonl', 'csv', 'openai', 'openai_ft'] as const

export default command({
  summary: 'Print the examples of a dataset, or write them to a file',
  words: ['id-or-name'],
  flags: {
    format: { type: 'string', value: 'FORMAT', says: 'jsonl, csv, openai (evals) or openai_ft (fine-tuning)' },
    for: {
      type: 'string',
      value: 'READER',
      says: 'spreadsheet: CSV whose cells cannot act as formulas (default as stored)',
    },
    'as-of': { type: 'string', value: 'VERSION', says: 'a time or a tag (default the newest)' },
    output: { type: 'string', value: 'FILE', says: 'where to write (default standard output)' },
  },
  async run({ client, output, words, flags }) {
    const format = oneOf('format', FORMATS, flags.format) ?? 'jsonl'
    if (output.isJson && format === 'csv') throw new UsageError('--json does not go with --format csv.')
    const reader = oneOf('for', ['spreadsheet'] as const, flags.for)
    if (reader !== undefined && format !== 'csv') throw new UsageError('--for goes with --format csv.')
    const what = { ...datasetKey(words[0] ?? ''), format, asOf: flags['as-of'], for: reader }
    const text = await client.exportDataset(what, { timeoutMs: 600_000 })
    if (flags.output === undefined) {
      output.data(output.isJson ? lines(text).map((line) => JSON.parse(line)) : text, () => text.replace(/\r?\n$/, ''))
      return
    }
    await writeFile(flags.output, text)
    output.data({ file: flags.output, bytes: Buffer.byteLength(text) }, () => '')
    output.talk(`Wrote ${flags.output}.`)
  },
})

const lines = (text: string) => text.split('\n').filter((line) => line.trim() !== '')
