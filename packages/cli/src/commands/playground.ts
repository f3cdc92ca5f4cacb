import type {
  Client,
  ModelProvider,
  PlaygroundEstimate,
  PlaygroundJobDetail,
  PlaygroundJobWrite,
} from '@touchstone/sdk'
import { isUuid, parsePositiveInteger, toDatasetKey } from '../arguments.ts'
import { command } from '../command.ts'
import { UsageError } from '../exit-codes.ts'
import { formatTable, formatTime } from '../output.ts'
import { readVariant } from '../prompt-variant.ts'

export const runPlayground = command({
  summary: 'Run a prompt over a dataset on the server, as an experiment',
  positionals: ['prompt'],
  flags: {
    dataset: { type: 'string', value: 'NAME', description: 'name or id of the dataset; required' },
    model: { type: 'string', value: 'MODEL', description: "model (default the prompt's)" },
    provider: { type: 'string', value: 'NAME', description: 'name or id of the model provider (default the only one)' },
    map: {
      type: 'string',
      value: 'VARIABLE=PATH',
      multiple: true,
      description: 'where a variable is in a row, e.g. question=inputs.text; may be repeated (default inputs.VARIABLE)',
    },
    'as-of': { type: 'string', value: 'VERSION', description: 'tag or time of the version of the dataset' },
    split: { type: 'string', value: 'NAME', multiple: true, description: 'only this split; may be repeated' },
    evaluator: {
      type: 'string',
      value: 'NAME',
      multiple: true,
      description: 'name or id of an evaluator of the server; may be repeated',
    },
    name: { type: 'string', value: 'TEXT', description: 'name of the experiment (default that of the prompt)' },
    repeats: { type: 'string', value: 'N', description: 'calls per row, 1 to 10 (default 1)' },
    concurrency: { type: 'string', value: 'N', description: 'calls at once, 1 to 50 (default 5)' },
    'max-cost': { type: 'string', value: 'USD', description: 'begin no more calls at this cost in US dollars' },
    yes: { type: 'boolean', description: 'confirm; without this flag only the estimate is shown' },
  },
  notes: [
    'The prompt is NAME, NAME@TAG or NAME:COMMIT, with OWNER/ before it for a prompt of the hub. The run continues on the',
    'server when this command is ended. The exit code is 1 when a row failed or the run did not complete.',
  ],
  async run({ client, output, positionals, flags }) {
    const job: PlaygroundJobWrite = {
      dataset_id: await findDatasetId(client, flags.dataset),
      name: flags.name ?? positionals[0] ?? '',
      variants: [
        {
          ...(await readVariant(client, positionals[0] ?? '', flags.model)),
          provider_id: (await findProvider(client, flags.provider)).id,
        },
      ],
      mapping: parseMapping(flags.map ?? []),
      repeats: parsePositiveInteger('repeats', flags.repeats),
      concurrency: parsePositiveInteger('concurrency', flags.concurrency),
      as_of: flags['as-of'],
      splits: flags.split && [...flags.split],
      evaluators: await findEvaluators(client, flags.evaluator ?? []),
      limits: { max_cost_usd: parseMaxCost(flags['max-cost']) },
    }
    const estimate = await client.estimatePlaygroundJob(job)
    for (const line of formatEstimate(estimate)) output.message(line)
    if (flags.yes !== true) {
      if (output.isJson) output.data(estimate, () => '')
      throw new UsageError(`This would make ${estimate.calls} calls. Add --yes to confirm.`)
    }
    const { id } = await client.createPlaygroundJob(job)
    const done = await client.waitForPlaygroundJob(id, { onProgress: createProgress(output.message) })
    const experimentIds = done.variants.map(({ experiment_id }) => experiment_id)
    output.data(done, formatJob)
    output.message(await client.getComparisonUrl({ datasetId: done.dataset_id, experimentIds }))
    assertSucceeded(done)
  },
})

export const listPlaygroundJobs = command({
  summary: 'List runs of prompts over datasets, newest first',
  flags: {},
  async run({ client, output }) {
    const { jobs } = await client.listPlaygroundJobs()
    output.data(jobs, (rows) =>
      formatTable(rows, [
        ['ID', ({ id }) => id],
        ['NAME', ({ name }) => name],
        ['STATE', ({ state }) => state],
        ['DONE', ({ done, total }) => `${done}/${total}`],
        ['FAILED', ({ failed }) => failed],
        ['COST', ({ cost }) => formatCost(cost)],
        ['STARTED', ({ created_at }) => formatTime(created_at)],
      ]),
    )
  },
})

async function findDatasetId(client: Client, dataset: string | undefined): Promise<string> {
  if (dataset === undefined) throw new UsageError('--dataset is missing.')
  return (await client.readDataset(toDatasetKey(dataset))).id
}

async function findProvider(client: Client, wanted: string | undefined): Promise<ModelProvider> {
  const all = await client.listModelProviders()
  const names = all.map(({ name }) => `"${name}"`).join(', ') || 'none'
  const found = wanted === undefined ? all.slice(0, 2) : all.filter(({ id, name }) => id === wanted || name === wanted)
  if (found[0] !== undefined && found.length === 1) return found[0]
  const problem = wanted === undefined ? '--provider is missing.' : `There is no model provider "${wanted}".`
  throw new UsageError(`${problem} Model providers of the workspace: ${names}.`)
}

async function findEvaluators(client: Client, wanted: readonly string[]): Promise<{ evaluator_id: string }[]> {
  return Promise.all(
    wanted.map(async (idOrName) => {
      if (isUuid(idOrName)) return { evaluator_id: idOrName }
      for await (const { id, name } of client.listSavedEvaluators({ search: idOrName })) {
        if (name === idOrName) return { evaluator_id: id }
      }
      throw new UsageError(`There is no evaluator "${idOrName}".`)
    }),
  )
}

function parseMapping(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new UsageError(`--map must be VARIABLE=PATH, not "${pair}".`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

export function parseMaxCost(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const cost = Number(text)
  if (cost > 0 && Number.isFinite(cost)) return cost
  throw new UsageError(`--max-cost must be a positive number, not "${text}".`)
}

export const formatCost = (cost: number | null) => (cost === null ? undefined : `$${Number(cost.toPrecision(3))}`)

function formatEstimate({ rows, calls, cost, prompt_tokens, missing, problems }: PlaygroundEstimate): string[] {
  const price = formatCost(cost)
  return [
    `${rows} rows, ${calls} calls, about ${prompt_tokens} tokens of prompts, ${price ? `about ${price}` : 'unknown cost'}.`,
    ...missing.map(
      (one) => `The variable "${one.variable}" has no value in ${one.rows} of ${rows} rows: ${one.reason}.`,
    ),
    ...problems.map(({ message }) => message),
  ]
}

type Progress = Pick<PlaygroundJobDetail, 'done' | 'total' | 'failed' | 'cost'>

/** Prints a line for each change. */
export function createProgress(print: (text: string) => void, noun = 'calls'): (job: Progress) => void {
  let last = ''
  return ({ done, total, failed, cost }) => {
    const line = [`${done} of ${total} ${noun}`, failed > 0 && `${failed} failed`, formatCost(cost)].filter(Boolean)
    if (line.join(', ') !== last) print(line.join(', '))
    last = line.join(', ')
  }
}

function formatJob({ variants }: PlaygroundJobDetail): string {
  return formatTable(variants, [
    ['EXPERIMENT', ({ experiment_name }) => experiment_name],
    ['ID', ({ experiment_id }) => experiment_id],
    ['CALLS', ({ done }) => done],
    ['FAILED', ({ failed }) => failed],
    ['COST', ({ cost }) => formatCost(cost)],
  ])
}

function assertSucceeded({ state, reason, failed, done, failures }: PlaygroundJobDetail): void {
  if (state !== 'COMPLETED') throw new Error(`The run is ${state}${reason === null ? '.' : `: ${reason}`}`)
  if (failed > 0) throw new Error(`${failed} of ${done} calls failed: ${failures[0]?.problem?.message ?? ''}`)
}
