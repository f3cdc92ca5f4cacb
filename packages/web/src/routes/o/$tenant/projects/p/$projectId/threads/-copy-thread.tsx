import { useQueryClient } from '@tanstack/react-query'
import type { Run } from '@touchstone/sdk'
import { Copy } from 'lucide-react'
import { useState } from 'react'
import { threadQuery } from '#data/threads.ts'
import type { PrintableTurn } from '#domain/thread-view/thread-markdown.ts'
import { Button } from '#ui/button.tsx'
import { copyText } from '#ui/copy-button.tsx'
import { toast } from '#ui/toast.tsx'

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
      const { printThread } = await import('#domain/thread-view/thread-markdown.ts')
      const cut = loaded.filter(({ content }) => content === undefined).length
      const note = cut === 0 ? '' : `, ${cut} large turns only in part`
      if (await copyText(printThread(threadId, loaded))) toast.done(`${turns.length} turns copied${note}`)
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
