import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleDollarSign } from 'lucide-react'
import { formatCount, pluralize } from '#lib/format.ts'
import { modelPriceQuery } from './queries.ts'

const MODELS_SHOWN = 3

/** Counts the models of a project without a price. A click opens the form of the price, or the job that prices stored runs. */
export function UnpricedNotice({ tenant, projectId }: { tenant: string; projectId: string }) {
  const { data } = useQuery(modelPriceQuery.unpriced(projectId))
  const models = data?.models ?? []
  if (data === undefined || models.length === 0) return null
  const runs = models.reduce((sum, { run_count }) => sum + run_count, 0)
  const hidden = models.length - MODELS_SHOWN
  return (
    <section
      aria-label="Models without a price"
      className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1.5 rounded-card border border-border bg-surface px-3 py-2 text-row"
    >
      <CircleDollarSign size={14} aria-hidden className="shrink-0 text-warn" />
      <p>
        <strong className="font-semibold">{countModels(models.length, data.has_more)} without a cost</strong>
        <span className="text-fg-muted"> in {pluralize(runs, 'run')} of the last 30 days</span>
      </p>
      <ul className="flex min-w-0 flex-wrap gap-x-3 gap-y-1">
        {models.slice(0, MODELS_SHOWN).map(({ model, provider, price_now }) => (
          <li key={`${model} ${provider}`} className="min-w-0 max-w-full">
            <Link
              to="/o/$tenant/settings/prices"
              params={{ tenant }}
              search={price_now === null ? { model, provider: provider ?? undefined } : { reprice: model }}
              className="block truncate text-accent hover:underline"
            >
              {price_now === null ? `Add price for ${model}` : `Price stored runs of ${model}`}
            </Link>
          </li>
        ))}
        {hidden > 0 && (
          <li>
            <Link to="/o/$tenant/settings/prices" params={{ tenant }} className="text-accent hover:underline">
              {formatCount(hidden)} more
            </Link>
          </li>
        )}
      </ul>
    </section>
  )
}

const countModels = (count: number, hasMore: boolean) =>
  hasMore ? `More than ${count} models` : pluralize(count, 'model')
