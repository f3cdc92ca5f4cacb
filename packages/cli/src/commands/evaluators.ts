import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import {
  type Client,
  type EvaluatorDefinition,
  type EvaluatorPreviewAnswer,
  type EvaluatorScore,
  NotFoundError,
  type SavedEvaluator,
  type SavedEvaluatorVersion,
} from '@touchstone/sdk'
import { isUuid, parsePositiveInteger } from '../arguments.ts'
import { command } from '../command.ts'
import { UsageError } from '../exit-codes.ts'
import { formatTable, formatTime, type Output } from '../output.ts'
import { collect, LIMIT_FLAG, printLimitNotice, readLimit } from '../paging.ts'

export const VERSION_FLAG = {
  type: 'string',
  value: 'N',
  description: 'number of the version (default the newest)',
} as const

export const listEvaluators = command({
  summary: 'List evaluators by name',
  flags: {
    search: { type: 'string', value: 'TEXT', description: 'only evaluators with this text in name or description' },
    limit: LIMIT_FLAG,
  },
  async run({ client, output, flags }) {
    const limit = readLimit(flags.limit)
    const evaluators = await collect(client.listSavedEvaluators({ search: flags.search, limit }))
    output.data(evaluators, (rows) =>
      formatTable(rows, [
        ['NAME', ({ name }) => name],
        ['KIND', ({ kind }) => kind],
        ['VERSION', ({ version }) => version],
        ['KEYS', ({ keys }) => keys.join(', ') || undefined],
        ['CHANGED', ({ modified_at }) => formatTime(modified_at)],
        ['DESCRIPTION', ({ description }) => description || undefined],
      ]),
    )
    printLimitNotice(output, evaluators, limit)
  },
})

export const showEvaluator = command({
  summary: 'Print the definition of an evaluator, for create --file',
  positionals: ['evaluator'],
  flags: { version: VERSION_FLAG },
  async run({ client, output, positionals, flags }) {
    const evaluator = await findEvaluator(client, positionals[0])
    const version = await readVersion(client, evaluator, flags.version)
    output.data({ ...evaluator, ...version }, () => printDefinition(version.definition))
  },
})

export const listEvaluatorVersions = command({
  summary: 'List the versions of an evaluator, newest first',
  positionals: ['evaluator'],
  flags: { limit: LIMIT_FLAG },
  async run({ client, output, positionals, flags }) {
    const limit = readLimit(flags.limit)
    const { id } = await findEvaluator(client, positionals[0])
    const versions = await collect(client.listEvaluatorVersions(id, { limit }))
    output.data(versions, (rows) =>
      formatTable(rows, [
        ['VERSION', ({ version }) => version],
        ['CREATED', ({ created_at }) => formatTime(created_at)],
        ['BY', ({ created_by }) => created_by],
        ['NOTE', ({ note }) => note || undefined],
      ]),
    )
    printLimitNotice(output, versions, limit)
  },
})

export const createEvaluator = command({
  summary: 'Save an evaluator from a file, or add a version to one',
  positionals: ['name'],
  flags: {
    file: { type: 'string', value: 'FILE', description: 'definition as JSON, or JavaScript that defines evaluate()' },
    key: {
      type: 'string',
      value: 'KEY',
      multiple: true,
      description: 'feedback key of JavaScript; may be repeated (default: any key)',
    },
    description: { type: 'string', value: 'TEXT', description: 'what it judges' },
    note: { type: 'string', value: 'TEXT', description: 'what changed in this version' },
    'new-version': { type: 'boolean', description: 'add a version if an evaluator of this name exists' },
  },
  notes: [
    'A file that ends in .json is a definition as `touchstone evaluators show` prints it. Other files are JavaScript:',
    '',
    '  function evaluate({ inputs, outputs, reference_outputs, run }) {',
    '    return outputs.answer === reference_outputs.answer',
    '  }',
    '',
  ],
  async run({ client, output, positionals, flags }) {
    const [name = ''] = positionals
    const { file, description, note } = flags
    if (file === undefined) throw new UsageError('Give the file of the definition with --file.')
    const definition = await readDefinition(file, flags.key)
    const existing = flags['new-version'] ? await searchEvaluator(client, name) : undefined
    if (existing === undefined) {
      const created = await client.createSavedEvaluator({ name, description, definition, note })
      return reportSaved(output, created, created.version)
    }
    const body = { definition, expected_version: existing.version, note }
    const { version } = await client.createEvaluatorVersion(existing.id, body)
    if (description !== undefined) await client.updateSavedEvaluator(existing.id, { description })
    reportSaved(output, existing, version)
  },
})

export const previewEvaluator = command({
  summary: 'Run an evaluator over runs or rows of a file; nothing is stored',
  positionals: ['evaluator?'],
  flags: {
    run: { type: 'string', value: 'ID', multiple: true, description: 'id of a run; may be repeated, up to five rows' },
    rows: { type: 'string', value: 'FILE', description: 'JSON list of rows with inputs, outputs, reference_outputs' },
    file: { type: 'string', value: 'FILE', description: 'definition that is not saved yet, as for create' },
    version: VERSION_FLAG,
  },
  async run({ client, output, positionals, flags }) {
    const [name] = positionals
    if ((name === undefined) === (flags.file === undefined)) throw new UsageError('Name an evaluator, or give --file.')
    const definition =
      flags.file === undefined
        ? (await readVersion(client, await findEvaluator(client, name), flags.version)).definition
        : await readDefinition(flags.file, undefined)
    const runs = (flags.run ?? []).map((id) => ({ run_id: id }))
    const rows = [...runs, ...(flags.rows === undefined ? [] : await readRows(flags.rows))]
    if (rows.length === 0) throw new UsageError('Give rows with --run or --rows.')
    const answer = await client.previewEvaluator({ definition, rows })
    output.data(answer, ({ rows: results }) =>
      formatTable(results.flatMap(toLines), [
        ['ROW', ({ row }) => row],
        ['KEY', ({ key }) => key],
        ['SCORE', ({ score }) => score],
        ['VALUE', ({ value }) => (value == null ? undefined : JSON.stringify(value))],
        ['COMMENT', ({ comment }) => comment],
      ]),
    )
    const failed = answer.rows.filter(({ problem }) => problem !== null).length
    if (failed > 0) throw new Error(`${failed} of ${answer.rows.length} rows have no result.`)
  },
})

interface PreviewLine extends Partial<EvaluatorScore> {
  /** From 1. */
  readonly row: number
}

/** A line per score of a row, or one with its problem. */
function toLines({ scores, problem }: EvaluatorPreviewAnswer['rows'][number], at: number): PreviewLine[] {
  if (problem !== null) return [{ row: at + 1, comment: problem.message }]
  return scores.map((score) => ({ row: at + 1, ...score }))
}

async function searchEvaluator(client: Client, name: string): Promise<SavedEvaluator | undefined> {
  if (isUuid(name)) return await client.readSavedEvaluator(name)
  const found = await collect(client.listSavedEvaluators({ search: name }))
  return found.find((one) => one.name === name)
}

/** @throws NotFoundError */
export async function findEvaluator(client: Client, name = ''): Promise<SavedEvaluator> {
  const found = await searchEvaluator(client, name)
  if (found === undefined) throw new NotFoundError(`There is no evaluator "${name}".`)
  return found
}

async function readVersion(client: Client, { id, version }: SavedEvaluator, wanted: string | undefined) {
  return await client.readEvaluatorVersion(id, parsePositiveInteger('version', wanted) ?? version)
}

function printDefinition(definition: SavedEvaluatorVersion['definition']): string {
  return definition.kind === 'javascript' ? definition.source : JSON.stringify(definition, null, 2)
}

function reportSaved(output: Output, evaluator: SavedEvaluator, version: number): void {
  output.data({ ...evaluator, version }, () => evaluator.id)
  output.message(`Saved version ${version} of the evaluator "${evaluator.name}".`)
}

/** The server checks the definition. */
async function readDefinition(file: string, keys: readonly string[] | undefined): Promise<EvaluatorDefinition> {
  if (extname(file) !== '.json') return { kind: 'javascript', source: await readText(file), keys: [...(keys ?? [])] }
  if (keys !== undefined) throw new UsageError('--key is for JavaScript; a JSON definition contains its keys.')
  return (await readJson(file)) as EvaluatorDefinition
}

async function readRows(file: string): Promise<Record<string, never>[]> {
  const rows = await readJson(file)
  if (!Array.isArray(rows)) throw new UsageError(`${basename(file)} is no JSON list of rows.`)
  return rows as Record<string, never>[]
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`)
  }
}

async function readJson(file: string): Promise<unknown> {
  const text = await readText(file)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${file} is no JSON: ${(error as Error).message}.`)
  }
}
