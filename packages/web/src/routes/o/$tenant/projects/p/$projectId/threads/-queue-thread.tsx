import { ListPlus } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useMay } from '#data/me.ts'
import { IconButton } from '#ui/icon-button.tsx'
import { lazyExtra } from '#ui/lazy-extra.tsx'
import { useShortcuts } from '#ui/use-shortcuts.tsx'

const AddToQueueDialog = lazyExtra(() =>
  import('#domain/add-to-queue-dialog.tsx').then((module) => module.AddToQueueDialog),
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
