import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { type Client, type Dataset, NotFoundError } from '@touchstone/sdk'
import { command } from '../../command.ts'
import { datasetKey, isUuid, UsageError } from '../../flags.ts'
import { progressTo } from '../../progress.ts'
import { type Columns, readRows } from './read-rows.ts'

export default command({
  summary: 'Add the rows of a CSV or JSONL file to a dataset, which is created if it is not there',
  words: ['file', 'dataset?'],
  flags: {
    inputs: { type: 'string', value: 'COLUMNS', says: 'columns that become inputs, with commas between' },
    outputs: { type: 'string', value: 'COLUMNS', says: 'columns that become outputs' },
    metadata: { type: 'string', value: 'COLUMNS', says: 'columns that become metadata' },
    split: { type: 'string', value: 'NAME', says: 'split of rows that name none' },
  },
  notes: [
    'A line of JSONL is an example: {"inputs": {…}, "outputs": {…}, "metadata": {…}, "split": "…", "id": "…"}, all but the',
    'inputs optional; with --inputs it is any object, whose members are its columns. CSV needs --inputs; its cells stay text.',
    'The dataset is named by id or name (default: the name of the file). A thousand rows at a time are stored, whole or not',
    'at all; if it ends early, it says how many are.',
  ],
  async run({ client, output, words, flags }) {
    const [path = '', word = basename(path, extname(path))] = words
    const columns = columnsOf(flags)
    const isCsv = extname(path).toLowerCase() === '.csv'
    if (isCsv && columns === undefined) throw new UsageError('A CSV file needs --inputs.')
    if (!(await stat(path).catch(() => undefined))?.isFile()) throw new UsageError(`There is no file ${path}.`)

    const { dataset, isNew } = await findOrCreate(client, word)
    const rows = readRows(createReadStream(path, 'utf8'), { isCsv, columns, split: flags.split })
    const answer = await client.uploadExamplesMultipart(dataset.id, rows, { onProgress: progressTo(output) })

    const result = { dataset_id: dataset.id, name: dataset.name, count: answer.count, as_of: answer.as_of ?? null }
    output.data(result, ({ dataset_id }) => dataset_id)
    output.talk(`Added ${answer.count} examples to ${isNew ? 'the new dataset' : 'the dataset'} "${dataset.name}".`)
  },
})

function columnsOf(flags: Partial<Record<'inputs' | 'outputs' | 'metadata', string>>): Columns | undefined {
  const { inputs, outputs, metadata } = flags
  if (inputs !== undefined) return { inputs: names(inputs), outputs: names(outputs), metadata: names(metadata) }
  if (outputs !== undefined || metadata !== undefined) throw new UsageError('--outputs and --metadata need --inputs.')
  return undefined
}

const names = (list = '') => list.split(',').flatMap((name) => name.trim() || [])

async function findOrCreate(client: Client, word: string): Promise<{ dataset: Dataset; isNew: boolean }> {
  try {
    return { dataset: await client.readDataset(datasetKey(word)), isNew: false }
  } catch (error) {
    if (!(error instanceof NotFoundError) || isUuid(word)) throw error
    return { dataset: await client.createDataset(word), isNew: true }
  }
}
