import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { pluralize } from '#lib/format.ts'
import { createPreference, isText } from '#lib/preferences.ts'
import { NameField } from '#ui/combobox.tsx'
import { FormDialog } from '#ui/dialog.tsx'
import { useSettledText } from '#ui/search-field.tsx'
import { toast } from '#ui/toast.tsx'
import { addToQueue, queueQuery, type ReviewTarget } from './queries.ts'

const lastQueue = createPreference('last-queue', '', isText)

/** Adds runs, a thread or experiments to an existing or a new annotation queue. */
export function AddToQueueDialog({ what, onClose }: { what: ReviewTarget; onClose: () => void }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { tenant = '' } = useParams({ strict: false })
  const [name, setName] = useState(lastQueue.read)
  const trimmed = name.trim()
  const add = useMutation({
    mutationFn: (queue: string) => addToQueue(queryClient, queue, what),
    onSuccess: (queueId, queue) => {
      lastQueue.write(queue)
      const open = () => void navigate({ to: '/o/$tenant/annotation-queues/$queueId', params: { tenant, queueId } })
      toast.done(`Added to ${queue}`, { label: 'Open queue', run: open })
      onClose()
    },
  })
  return (
    <FormDialog
      title="Add to annotation queue"
      action={`Add ${describeItems(what)}`}
      errorTitle="Could not add to the queue"
      canSubmit={trimmed !== ''}
      isPending={add.isPending}
      error={add.error}
      onSubmit={() => add.mutate(trimmed)}
      onClose={onClose}
    >
      <QueueField value={name} onChange={setName} />
    </FormDialog>
  )
}

function describeItems(what: ReviewTarget): string {
  if ('thread' in what) return 'thread'
  const count = 'runIds' in what ? what.runIds.length : what.runCount
  return count === 1 ? 'run' : pluralize(count, 'run')
}

/** Field for an existing or a new annotation queue. */
export function QueueField({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  const wanted = value.trim()
  const searched = useSettledText(wanted)
  const known = useQuery({ ...queueQuery.search(searched), placeholderData: keepPreviousData })
  return (
    <NameField
      label="Queue"
      value={value}
      onChange={onChange}
      names={known.data?.map(({ name }) => name) ?? []}
      whenNew={known.isFetching || searched !== wanted ? '' : 'No queue has this name. A new one will be created.'}
      placeholder="Select a queue or enter a new name"
    />
  )
}
