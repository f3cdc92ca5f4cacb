import { readFile, writeFile } from 'node:fs/promises'
import { parseChoice, parseJsonObject, toDatasetKey } from '../arguments.ts'
import { command } from '../command.ts'
import { UsageError } from '../exit-codes.ts'
import { formatTable, formatTime } from '../output.ts'
import { collect, LIMIT_FLAG, printLimitNotice, readLimit } from '../paging.ts'

const EXPORT_TIMEOUT_MS = 600_000

export const listDatasets = command({
  summary: 'List datasets, those with the newest experiments first',
  flags: {
    name: { type: 'string', value: 'TEXT', description: 'only datasets whose name contains this text' },
    limit: LIMIT_FLAG,
  },
  async run({ client, output, flags }) {
    const limit = readLimit(flags.limit)
    const datasets = await collect(client.listDatasets({ datasetNameContains: flags.name, limit }))
    output.data(datasets, (rows) =>
      formatTable(rows, [
        ['ID', ({ id }) => id],
        ['NAME', ({ name }) => name],
        ['TYPE', ({ data_type }) => data_type],
        ['EXAMPLES', ({ example_count }) => example_count],
        ['EXPERIMENTS', ({ session_count }) => session_count],
        ['CHANGED', ({ modified_at }) => formatTime(modified_at)],
      ]),
    )
    printLimitNotice(output, datasets, limit)
  },
})

export const createDataset = command({
  summary: 'Create an empty dataset',
  positionals: ['name'],
  flags: {
    description: { type: 'string', value: 'TEXT', description: 'description of the dataset' },
    type: { type: 'string', value: 'TYPE', description: 'kv, llm or chat (default kv)' },
    metadata: { type: 'string', value: 'JSON', description: 'JSON object with metadata' },
    'inputs-schema': { type: 'string', value: 'FILE', description: 'JSON Schema that all inputs must satisfy' },
    'outputs-schema': { type: 'string', value: 'FILE', description: 'JSON Schema that all outputs must satisfy' },
  },
  async run({ client, output, positionals, flags }) {
    const [name = ''] = positionals
    const dataset = await client.createDataset(name, {
      description: flags.description,
      dataType: parseChoice('type', ['kv', 'llm', 'chat'], flags.type),
      metadata: flags.metadata === undefined ? undefined : parseJsonObject('--metadata', flags.metadata),
      inputsSchema: await readSchema(flags['inputs-schema']),
      outputsSchema: await readSchema(flags['outputs-schema']),
    })
    output.data(dataset, ({ id }) => id)
    output.message(`Created the dataset "${dataset.name}".`)
  },
})

async function readSchema(path: string | undefined): Promise<Record<string, unknown> | undefined> {
  if (path === undefined) return undefined
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new UsageError(`Cannot read ${path}: ${cause.message}`, { cause })
  })
  return parseJsonObject(path, text)
}

export const exportDataset = command({
  summary: 'Print the examples of a dataset, or write them to a file',
  positionals: ['id-or-name'],
  flags: {
    format: { type: 'string', value: 'FORMAT', description: 'jsonl, csv, openai (evals) or openai_ft (fine-tuning)' },
    for: {
      type: 'string',
      value: 'READER',
      description: 'spreadsheet: CSV cells that a spreadsheet does not run as formulas (default unchanged)',
    },
    'as-of': { type: 'string', value: 'VERSION', description: 'time or tag of a version (default the newest)' },
    output: { type: 'string', value: 'FILE', description: 'output file (default standard output)' },
  },
  async run({ client, output, positionals, flags }) {
    const [idOrName = ''] = positionals
    const format = parseChoice('format', ['jsonl', 'csv', 'openai', 'openai_ft'], flags.format) ?? 'jsonl'
    if (output.isJson && format === 'csv') throw new UsageError('--json cannot be combined with --format csv.')
    const reader = parseChoice('for', ['spreadsheet'], flags.for)
    if (reader !== undefined && format !== 'csv') throw new UsageError('--for requires --format csv.')
    const params = { ...toDatasetKey(idOrName), format, asOf: flags['as-of'], for: reader }
    const text = await client.exportDataset(params, { timeoutMs: EXPORT_TIMEOUT_MS })
    if (flags.output === undefined) {
      output.data(output.isJson ? parseJsonLines(text) : text, () => text.replace(/\r?\n$/, ''))
      return
    }
    await writeFile(flags.output, text)
    output.data({ file: flags.output, bytes: Buffer.byteLength(text) }, () => '')
    output.message(`Wrote ${flags.output}.`)
  },
})

function parseJsonLines(text: string): unknown[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => JSON.parse(line))
}

export const deleteDataset = command({
  summary: 'Delete a dataset with its examples and versions',
  positionals: ['id-or-name'],
  flags: { yes: { type: 'boolean', description: 'confirm; without this flag nothing is deleted' } },
  async run({ client, output, positionals, flags }) {
    const [idOrName = ''] = positionals
    const { id, name, example_count } = await client.readDataset(toDatasetKey(idOrName))
    if (!flags.yes) {
      throw new UsageError(
        `This would delete the dataset "${name}" and its ${example_count} examples. Add --yes to confirm.`,
      )
    }
    await client.deleteDataset({ datasetId: id })
    output.data({ id, name, deleted: true }, () => '')
    output.message(`Deleted the dataset "${name}" (${id}).`)
  },
})

export const listVersions = command({
  summary: 'List the versions of a dataset, newest first',
  positionals: ['id-or-name'],
  flags: {
    example: { type: 'string', value: 'ID', description: 'only versions that changed this example' },
    tag: { type: 'string', value: 'TEXT', description: 'only versions with a tag that contains this text' },
    limit: LIMIT_FLAG,
  },
  async run({ client, output, positionals, flags }) {
    const [idOrName = ''] = positionals
    const limit = readLimit(flags.limit)
    const query = { ...toDatasetKey(idOrName), exampleId: flags.example, search: flags.tag, limit }
    const versions = await collect(client.listDatasetVersions(query))
    output.data(versions, (rows) =>
      formatTable(rows, [
        ['VERSION', ({ as_of }) => as_of],
        ['TAGS', ({ tags }) => tags?.join(', ') || undefined],
      ]),
    )
    printLimitNotice(output, versions, limit)
  },
})

export const diffVersions = command({
  summary: 'List the examples that differ between two versions of a dataset',
  positionals: ['id-or-name', 'from', 'to?'],
  flags: {},
  notes: ['Versions are times or tags; the second defaults to "latest". Added: +, removed: -, changed: ~.'],
  async run({ client, output, positionals }) {
    const [idOrName = '', fromVersion = '', toVersion = 'latest'] = positionals
    const diff = await client.diffDatasetVersions({ ...toDatasetKey(idOrName), fromVersion, toVersion })
    const { examples_added, examples_removed, examples_modified } = diff
    output.data(diff, () =>
      [
        ...examples_added.map((id) => `+ ${id}`),
        ...examples_removed.map((id) => `- ${id}`),
        ...examples_modified.map((id) => `~ ${id}`),
      ].join('\n'),
    )
    output.message(
      `${examples_added.length} added, ${examples_removed.length} removed, ${examples_modified.length} changed.`,
    )
  },
})

export const tagVersion = command({
  summary: 'Tag a version of a dataset; an existing tag is moved',
  positionals: ['id-or-name', 'tag'],
  flags: {
    'as-of': { type: 'string', value: 'VERSION', description: 'time or tag of a version (default the newest)' },
  },
  async run({ client, output, positionals, flags }) {
    const [idOrName = '', tag = ''] = positionals
    const { id, name } = await client.readDataset(toDatasetKey(idOrName))
    await client.updateDatasetTag({ datasetId: id, asOf: flags['as-of'] ?? 'latest', tag })
    const version = await client.readDatasetVersion({ datasetId: id, tag })
    output.data(version, ({ as_of }) => as_of)
    output.message(`Tagged that version of "${name}" as "${tag}".`)
  },
})

export const shareDataset = command({
  summary: 'Create a public link to a dataset, or disable it',
  positionals: ['id-or-name'],
  flags: {
    experiments: { type: 'boolean', description: 'also share its experiments' },
    stop: { type: 'boolean', description: 'disable the public link' },
  },
  async run({ client, output, positionals, flags }) {
    const [idOrName = ''] = positionals
    if (flags.stop && flags.experiments) throw new UsageError('--stop and --experiments cannot be combined.')
    const { id, name } = await client.readDataset(toDatasetKey(idOrName))
    if (flags.stop) {
      await client.unshareDataset(id)
      output.data({ dataset_id: id, shared: false }, () => '')
      output.message(`Disabled the public link to "${name}".`)
      return
    }
    const share = await client.shareDataset(id, undefined, { shareProjects: flags.experiments })
    output.data(share, ({ url }) => url)
    output.message(`Anyone with this link can read "${name}". Use --stop to disable the link.`)
  },
})
