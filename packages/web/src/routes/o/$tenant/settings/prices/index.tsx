import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import type { ModelPrice } from '@touchstone/sdk'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { modelPriceMutation, modelPriceQuery } from '#data/model-prices.ts'
import { formatCount } from '#lib/format.ts'
import { groupPrices } from '#lib/model-prices.ts'
import { PageFrame } from '#shell/page-frame.tsx'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { SearchField } from '#ui/search-field.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { ModelTester } from './-model-tester.tsx'
import { PriceDialog, type PriceDialogProps } from './-price-dialog.tsx'
import { newPriceDraft, toPriceDraft } from './-price-draft.ts'
import { PriceTable, type PriceTableProps, UnpricedModels } from './-price-tables.tsx'

export const Route = createFileRoute('/o/$tenant/settings/prices/')({ component: PricesPage })

/** There are thousands of built-in prices: a family shows a few of its models, and more of those that were searched. */
const MODELS_OF_FAMILY = 10
const FOUND_OF_FAMILY = 50

/** Prices per million tokens, models without a price, and a test for model names. */
function PricesPage() {
  const prices = useQuery(modelPriceQuery.list())
  const unpriced = useQuery(modelPriceQuery.unpriced())
  const queryClient = useQueryClient()
  const remove = useMutation(modelPriceMutation.delete(queryClient))
  const [editing, setEditing] = useState<Omit<PriceDialogProps, 'onClose'>>()
  const [deleting, setDeleting] = useState<ModelPrice>()
  const [search, setSearch] = useState('')
  const own = prices.data?.filter((price) => !price.built_in) ?? []
  const builtIn = prices.data?.filter((price) => price.built_in) ?? []
  const found = { own: groupPrices(own, search), builtIn: groupPrices(builtIn, search) }
  const edit = (price: ModelPrice) => setEditing({ start: toPriceDraft(price), replaces: price })

  const actions = { onEdit: edit, onDelete: setDeleting }

  function confirmDelete(price: ModelPrice) {
    remove.mutate(price.id, {
      onSuccess: () => toast.done(`${price.built_in ? 'Hid' : 'Deleted'} the price of ${price.name}`),
      onError: (cause) => toast.failure(`Could not delete the price of ${price.name}`, cause),
      onSettled: () => setDeleting(undefined),
    })
  }

  return (
    <PageFrame
      title="Model prices"
      toolbar={<SearchField label="Search models" placeholder="Search models" value={search} onChange={setSearch} />}
      actions={
        <Button look="primary" onClick={() => setEditing({ start: newPriceDraft() })}>
          <Plus size={13} aria-hidden />
          New price
        </Button>
      }
      status={
        prices.data && (
          <span>
            {formatCount(own.length)} custom, {formatCount(builtIn.length)} built in
          </span>
        )
      }
    >
      <div className="min-h-0 flex-1 overflow-auto p-3 sm:p-6">
        <div className="flex max-w-4xl flex-col gap-4">
          {unpriced.isError && (
            <ErrorState
              compact
              title="Could not load models without a price"
              error={unpriced.error}
              onRetry={() => void unpriced.refetch()}
            />
          )}
          {unpriced.data && unpriced.data.models.length > 0 && (
            <UnpricedModels
              models={unpriced.data.models}
              hasMore={unpriced.data.has_more}
              onAdd={({ model, provider }) => setEditing({ start: newPriceDraft(model, provider) })}
            />
          )}
          <p className="max-w-3xl text-row text-fg-muted">
            Costs are computed once, when a run is recorded, with the price valid at its start time. Changes apply to
            new runs only. Custom prices take precedence over built-in ones.
          </p>
          <ModelTester />
          {prices.isPending && <SkeletonRows rows={8} label="Loading prices" />}
          {prices.isError && (
            <ErrorState title="Could not load prices" error={prices.error} onRetry={() => void prices.refetch()} />
          )}
          {found.own.length > 0 && <PriceSection label="Custom prices" families={found.own} actions={actions} />}
          {found.builtIn.length > 0 && (
            <PriceSection
              label="Built-in prices"
              families={found.builtIn}
              familyLimit={search.trim() === '' ? MODELS_OF_FAMILY : FOUND_OF_FAMILY}
              actions={actions}
              hasHeadings
            />
          )}
          {prices.data && found.own.length + found.builtIn.length === 0 && (
            <EmptyState title="No price matches your search" />
          )}
        </div>
      </div>
      {editing && <PriceDialog {...editing} onClose={() => setEditing(undefined)} />}
      {deleting && (
        <ConfirmDialog
          title={`${deleting.built_in ? 'Hide' : 'Delete'} the price of ${deleting.name}?`}
          action={deleting.built_in ? 'Hide price' : 'Delete price'}
          isBusy={remove.isPending}
          onCancel={() => setDeleting(undefined)}
          onConfirm={() => confirmDelete(deleting)}
        >
          New runs use another matching price, or have no cost. Recorded costs do not change.
        </ConfirmDialog>
      )}
    </PageFrame>
  )
}

function PriceSection({ label, ...table }: PriceTableProps) {
  return (
    <section className="overflow-hidden rounded-card border border-border bg-surface">
      <h2 className="px-3 pt-2 text-form font-semibold">
        {label} <span className="text-row font-normal text-fg-muted">US dollars per million tokens</span>
      </h2>
      <PriceTable label={label} {...table} />
    </section>
  )
}
