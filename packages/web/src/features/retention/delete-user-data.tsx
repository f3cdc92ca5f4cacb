import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { DeletionCount } from '@touchstone/sdk'
import { type FormEvent, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { formatAbsoluteTime, formatCount, pluralize } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'
import { ErrorState } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { retentionMutation } from './queries.ts'

interface Wanted {
  readonly key: string
  readonly value: string
}

/** Deletes the traces of a user in all projects, after they were counted. */
export function DeleteUserData() {
  const queryClient = useQueryClient()
  const mayDelete = useMay('admin')
  const [{ key, value }, setWanted] = useState<Wanted>({ key: 'user_id', value: '' })
  const [isAsking, setAsking] = useState(false)
  const count = useMutation(retentionMutation.countByMetadata())
  const remove = useMutation(retentionMutation.deleteByMetadata(queryClient))
  const isComplete = key.trim() !== '' && value !== ''
  function change(part: Partial<Wanted>) {
    setWanted({ key, value, ...part })
    // A count belongs to what was counted.
    count.reset()
    remove.reset()
  }
  function submit(event: FormEvent) {
    event.preventDefault()
    if (isComplete && mayDelete && !count.isPending) count.mutate({ key: key.trim(), value })
  }
  function confirm() {
    remove.mutate(
      { key: key.trim(), value },
      {
        onSuccess: ({ deleted_runs }) => {
          toast.done(`Deleted ${pluralize(deleted_runs, 'run')} of ${value}`)
          count.reset()
        },
        onSettled: () => setAsking(false),
      },
    )
  }
  return (
    <section aria-labelledby="user-data" className="rounded-card border border-border bg-surface">
      <header className="px-4 pt-3">
        <h2 id="user-data" className="text-form font-semibold">
          Data of a user
        </h2>
        <p className="mt-0.5 text-row text-fg-muted">
          Deletes every trace in which a run has this metadata, in all projects and of all times, with feedback and
          attachments. Examples that were made from these runs stay in their datasets.
        </p>
      </header>
      <form noValidate onSubmit={submit} className="flex flex-wrap items-end gap-3 px-4 py-3">
        <TextField
          label="Metadata key"
          isCode
          autoComplete="off"
          maxLength={1000}
          className="w-40"
          value={key}
          disabled={!mayDelete}
          onChange={(next) => change({ key: next })}
        />
        <TextField
          label="Value"
          isCode
          autoComplete="off"
          maxLength={1000}
          className="min-w-40 flex-1"
          value={value}
          disabled={!mayDelete}
          onChange={(next) => change({ value: next })}
        />
        <Button type="submit" disabled={!isComplete || !mayDelete || count.isPending} aria-busy={count.isPending}>
          {count.isPending ? 'Counting…' : 'Count'}
        </Button>
      </form>
      {count.isError && <ErrorState compact title="Could not count the runs" error={count.error} />}
      {remove.isError && <ErrorState compact title="Could not delete the data" error={remove.error} />}
      {count.data && (
        <div className="flex flex-wrap items-center gap-3 border-t border-border px-4 py-2">
          <p role="status" className="min-w-56 flex-1 text-row">
            {describeCount(count.data)}
          </p>
          {count.data.runs > 0 && (
            <Button look="danger" onClick={() => setAsking(true)}>
              Delete {pluralize(count.data.traces, 'trace')}…
            </Button>
          )}
        </div>
      )}
      {isAsking && count.data && (
        <ConfirmDialog
          title={`Delete the data of ${value}?`}
          action={`Delete ${pluralize(count.data.traces, 'trace')}`}
          typed={String(count.data.traces)}
          isBusy={remove.isPending}
          onCancel={() => setAsking(false)}
          onConfirm={confirm}
        >
          {describeCount(count.data)} They are deleted in all projects, with traces that arrive until the deletion ends.
          This cannot be undone.
        </ConfirmDialog>
      )}
    </section>
  )
}

function describeCount({
  runs,
  traces,
  projects,
  feedback,
  first_start_time: first,
  last_start_time: last,
}: DeletionCount) {
  if (runs === 0 || first === null || last === null) return 'No run in any project has this metadata.'
  const [from, to] = [first, last].map((time) => formatAbsoluteTime(time).slice(0, -4))
  return `${pluralize(traces, 'trace')} with ${pluralize(runs, 'run')} in ${pluralize(projects, 'project')}, from ${from} to ${to}, and ${formatCount(feedback)} feedback.`
}
