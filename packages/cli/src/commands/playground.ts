import { readManifest, type TemplateFormat, type WrittenMessage } from '@touchstone/contract/prompt-manifest'
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
      variants: [await readVariant(client, positionals[0] ?? '', flags)],
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

function parseMaxCost(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const cost = Number(text)
  if (cost > 0 && Number.isFinite(cost)) return cost
  throw new UsageError(`--max-cost must be a positive number, not "${text}".`)
}

type Variant = PlaygroundJobWrite['variants'][number]

/** Parameters of calls that manifests have under the same names. */
const PARAMETERS = ['temperature', 'top_p', 'top_k', 'frequency_penalty', 'presence_penalty', 'seed', 'max_tokens']

/** @throws UsageError for a prompt that cannot be converted without loss */
async function readVariant(
  client: Client,
  prompt: string,
  flags: { readonly model?: string; readonly provider?: string },
): Promise<Variant> {
  const identifier = prompt.replace(/@([^@:/]+)$/, ':$1')
  const { owner, repo, commit_hash, manifest } = await client.pullPromptCommit(identifier, { includeModel: true })
  const read = readManifest(manifest)
  if ('problem' in read) throw new UsageError(`"${prompt}" cannot be run: ${read.problem}`)
  const { messages, model, tools, schema, partials } = read.document
  if (Object.keys(partials).length > 0) {
    throw new UsageError(`"${prompt}" has values of its own for some variables; run it in the playground.`)
  }
  const name = flags.model ?? model?.name
  if (name === undefined) throw new UsageError('--model is missing: the prompt names none.')
  const settings = Object.entries(model?.settings ?? {}).filter(([key]) => PARAMETERS.includes(key))
  return {
    name: repo,
    provider_id: (await findProvider(client, flags.provider)).id,
    model: name,
    ...convertMessages(prompt, messages),
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function' as const,
      function: { name, description, parameters: parameters as Record<string, unknown> | undefined },
    })),
    ...(schema != null && { output_schema: { name: 'output', schema: schema as Record<string, unknown> } }),
    parameters: Object.fromEntries(settings),
    prompt: { owner, repo, commit: commit_hash },
  }
}

function convertMessages(
  prompt: string,
  messages: Extract<ReturnType<typeof readManifest>, { document: unknown }>['document']['messages'],
): Pick<Variant, 'messages' | 'template_format'> {
  const refuse = (what: string) => new UsageError(`"${prompt}" has ${what}; run it in the playground.`)
  const formats = new Set<TemplateFormat | 'none'>(
    messages.flatMap((message) => (message.kind === 'message' ? [message.format ?? ('none' as const)] : [])),
  )
  const [format = 'none'] = formats
  if (formats.size > 1 || format === 'jinja2') throw refuse(`messages in ${[...formats].join(' and ')}`)
  const converted = messages.map((message) => {
    if (message.kind === 'unknown') throw refuse(`a message of type ${message.type}`)
    if (message.kind === 'message') return convertMessage(message, refuse)
    return { role: 'placeholder' as const, variable: message.variable, optional: message.isOptional }
  })
  return { template_format: format, messages: converted }
}

function convertMessage(
  { role, parts, toolCalls, partials }: WrittenMessage,
  refuse: (what: string) => UsageError,
): Variant['messages'][number] {
  const text = parts.map((part) => {
    if (part.kind !== 'text') throw refuse('messages with images or other parts')
    return part.text
  })
  if (toolCalls.length > 0 || partials !== undefined) throw refuse('messages with tool calls or values of their own')
  const name = role === 'prompt' ? 'user' : role
  if (name !== 'system' && name !== 'user' && name !== 'assistant') throw refuse(`a message of the role ${role}`)
  return { role: name, content: text.join('') }
}

const formatCost = (cost: number | null) => (cost === null ? undefined : `$${Number(cost.toPrecision(3))}`)

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

/** Prints a line for each change. */
function createProgress(print: (text: string) => void): (job: PlaygroundJobDetail) => void {
  let last = ''
  return ({ done, total, failed, cost }) => {
    const line = [`${done} of ${total} calls`, failed > 0 && `${failed} failed`, formatCost(cost)].filter(Boolean)
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
