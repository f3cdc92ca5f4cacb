import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ModelPrice } from '@touchstone/sdk'
import { Plus, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { formatCount } from '#lib/format.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { SearchField } from '#ui/search-field.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { groupPrices } from './model-prices.ts'
import { ModelTester } from './model-tester.tsx'
import { PriceDialog, type PriceDialogProps } from './price-dialog.tsx'
import { newPriceDraft, toPriceDraft } from './price-draft.ts'
import { PriceTable, type PriceTableProps, UnpricedModels } from './price-tables.tsx'
import { modelPriceMutation, modelPriceQuery } from './queries.ts'
import { CostJobs, RepriceDialog, type RepriceDialogProps } from './reprice-dialog.tsx'

const route = getRouteApi('/o/$tenant/settings/prices')

/** There are thousands of built-in prices: a family shows a few of its models, and more of those that were searched. */
const MODELS_OF_FAMILY = 10
const FOUND_OF_FAMILY = 50

/** Prices per million tokens, models without a price, and a test for model names. */
export function PricesPage() {
  const prices = useQuery(modelPriceQuery.list())
  const unpriced = useQuery(modelPriceQuery.unpriced())
  const queryClient = useQueryClient()
  const remove = useMutation(modelPriceMutation.delete(queryClient))
  const { editing, setEditing, repricing, setRepricing, offerRepricing } = useDialogs()
  const [deleting, setDeleting] = useState<ModelPrice>()
  const [search, setSearch] = useState('')
  const own = prices.data?.filter((price) => !price.built_in) ?? []
  const builtIn = prices.data?.filter((price) => price.built_in) ?? []
  const found = { own: groupPrices(own, search), builtIn: groupPrices(builtIn, search) }
  const edit = (price: ModelPrice) => setEditing({ start: toPriceDraft(price), replaces: price })

  const actions = {
    onEdit: edit,
    onDelete: setDeleting,
    onReprice: ({ id, name }: ModelPrice) => setRepricing({ name, runs: { price_id: id } }),
  }

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
        <>
          <Button onClick={() => setRepricing({ runs: {} })}>
            <RefreshCw size={13} aria-hidden />
            Price stored runs…
          </Button>
          <Button look="primary" onClick={() => setEditing({ start: newPriceDraft() })}>
            <Plus size={13} aria-hidden />
            New price
          </Button>
        </>
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
              onReprice={({ model }) => setRepricing({ name: model, runs: { models: [model] } })}
            />
          )}
          <p className="max-w-3xl text-row text-fg-muted">
            Costs are computed when a run is recorded, with the price valid at its start time. Changes apply to new
            runs, and to stored runs once you price them again. Custom prices take precedence over built-in ones.
          </p>
          <CostJobs />
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
      {editing && (
        <PriceDialog
          {...editing}
          onClose={() => setEditing(undefined)}
          onSaved={(saved) => void offerRepricing(saved)}
        />
      )}
      {repricing && <RepriceDialog {...repricing} onClose={() => setRepricing(undefined)} />}
      {deleting && (
        <ConfirmDialog
          title={`${deleting.built_in ? 'Hide' : 'Delete'} the price of ${deleting.name}?`}
          action={deleting.built_in ? 'Hide price' : 'Delete price'}
          isBusy={remove.isPending}
          onCancel={() => setDeleting(undefined)}
          onConfirm={() => confirmDelete(deleting)}
        >
          New runs use another matching price, or have no cost. Recorded costs do not change until runs are priced
          again.
        </ConfirmDialog>
      )}
    </PageFrame>
  )
}

type Editing = Omit<PriceDialogProps, 'onClose' | 'onSaved'>
type Repricing = Omit<RepriceDialogProps, 'onClose'>

/** The open dialog. Links from other pages open one through the URL, which a reader can go back to. */
function useDialogs() {
  const { model, provider, reprice } = route.useSearch()
  const navigate = route.useNavigate()
  const [editing, setEditing] = useState<Editing | undefined>(
    model === undefined ? undefined : { start: newPriceDraft(model, provider ?? null) },
  )
  const [repricing, setRepricing] = useState<Repricing | undefined>(
    reprice === undefined ? undefined : { name: reprice, runs: { models: [reprice] } },
  )
  const queryClient = useQueryClient()
  const leaveUrl = () => void navigate({ search: {}, replace: true })
  /** Asks only if stored runs would cost something else. */
  async function offerRepricing({ id, name }: ModelPrice) {
    const runs = { price_id: id }
    const estimate = await queryClient.fetchQuery(modelPriceQuery.estimate(runs)).catch(() => undefined)
    if (estimate !== undefined && estimate.changed_run_count > 0) setRepricing({ name, runs, isOffer: true })
  }

  return {
    editing,
    repricing,
    offerRepricing,
    setEditing: (next: Editing | undefined) => {
      setEditing(next)
      if (next === undefined && model !== undefined) leaveUrl()
    },
    setRepricing: (next: Repricing | undefined) => {
      setRepricing(next)
      if (next === undefined && reprice !== undefined) leaveUrl()
    },
  }
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
