import type { Client, Spending } from '@touchstone/sdk'
import { command } from '../command.ts'
import { UsageError } from '../exit-codes.ts'
import { formatTable } from '../output.ts'

export const showSpending = command({
  summary: 'Show what calls of models cost this month, and the monthly limits',
  flags: {},
  async run({ client, output }) {
    const spending = await client.readSpending()
    output.data(spending, printSpending)
    output.message(`All sums start again at ${spending.resets_at}.`)
  },
})

export const limitSpending = command({
  summary: 'Set the monthly limit of the workspace, or of a provider',
  positionals: ['USD'],
  flags: {
    provider: {
      type: 'string',
      value: 'NAME',
      description: 'a model provider, by name or id; without it, the workspace',
    },
  },
  notes: ['USD is an amount in US dollars, or "none" to remove the limit. For admins.'],
  async run({ client, output, positionals: [text = ''], flags: { provider } }) {
    const usd = text === 'none' ? null : Number(text)
    if (text.trim() === '' || (usd !== null && !(usd >= 0)))
      throw new UsageError('USD must be an amount from 0, or none.')
    const limits =
      provider === undefined
        ? { workspace_usd: usd }
        : { providers_usd: { [await findProvider(client, provider)]: usd } }
    output.data(await client.setSpendingLimits(limits), printSpending)
  },
})

async function findProvider(client: Client, name: string): Promise<string> {
  const found = (await client.listModelProviders()).find((one) => one.name === name || one.id === name)
  if (found === undefined) throw new UsageError(`There is no model provider "${name}".`)
  return found.id
}

function printSpending({ workspace, providers }: Spending): string {
  const rows = [
    { name: 'workspace', ...workspace },
    ...providers.map((one) => ({ ...one, name: one.name ?? 'deleted' })),
  ]
  const show = (usd: number) => `$${usd}`
  return formatTable(rows, [
    ['NAME', ({ name }) => name],
    ['SPENT', ({ spent_usd }) => show(spent_usd)],
    ['LIMIT', ({ limit_usd }) => (limit_usd === null ? undefined : show(limit_usd))],
    ['CALLS', ({ calls }) => calls],
    ['OF UNKNOWN COST', ({ unknown_calls }) => unknown_calls],
  ])
}
