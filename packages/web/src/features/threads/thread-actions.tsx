import { useQueryClient } from '@tanstack/react-query'
import type { Run } from '@touchstone/sdk'
import { Copy, ListPlus } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { pluralize } from '#lib/format.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { copyText } from '#ui/copy-button.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { toast } from '#ui/toast.tsx'
import { threadQuery } from './queries.ts'
import type { PrintableTurn } from './thread-markdown.ts'

const PARALLEL_REQUESTS = 4

export interface CopyThreadProps {
  threadId: string
  turns: readonly Run[]
  disabled: boolean
}

/** Copies the whole conversation as Markdown, and loads the messages of all turns first. */
export function CopyThread({ threadId, turns, disabled }: CopyThreadProps) {
  const queryClient = useQueryClient()
  const [loadedCount, setLoadedCount] = useState<number>()
  async function copy() {
    setLoadedCount(0)
    try {
      const loaded: PrintableTurn[] = []
      for (let from = 0; from < turns.length; from += PARALLEL_REQUESTS) {
        loaded.push(...(await Promise.all(turns.slice(from, from + PARALLEL_REQUESTS).map(load))))
        setLoadedCount(loaded.length)
      }
      const { printThread } = await import('./thread-markdown.ts')
      const cut = loaded.filter(({ content }) => content === undefined).length
      const note = cut === 0 ? '' : `, ${cut} large turns only in part`
      if (await copyText(printThread(threadId, loaded))) toast.done(`${pluralize(turns.length, 'turn')} copied${note}`)
    } catch (cause) {
      toast.failure('Could not load the conversation', cause)
    } finally {
      setLoadedCount(undefined)
    }
  }
  async function load(turn: Run): Promise<PrintableTurn> {
    const payload = await queryClient.fetchQuery(threadQuery.payload(turn))
    return { turn, content: 'inputs' in payload ? payload : undefined }
  }
  return (
    <Button onClick={() => void copy()} disabled={disabled || loadedCount !== undefined} aria-label="Copy as Markdown">
      <Copy size={13} aria-hidden />
      <span className="hidden sm:inline">
        {loadedCount === undefined ? 'Copy as Markdown' : `Loading ${loadedCount} of ${turns.length}`}
      </span>
    </Button>
  )
}

const AddToQueueDialog = lazyExtra(() =>
  import('#features/annotation-queues/add-to-queue-dialog.tsx').then((module) => module.AddToQueueDialog),
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
