import { ListPlus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useMay } from '#data/me.ts'
import { IconButton } from '#ui/icon-button.tsx'
import { useShortcuts } from '#ui/use-shortcuts.tsx'

const AddToQueueDialog = lazy(() =>
  import('#domain/add-to-queue-dialog.tsx').then((module) => ({ default: module.AddToQueueDialog })),
)

/** Lets people review the whole conversation. */
export function QueueThread({ projectId, threadId }: { projectId: string; threadId: string }) {
  const [open, setOpen] = useState(false)
  const mayWrite = useMay('member')
  useShortcuts(
    'List',
    mayWrite ? [{ keys: 'shift+q', label: 'Add the thread to an annotation queue', run: () => setOpen(true) }] : [],
  )
  if (!mayWrite) return null
  return (
    <>
      <IconButton icon={ListPlus} label="Add to annotation queue" keys="shift+q" onClick={() => setOpen(true)} />
      <Suspense>
        {open && <AddToQueueDialog what={{ thread: { projectId, threadId } }} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  )
}
