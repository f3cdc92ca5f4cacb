import type { ModelPrice, UnpricedModel } from '@touchstone/sdk'
import { formatCount, formatRelativeTime, formatTokenPair, toPricePerMillion } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { CardRow, CardTable } from '#ui/card-table.tsx'

export interface PriceTableProps {
  /** Accessible name of the table. */
  label: string
  prices: readonly ModelPrice[]
  /** Without it, the table is read-only. */
  onEdit?: (price: ModelPrice) => void
  onDelete?: (price: ModelPrice) => void
}

const COLUMNS = [
  'Model',
  'Pattern',
  ...['Input', 'Cached', 'Output', 'Reasoning'].map((title) => ({ title, isNumber: true as const })),
  'Valid from',
]

/** Prices in US dollars per million tokens. */
export function PriceTable({ label, prices, onEdit, onDelete }: PriceTableProps) {
  return (
    <CardTable label={label} columns={COLUMNS} hasActions={onEdit !== undefined}>
      {prices.map((price) => (
        <CardRow key={price.id}>
          <th
            scope="row"
            title={price.source ?? undefined}
            className="max-w-60 truncate px-3 font-medium max-sm:w-full max-sm:max-w-full max-sm:p-0 max-sm:text-base"
          >
            {price.name}
            {price.provider && <span className="font-normal text-fg-muted"> ({price.provider})</span>}
          </th>
          <td
            title={price.match_pattern}
            className="max-w-48 truncate px-3 font-mono text-fg-muted max-sm:w-full max-sm:max-w-full max-sm:p-0"
          >
            {price.match_pattern}
          </td>
          <Dollars label="in" perToken={price.prompt_cost} />
          <Dollars label="cached" perToken={price.prompt_cost_details?.cache_read} />
          <Dollars label="out" perToken={price.completion_cost} />
          <Dollars label="reasoning" perToken={price.completion_cost_details?.reasoning} />
          <td className="whitespace-nowrap px-3 text-fg-muted max-sm:p-0">
            {price.start_time ? price.start_time.slice(0, 10) : 'Always'}
          </td>
          {onEdit && (
            <td className="whitespace-nowrap px-3 text-right max-sm:ml-auto max-sm:p-0">
              <span className="inline-flex gap-1.5">
                <Button onClick={() => onEdit(price)} aria-label={`Edit ${price.name}`}>
                  {price.built_in ? 'Override' : 'Edit'}
                </Button>
                <Button look="danger" onClick={() => onDelete?.(price)} aria-label={`Delete ${price.name}`}>
                  {price.built_in ? 'Hide' : 'Delete'}
                </Button>
              </span>
            </td>
          )}
        </CardRow>
      ))}
    </CardTable>
  )
}

function Dollars({ label, perToken }: { label: string; perToken: string | undefined }) {
  if (perToken === undefined) return <td className="px-3 max-sm:hidden" />
  return (
    <td className="num px-3 max-sm:p-0">
      <span className="text-fg-muted sm:sr-only">{label} </span>${toPricePerMillion(perToken)}
    </td>
  )
}

interface UnpricedModelsProps {
  models: readonly UnpricedModel[]
  hasMore: boolean
  onAdd: (model: UnpricedModel) => void
}

/** Models of the last 30 days without a price, each with a button to add one. */
export function UnpricedModels({ models, hasMore, onAdd }: UnpricedModelsProps) {
  return (
    <section aria-labelledby="unpriced" className="rounded-card border border-border bg-surface">
      <h2 id="unpriced" className="px-4 pt-3 text-form font-semibold">
        Models without a price
      </h2>
      <p className="px-4 pb-2 text-row text-fg-muted">
        Seen in the last 30 days. Their runs have no known cost. New prices apply to future runs.
      </p>
      <ul className="border-t border-border text-row">
        {models.map((one) => (
          <li
            key={`${one.model} ${one.provider}`}
            className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1 border-b border-border px-4 py-1 last:border-b-0"
          >
            <span className="min-w-48 flex-1 break-all font-mono font-medium">
              {one.model}
              {one.provider && <span className="font-sans font-normal text-fg-muted"> ({one.provider})</span>}
            </span>
            <span className="num">
              {formatCount(one.run_count)} {one.run_count === 1 ? 'run' : 'runs'}
            </span>
            <span className="num text-fg-muted">
              {formatTokenPair(one.prompt_tokens, one.completion_tokens)} tokens
            </span>
            <span className="text-fg-muted">{formatRelativeTime(one.last_seen_at).replace(/\.\d{3}$/, '')}</span>
            {one.price_now ? (
              <span className="text-ok">Priced as {one.price_now.name}</span>
            ) : (
              <Button onClick={() => onAdd(one)} aria-label={`Add price for ${one.model}`}>
                Add price
              </Button>
            )}
          </li>
        ))}
      </ul>
      {hasMore && (
        <p className="border-t border-border px-4 py-2 text-row text-fg-muted">
          Showing the {models.length} models with the most runs.
        </p>
      )}
    </section>
  )
}
