import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { RepriceEstimate, RepriceStart } from '@touchstone/sdk'
import { useState } from 'react'
import { JobRow } from '#features/bulk-jobs/job-row.tsx'
import { bulkQuery, changesCosts, isActiveJob } from '#features/bulk-jobs/queries.ts'
import { formatCost, formatCount, pluralize, spellCost } from '#lib/format.ts'
import { FormDialog } from '#ui/dialog.tsx'
import { Field } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { modelPriceQuery, repriceRuns } from './queries.ts'

export interface RepriceDialogProps {
  /** The model or price whose runs are priced again; absent for all. */
  name?: string | undefined
  runs: Pick<RepriceStart, 'models' | 'price_id'>
  /** Whether it opens after a price was saved. @default false */
  isOffer?: boolean
  onClose: () => void
}

const DAY_MS = 86_400_000
const RANGES = [
  { value: '', label: 'All time' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
] as const
const SCOPES = [
  { value: 'all', label: 'All runs' },
  { value: 'unpriced', label: 'Only runs without a cost' },
] as const

/** Estimates what stored runs would cost by the prices of now, and prices them again. */
export function RepriceDialog({ name, runs, isOffer = false, onClose }: RepriceDialogProps) {
  const queryClient = useQueryClient()
  const [range, setRange] = useState('')
  const [scope, setScope] = useState('all')
  const [openedAt] = useState(() => Date.now())
  const wanted: RepriceStart = {
    ...runs,
    ...(range !== '' && { start_time: new Date(openedAt - Number(range) * DAY_MS).toISOString() }),
    ...(scope === 'unpriced' && { only_unpriced: true }),
  }
  const estimate = useQuery(modelPriceQuery.estimate(wanted))
  const start = useMutation({
    mutationFn: (found: RepriceEstimate) => repriceRuns(queryClient, wanted, found),
    onSuccess: () => {
      toast.done('Stored runs are being priced again. Jobs in the status bar shows the progress.')
      onClose()
    },
  })
  const changed = estimate.data?.changed_run_count ?? 0
  return (
    <FormDialog
      title={name === undefined ? 'Price stored runs again' : `Price stored runs of ${name} again`}
      description="By the prices of today that were valid when each run started. Costs in usage_metadata, and those of models without a price, stay; other reported costs are replaced. You can undo it for 30 days."
      width="max-w-2xl"
      action={changed > 0 ? `Price ${pluralize(changed, 'run')} again` : 'Price runs again'}
      cancelLabel={isOffer ? 'Not now' : 'Cancel'}
      errorTitle="Could not start the job"
      error={start.error ?? undefined}
      canSubmit={changed > 0 && !estimate.isFetching}
      isPending={start.isPending}
      onSubmit={() => estimate.data && start.mutate(estimate.data)}
      onClose={onClose}
    >
      <div className="mb-3 grid grid-cols-2 gap-3">
        <Field label="Started">
          <Select aria-label="Started" options={RANGES} value={range} onChange={setRange} />
        </Field>
        <Field label="Runs">
          <Select aria-label="Runs" options={SCOPES} value={scope} onChange={setScope} />
        </Field>
      </div>
      <div className="min-h-48">
        {estimate.isPending && <SkeletonRows rows={4} label="Estimating the new costs" />}
        {estimate.isError && (
          <ErrorState
            title="Could not estimate the new costs"
            error={estimate.error}
            onRetry={() => void estimate.refetch()}
          />
        )}
        {estimate.data && <Estimate estimate={estimate.data} />}
      </div>
    </FormDialog>
  )
}

function Estimate({ estimate }: { estimate: RepriceEstimate }) {
  const { models, run_count, changed_run_count, cost_before, cost_after, is_sampled, has_more } = estimate
  if (models.length === 0) return <EmptyState title="No stored run of a model with tokens matches" />
  return (
    <>
      <p className="mb-2 text-row">
        <strong className="font-semibold">
          {is_sampled && 'About '}
          {formatCount(changed_run_count)} of {pluralize(run_count, 'run')}
        </strong>{' '}
        {changed_run_count === 1 ? 'changes' : 'change'}: {spellCost(cost_before)} →{' '}
        <strong className="font-semibold">{spellCost(cost_after)}</strong>
      </p>
      <div className="overflow-hidden rounded-card border border-border">
        <table aria-label="New costs by model" className="w-full table-fixed text-left text-row">
          <colgroup>
            <col />
            <col className="w-16 sm:w-20" />
            <col className="max-sm:hidden sm:w-20" />
            <col className="w-20 sm:w-24" />
            <col className="w-20 sm:w-24" />
          </colgroup>
          <thead className="bg-sunken text-meta text-fg-muted">
            <tr className="h-7">
              <th scope="col" className="px-3 font-normal">
                Model
              </th>
              <th scope="col" className="num px-2 font-normal">
                Runs
              </th>
              <th scope="col" className="num px-2 font-normal max-sm:hidden">
                Change
              </th>
              <th scope="col" className="num px-2 font-normal">
                Cost now
              </th>
              <th scope="col" className="num px-2 font-normal">
                New cost
              </th>
            </tr>
          </thead>
          <tbody>
            {models.map((one) => (
              <tr key={`${one.model} ${one.provider}`} className="h-8 border-t border-border">
                <th scope="row" className="px-3 font-normal">
                  <span
                    className="block break-all py-1 sm:truncate"
                    title={one.provider ? `${one.model} (${one.provider})` : one.model}
                  >
                    {one.model}
                    {one.provider && <span className="text-fg-muted"> ({one.provider})</span>}
                  </span>
                </th>
                <td className="num px-2">{formatCount(one.run_count)}</td>
                <td className="num px-2 max-sm:hidden">{formatCount(one.changed_run_count)}</td>
                <td className="num px-2">{formatCost(one.cost_before)}</td>
                <td className="num px-2">
                  {one.price === null ? <span className="text-fg-muted">no price</span> : formatCost(one.cost_after)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {has_more && <p className="mt-2 text-row text-fg-muted">Showing the models with the most runs.</p>}
    </>
  )
}

const JOBS_SHOWN = 3

/** The latest jobs that changed costs: their progress, and what can be undone. */
export function CostJobs() {
  const { data } = useQuery(bulkQuery.jobs())
  const jobs = (data ?? []).filter((job) => changesCosts(job.action) && (isActiveJob(job) || job.can_undo))
  if (jobs.length === 0) return null
  return (
    <section aria-labelledby="cost-jobs" className="rounded-card border border-border bg-surface">
      <h2 id="cost-jobs" className="px-3 pt-2 text-form font-semibold">
        Stored runs that were priced again
      </h2>
      <ul className="divide-y divide-border">
        {jobs.slice(0, JOBS_SHOWN).map((job) => (
          <JobRow key={job.id} job={job} />
        ))}
      </ul>
    </section>
  )
}
