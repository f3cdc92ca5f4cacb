import type { Budget, BudgetWrite } from '@touchstone/sdk'
import { command } from '../command.ts'
import { UsageError } from '../exit-codes.ts'
import { formatTable } from '../output.ts'
import { findChannels } from './alerts.ts'

export const listBudgets = command({
  summary: 'List budgets with what is spent and where it leads',
  flags: {},
  async run({ client, output }) {
    const found: Budget[] = []
    for await (const budget of client.listBudgets()) found.push(budget)
    output.data(found, formatBudgets)
  },
})

export const createBudget = command({
  summary: 'Create a budget: notices at 50, 80 and 100 % and when the forecast exceeds it',
  positionals: ['name'],
  flags: {
    amount: { type: 'string', value: 'USD', description: 'US dollars per period' },
    period: { type: 'string', value: 'PERIOD', description: 'day, week or month (default month)' },
    'time-zone': { type: 'string', value: 'NAME', description: 'whose midnight begins a period (default UTC)' },
    project: { type: 'string', value: 'ID', description: 'only runs of this project' },
    model: { type: 'string', value: 'NAME', description: 'only calls of this model' },
    user: { type: 'string', value: 'ID', description: 'only traces of this user' },
    metadata: { type: 'string', value: 'KEY=VALUE', description: 'only traces with this metadata' },
    channel: { type: 'string', value: 'NAME', multiple: true, description: 'whom to tell; may be repeated' },
  },
  notes: ['A budget never refuses runs.'],
  async run({ client, output, positionals: [name = ''], flags }) {
    const amount_usd = Number(flags.amount)
    if (flags.amount === undefined || !Number.isFinite(amount_usd)) throw new UsageError('Give --amount in US dollars.')
    const made = await client.createBudget({
      name,
      scope: toScope(flags),
      period: flags.period as BudgetWrite['period'], // The server checks the words.
      time_zone: flags['time-zone'],
      amount_usd,
      channel_ids: await findChannels(client, flags.channel ?? []),
    })
    output.data(made, (budget) => formatBudgets([budget]))
  },
})

interface ScopeFlags {
  readonly project?: string | undefined
  readonly model?: string | undefined
  readonly user?: string | undefined
  readonly metadata?: string | undefined
}

function toScope({ project, model, user, metadata }: ScopeFlags): BudgetWrite['scope'] {
  const given = [project, model, user, metadata].filter((flag) => flag !== undefined)
  if (given.length > 1) throw new UsageError('Give one of --project, --model, --user and --metadata.')
  if (project !== undefined) return { kind: 'project', project_id: project }
  if (model !== undefined) return { kind: 'model', model }
  if (user !== undefined) return { kind: 'user', user }
  if (metadata === undefined) return { kind: 'workspace' }
  const at = metadata.indexOf('=')
  if (at < 1) throw new UsageError('--metadata must be key=value.')
  return { kind: 'metadata', key: metadata.slice(0, at), value: metadata.slice(at + 1) }
}

function formatBudgets(budgets: readonly Budget[]): string {
  return formatTable(budgets, [
    ['ID', ({ id }) => id],
    ['NAME', ({ name }) => name],
    ['BUDGET', ({ amount_usd, period }) => `$${amount_usd} per ${period}`],
    ['SPENT', ({ current }) => (current === null ? undefined : `$${current.spent_usd.toFixed(2)}`)],
    ['FORECAST', ({ current }) => (current?.forecast_usd == null ? undefined : `$${current.forecast_usd.toFixed(2)}`)],
    ['WITHOUT PRICE', ({ current }) => (current === null ? undefined : `${current.unpriced_calls} calls`)],
  ])
}
