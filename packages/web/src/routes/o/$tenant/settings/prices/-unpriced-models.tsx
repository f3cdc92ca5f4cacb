import type { UnpricedModel } from '@touchstone/sdk'
import { formatCount, formatRelativeTime, formatTokenPair } from '#lib/format/format.ts'
import { Button } from '#ui/button.tsx'

export interface UnpricedModelsProps {
  models: readonly UnpricedModel[]
  hasMore: boolean
  onAdd: (model: UnpricedModel) => void
}

/** Models of the last 30 days whose runs have no known cost, each with the way to price it. */
export function UnpricedModels({ models, hasMore, onAdd }: UnpricedModelsProps) {
  return (
    <section aria-labelledby="unpriced" className="rounded-card border border-border bg-surface">
      <h2 id="unpriced" className="px-4 pt-3 text-form font-semibold">
        Models without a price
      </h2>
      <p className="px-4 pb-2 text-row text-fg-muted">
        Seen in the last 30 days. Their runs have no cost; one that is priced now is priced from its next run on.
      </p>
      <ul className="border-t border-border text-row">
        {models.map((one) => (
          <li
            key={`${one.model} ${one.provider}`}
            className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1 border-b border-border px-4 py-1 last:border-b-0"
          >
            <span className="min-w-48 flex-1 break-all font-mono font-medium">
              {one.model}
              {one.provider && <span className="font-sans font-normal text-fg-muted"> at {one.provider}</span>}
            </span>
            <span className="num">
              {formatCount(one.run_count)} {one.run_count === 1 ? 'run' : 'runs'}
            </span>
            <span className="num text-fg-muted">
              {formatTokenPair(one.prompt_tokens, one.completion_tokens)} tokens
            </span>
            <span className="text-fg-muted">{formatRelativeTime(one.last_seen_at).replace(/\.\d{3}$/, '')}</span>
            {one.price_now ? (
              <span className="text-ok">priced now: {one.price_now.name}</span>
            ) : (
              <Button onClick={() => onAdd(one)} aria-label={`Add a price for ${one.model}`}>
                Add price
              </Button>
            )}
          </li>
        ))}
      </ul>
      {hasMore && (
        <p className="border-t border-border px-4 py-2 text-row text-fg-muted">
          There are more; these are the {models.length} with most runs.
        </p>
      )}
    </section>
  )
}
