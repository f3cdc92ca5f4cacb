import { useQueryClient } from '@tanstack/react-query'
import type { Run } from '@touchstone/sdk'
import { Copy } from 'lucide-react'
import { useState } from 'react'
import { threadQuery } from '#data/threads.ts'
import type { Cargo } from '#domain/thread-view/read-turn.ts'
import { Button } from '#ui/button.tsx'
import { copyText } from '#ui/copy-button.tsx'
import { toast } from '#ui/toast.tsx'

const AT_ONCE = 4

export interface CopyThreadProps {
  threadId: string
  turns: readonly Run[]
  disabled: boolean
}

/** Copies the whole conversation as Markdown; turns that were not on screen are read first. */
export function CopyThread({ threadId, turns, disabled }: CopyThreadProps) {
  const queryClient = useQueryClient()
  const [done, setDone] = useState<number>()
  async function copy() {
    setDone(0)
    try {
      const words: { turn: Run; cargo: Cargo | undefined }[] = []
      for (let from = 0; from < turns.length; from += AT_ONCE) {
        words.push(...(await Promise.all(turns.slice(from, from + AT_ONCE).map(read))))
        setDone(words.length)
      }
      const { threadMarkdown } = await import('#domain/thread-view/thread-markdown.ts')
      const unread = words.filter(({ cargo }) => cargo === undefined).length
      const note = unread === 0 ? '' : `; of ${unread} large turns only the beginning`
      if (await copyText(threadMarkdown(threadId, words))) toast.done(`${turns.length} turns copied${note}`)
    } catch (cause) {
      toast.failure('The conversation could not be read.', cause)
    } finally {
      setDone(undefined)
    }
  }
  async function read(turn: Run) {
    const cargo = await queryClient.fetchQuery(threadQuery.payload(turn))
    return { turn, cargo: 'inputs' in cargo ? cargo : undefined }
  }
  return (
    <Button onClick={() => void copy()} disabled={disabled || done !== undefined} aria-label="Copy as Markdown">
      <Copy size={13} aria-hidden />
      <span className="hidden sm:inline">
        {done === undefined ? 'Copy as Markdown' : `Reading ${done} of ${turns.length}`}
      </span>
    </Button>
  )
}
