import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useDeferredValue, useState } from 'react'
import { addToQueue, queueQuery, type ReviewTarget } from '#data/queues.ts'
import { formatCount } from '#lib/format/format.ts'
import { createPreference, isText } from '#lib/preferences/preference.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { NameField } from '#ui/name-field.tsx'
import { toast } from '#ui/toast.tsx'

const lastQueue = createPreference('last-queue', '', isText)

/** Adds runs or a thread to an existing or a new annotation queue. */
export function AddToQueueDialog({ what, onClose }: { what: ReviewTarget; onClose: () => void }) {
  const queryClient = useQueryClient()
  const [name, setName] = useState(lastQueue.read)
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false })

  async function add(event: FormEvent) {
    event.preventDefault()
    const wanted = name.trim()
    if (wanted === '') return
    setState({ busy: true })
    try {
      await addToQueue(queryClient, wanted, what)
      lastQueue.write(wanted)
      toast.done(`Added to ${wanted}`)
      onClose()
    } catch (error) {
      setState({ busy: false, error })
    }
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Add to annotation queue"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            type="submit"
            form="add-to-queue"
            disabled={state.busy || name.trim() === ''}
          >{`Add ${describeItems(what)}`}</Button>
        </>
      }
    >
      <form id="add-to-queue" onSubmit={add} className="flex flex-col gap-3">
        {state.error !== undefined && <ErrorState compact title="Could not add to the queue" error={state.error} />}
        <QueueField value={name} onChange={setName} />
      </form>
    </Dialog>
  )
}

function describeItems(what: ReviewTarget): string {
  if ('thread' in what) return 'thread'
  return what.runIds.length === 1 ? 'run' : `${formatCount(what.runIds.length)} runs`
}

/** Field for an existing or a new annotation queue. */
export function QueueField({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  const known = useQuery({ ...queueQuery.search(useDeferredValue(value.trim())), placeholderData: keepPreviousData })
  return (
    <NameField
      label="Queue"
      value={value}
      onChange={onChange}
      names={known.data?.map(({ name }) => name) ?? []}
      whenNew={known.isFetching ? '' : 'No queue has this name. A new one will be created.'}
      placeholder="Select a queue or enter a new name"
    />
  )
}
