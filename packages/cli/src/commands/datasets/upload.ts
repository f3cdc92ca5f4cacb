import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { type Client, type Dataset, NotFoundError, type UploadProgress } from '@touchstone/sdk'
import { isUuid, toDatasetKey } from '../../arguments.ts'
import { command } from '../../command.ts'
import { UsageError } from '../../exit-codes.ts'
import type { Output } from '../../output.ts'
import { type ColumnMapping, readExamples } from './read-examples.ts'

export const uploadExamples = command({
  summary: 'Add the rows of a CSV or JSONL file to a dataset, which is created if it does not exist',
  positionals: ['file', 'dataset?'],
  flags: {
    inputs: { type: 'string', value: 'COLUMNS', description: 'columns that become inputs, separated by commas' },
    outputs: { type: 'string', value: 'COLUMNS', description: 'columns that become outputs' },
    metadata: { type: 'string', value: 'COLUMNS', description: 'columns that become metadata' },
    split: { type: 'string', value: 'NAME', description: 'split of rows without a split of their own' },
  },
  notes: [
    'A line of JSONL is an example: {"inputs": {…}, "outputs": {…}, "metadata": {…}, "split": "…", "id": "…"}. Only inputs',
    'are required. With --inputs, a line is any object and its members are the columns. CSV (with commas, semicolons, tabs or',
    'vertical bars) requires --inputs; cells are stored as text. The dataset is an id or a name (default: the name of the file). Rows are stored in batches of 1,000, each',
    'completely or not at all. If the upload stops early, the number of stored rows is printed. NaN and Infinity become null.',
  ],
  async run({ client, output, positionals, flags }) {
    const [path = '', idOrName = basename(path, extname(path))] = positionals
    const columns = readColumnMapping(flags)
    const isCsv = ['.csv', '.tsv'].includes(extname(path).toLowerCase())
    if (isCsv && columns === undefined) throw new UsageError('A CSV file needs --inputs.')
    if (!(await stat(path).catch(() => undefined))?.isFile()) throw new UsageError(`There is no file ${path}.`)

    const { dataset, isNew } = await findOrCreateDataset(client, idOrName)
    const repairs = new Repairs()
    const options = { isCsv, columns, split: flags.split, onRepaired: repairs.add }
    const examples = readExamples(createReadStream(path, 'utf8'), options)
    const onProgress = createProgressPrinter(output)
    const { count, as_of = null } = await client.uploadExamplesMultipart(dataset.id, examples, { onProgress })

    if (repairs.text !== undefined) output.message(repairs.text)
    output.data({ dataset_id: dataset.id, name: dataset.name, count, as_of }, ({ dataset_id }) => dataset_id)
    output.message(`Added ${count} examples to ${isNew ? 'the new dataset' : 'the dataset'} "${dataset.name}".`)
  },
})

/** Lines of a file with NaN or Infinity, which Python prints and JSON does not have. */
class Repairs {
  private lines = 0
  private first = ''

  readonly add = (line: number, fields: readonly string[]): void => {
    if (this.lines++ === 0) this.first = `line ${line} (${fields.join(', ')})`
  }

  get text(): string | undefined {
    if (this.lines === 0) return undefined
    const where = this.lines === 1 ? this.first : `${this.lines} lines, the first is ${this.first}`
    return `NaN and Infinity are stored as null on ${where}.`
  }
}

function readColumnMapping(
  flags: Partial<Record<'inputs' | 'outputs' | 'metadata', string>>,
): ColumnMapping | undefined {
  const { inputs, outputs, metadata } = flags
  if (inputs !== undefined) {
    return { inputs: splitNames(inputs), outputs: splitNames(outputs), metadata: splitNames(metadata) }
  }
  if (outputs !== undefined || metadata !== undefined) throw new UsageError('--outputs and --metadata need --inputs.')
  return undefined
}

function splitNames(list = ''): string[] {
  return list.split(',').flatMap((name) => name.trim() || [])
}

async function findOrCreateDataset(client: Client, idOrName: string): Promise<{ dataset: Dataset; isNew: boolean }> {
  try {
    return { dataset: await client.readDataset(toDatasetKey(idOrName)), isNew: false }
  } catch (error) {
    if (!(error instanceof NotFoundError) || isUuid(idOrName)) throw error
    return { dataset: await client.createDataset(idOrName), isNew: true }
  }
}

const PROGRESS_INTERVAL_MS = 1000

function createProgressPrinter(output: Output): (progress: UploadProgress) => void {
  let printedAt = Date.now()
  return ({ uploaded, total }) => {
    if (Date.now() - printedAt < PROGRESS_INTERVAL_MS) return
    printedAt = Date.now()
    output.message(`${uploaded}${total === undefined ? '' : ` of ${total}`} examples stored …`)
  }
}
