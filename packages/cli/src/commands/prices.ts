import type { BulkJobDetail, RepriceEstimate } from '@touchstone/sdk'
import { parseSince, toProjectKey } from '../arguments.ts'
import { command } from '../command.ts'
import { UsageError } from '../exit-codes.ts'
import { formatTable } from '../output.ts'

export const listUnpriced = command({
  summary: 'List models of the last 30 days whose runs have no known cost',
  flags: {},
  async run({ client, output }) {
    const { models } = await client.listUnpricedModels()
    output.data(models, (rows) =>
      formatTable(rows, [
        ['MODEL', ({ model }) => model],
        ['PROVIDER', ({ provider }) => provider ?? undefined],
        ['RUNS', ({ run_count }) => run_count],
        ['TOKENS', ({ prompt_tokens, completion_tokens }) => prompt_tokens + completion_tokens],
        ['PRICE NOW', ({ price_now }) => price_now?.name],
      ]),
    )
  },
})

export const repriceRuns = command({
  summary: 'Price stored runs again by the prices of now, on the server',
  flags: {
    model: { type: 'string', value: 'NAME', multiple: true, description: 'only this model; may be repeated' },
    price: { type: 'string', value: 'ID', description: 'only models whose names this price fits' },
    project: {
      type: 'string',
      value: 'NAME',
      multiple: true,
      description: 'only runs of this project; may be repeated',
    },
    since: {
      type: 'string',
      value: 'TIME',
      description: 'only runs that started then or later: 24h, 7d, 4w or ISO 8601',
    },
    until: { type: 'string', value: 'TIME', description: 'only runs that started then or earlier' },
    unpriced: { type: 'boolean', description: 'only runs without a known cost' },
    yes: { type: 'boolean', description: 'confirm; without this flag only the estimate is shown' },
  },
  notes: [
    'Costs in usage_metadata, and those of models without a price, stay as they are. Other reported costs are replaced where a',
    'price is known. The job continues on the server when this command is ended; "prices undo" restores the costs within 30 days.',
  ],
  async run({ client, output, flags }) {
    const projects = flags.project ?? []
    const session = await Promise.all(projects.map(async (name) => (await client.readProject(toProjectKey(name))).id))
    const runs = {
      models: flags.model && [...flags.model],
      price_id: flags.price,
      session: session.length === 0 ? undefined : session,
      start_time: flags.since && parseSince('since', flags.since),
      end_time: flags.until && parseSince('until', flags.until),
      only_unpriced: flags.unpriced,
    }
    const estimate = await client.estimateRepricing(runs)
    const isEstimate = flags.yes !== true
    if (isEstimate || !output.isJson) output.data(estimate, formatEstimate)
    output.message(formatSums(estimate))
    if (isEstimate) throw new UsageError('Nothing was changed. Add --yes to confirm.')
    // Runs are recorded all the time, so a job may have more than its estimate.
    const { id } = await client.reprice({ ...runs, as_of: estimate.as_of })
    const done = await client.waitForJob(id, {
      onProgress: ({ done, total }) => output.message(`${done}/${total} runs`),
    })
    if (output.isJson) output.data(done, () => '')
    assertDone(done)
    output.message(`Changed the costs of ${countRuns(done.costs?.changed ?? 0)}. Undo: touchstone prices undo ${id}`)
  },
})

export const undoRepricing = command({
  summary: 'Restore the costs that a job of "prices reprice" changed',
  positionals: ['job'],
  flags: {},
  async run({ client, output, positionals }) {
    const { id } = await client.undoJob(positionals[0] ?? '')
    const done = await client.waitForJob(id)
    output.data(done, () => '')
    assertDone(done)
    output.message(
      `Restored the costs of ${countRuns(done.done - done.failed)}. Changed since, and left: ${done.failed}.`,
    )
  },
})

const countRuns = (count: number) => (count === 1 ? '1 run' : `${count} runs`)

function assertDone({ status, error }: BulkJobDetail): void {
  if (status !== 'done') throw new Error(`The job is ${status}. ${error ?? ''}`.trim())
}

function formatEstimate({ models }: RepriceEstimate): string {
  return formatTable(models, [
    ['MODEL', ({ model }) => model],
    ['PROVIDER', ({ provider }) => provider ?? undefined],
    ['RUNS', ({ run_count }) => run_count],
    ['CHANGE', ({ changed_run_count }) => changed_run_count],
    ['COST NOW', ({ cost_before }) => formatCost(cost_before)],
    ['COST AFTER', ({ cost_after }) => formatCost(cost_after)],
    ['PRICE', ({ price }) => price?.name ?? 'none'],
  ])
}

function formatSums({ run_count, changed_run_count, cost_before, cost_after, is_sampled }: RepriceEstimate): string {
  const about = is_sampled ? 'About ' : ''
  const cost = (amount: string | null) => formatCost(amount) ?? 'unknown'
  return `${about}${changed_run_count} of ${run_count} runs change: ${cost(cost_before)} → ${cost(cost_after)}.`
}

const formatCost = (amount: string | null) =>
  amount === null ? undefined : `$${Number(Number(amount).toPrecision(6))}`
