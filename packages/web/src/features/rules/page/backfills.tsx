import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Rule, RuleBackfill, RuleBackfillState } from '@touchstone/sdk'
import { useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { formatAbsoluteTime, formatCount, formatMinute } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { FormDialog } from '#ui/dialog.tsx'
import { Field, FormField } from '#ui/field.tsx'
import { Progress } from '#ui/progress.tsx'
import { Select } from '#ui/select.tsx'
import { ErrorState } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { ruleMutation, ruleQuery } from '../queries.ts'

/** Runs of the past that the rule acts on, beside those that arrive. */
export function Backfills({ rule }: { rule: Rule }) {
  const mayWrite = useMay('member')
  const [isAsking, setAsking] = useState(false)
  const { data, error, refetch } = useQuery(ruleQuery.backfills(rule.id))
  return (
    <section aria-label="Backfills" className="min-w-0 rounded-card border border-border bg-surface">
      <div className="flex min-h-9 items-center gap-2 border-b border-border px-3 py-1">
        <h2 className="min-w-0 flex-1 text-row font-semibold">Backfills</h2>
        {mayWrite && <Button onClick={() => setAsking(true)}>Backfill…</Button>}
      </div>
      {error !== null && data === undefined && (
        <ErrorState compact title="Could not load the backfills" error={error} onRetry={() => void refetch()} />
      )}
      {data?.length === 0 && (
        <p className="px-3 py-2 text-row text-fg-muted">
          None. A rule looks at runs that arrive from now on; a backfill lets it act on runs of the past, newest first,
          beside its live runs.
        </p>
      )}
      <ul>
        {data?.map((backfill) => (
          <BackfillLine key={backfill.id} ruleId={rule.id} backfill={backfill} mayWrite={mayWrite} />
        ))}
      </ul>
      {isAsking && <BackfillDialog rule={rule} onClose={() => setAsking(false)} />}
    </section>
  )
}

const STATES: Readonly<Record<RuleBackfill['state'], string>> = {
  running: 'Running',
  paused: 'Paused',
  done: 'Done',
  canceled: 'Canceled',
  failed: 'Failed',
}

interface BackfillLineProps {
  ruleId: string
  backfill: RuleBackfill
  mayWrite: boolean
}

function BackfillLine({ ruleId, backfill, mayWrite }: BackfillLineProps) {
  const { id, from, to, state, total, looked_at, claimed, open, error } = backfill
  const update = useMutation(ruleMutation.updateBackfill(useQueryClient(), ruleId))
  const set = (next: RuleBackfillState) =>
    update.mutate(
      { backfillId: id, state: next },
      { onError: (cause) => toast.failure('The backfill could not be changed.', cause) },
    )
  const isOpen = state === 'running' || state === 'paused'
  const span = `${formatMinute(from)} – ${formatMinute(to)}`
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-border px-3 py-1.5 text-row first:border-0">
      <span className="min-w-0 flex-1" title={`${formatAbsoluteTime(from)} – ${formatAbsoluteTime(to)}`}>
        <span className="font-medium">{STATES[state]}</span> <span className="text-fg-muted">{span}</span>
        <span className="block text-fg-muted">
          {formatCount(looked_at)} of {formatCount(total)} looked at, {formatCount(claimed)} acted on
          {open > 0 && `, ${formatCount(open)} open`}
        </span>
        {error !== null && <span className="block text-err">{error}</span>}
      </span>
      {isOpen && <Progress label={`Backfill ${span}`} value={looked_at} max={Math.max(total, 1)} className="w-24" />}
      {isOpen && mayWrite && (
        <span className="flex gap-1">
          <Button disabled={update.isPending} onClick={() => set(state === 'running' ? 'paused' : 'running')}>
            {state === 'running' ? 'Pause' : 'Resume'}
          </Button>
          <Button disabled={update.isPending} onClick={() => set('canceled')}>
            Cancel
          </Button>
        </span>
      )}
    </li>
  )
}

const DAYS = [
  { value: '1', label: 'the last day' },
  { value: '7', label: 'the last 7 days' },
  { value: '30', label: 'the last 30 days' },
  { value: '90', label: 'the last 90 days' },
]

function BackfillDialog({ rule, onClose }: { rule: Rule; onClose: () => void }) {
  const [days, setDays] = useState('7')
  const [again, setAgain] = useState(false)
  const create = useMutation(ruleMutation.backfill(useQueryClient(), rule.id))
  return (
    <FormDialog
      title={`Backfill ${rule.name}`}
      action="Start"
      errorTitle="Could not start the backfill"
      canSubmit
      isPending={create.isPending}
      error={create.error}
      onSubmit={() => {
        const from = new Date(Date.now() - Number(days) * 86_400_000).toISOString()
        create.mutate(
          { from, again },
          {
            onSuccess: ({ total }) => {
              onClose()
              toast.done(`The backfill looks at ${formatCount(total)} matching runs`)
            },
          },
        )
      }}
      onClose={onClose}
    >
      <FormField label="Runs of" hint={`Version ${rule.version} acts on them; its spend limit counts.`}>
        {(field) => <Select {...field} value={days} onChange={setDays} options={DAYS} />}
      </FormField>
      <Field label="Runs that it has acted on">
        <span className="flex items-center gap-2 text-row text-fg coarse:min-h-10">
          <input type="checkbox" checked={again} onChange={(event) => setAgain(event.target.checked)} />
          Act again; its feedback is replaced
        </span>
      </Field>
    </FormDialog>
  )
}
