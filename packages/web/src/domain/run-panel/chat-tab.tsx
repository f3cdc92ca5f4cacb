import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { type RunDocument, readCargo } from '#data/traces.ts'
import { ADAPTERS, adaptConversation } from '#domain/chat-view/adapters.ts'
import { ChatView } from '#domain/chat-view/chat-view.tsx'
import { formatBytes } from '#lib/format/format.ts'
import { createChoicesByKey, isText } from '#lib/preferences/preference.ts'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { usePreference } from '#ui/use-preference.tsx'
import { toMemoryKey } from './place-of.ts'
import { ToolRunLinks } from './tool-run-link.tsx'
import { useToolRuns } from './use-tool-runs.ts'

export interface ChatTabProps {
  document: RunDocument
  /** Token of the public link that is read through. */
  share: string | undefined
  /** Opens the tab with the values themselves. */
  onRaw: () => void
}

/** By project: the shape that its messages are read as; '' is whatever fits. */
const shapeChoices = createChoicesByKey('chat-read-as-in', isText)

/** The run as a conversation; of a large payload only when asked. */
export function ChatTab({ document, share, onRaw }: ChatTabProps) {
  const [asked, setAsked] = useState(false)
  const [isChosenHere, setChosenHere] = useState(false)
  const [allShapes] = usePreference(shapeChoices)
  const place = toMemoryKey(document, 'chat') ?? 'shared'
  const choice = allShapes[place] ?? ''
  const choose = (shape: string) => {
    setChosenHere(true)
    shapeChoices.choose(place, shape)
  }
  const read = useQuery({
    queryKey: ['run', document.run.id, 'cargo', document.readAt],
    queryFn: () => readCargo(document.json),
    enabled: asked && document.cargo === undefined,
    structuralSharing: false,
    gcTime: 0,
  })
  const cargo = document.cargo ?? read.data
  const conversation = useMemo(() => {
    if (!cargo) return undefined
    const asChosen = adaptConversation(cargo.inputs, cargo.outputs, choice || undefined)
    // What was chosen for another run need not fit this one.
    return asChosen ?? (isChosenHere ? undefined : adaptConversation(cargo.inputs, cargo.outputs))
  }, [cargo, choice, isChosenHere])
  const toolRuns = useToolRuns(document.run, conversation, share)
  if (!cargo) {
    return (
      <EmptyState
        title={`The payload has ${formatBytes(document.json.bytes)}`}
        actions={<Button onClick={() => setAsked(true)}>Show it as a chat</Button>}
      >
        {read.isFetching ? 'Reading …' : 'In/Out opens it at once, at any size. As a chat it is read whole first.'}
      </EmptyState>
    )
  }
  return (
    <div>
      <div className="flex h-8 items-center gap-2 border-b border-border px-3 text-meta text-fg-muted">
        <label className="flex items-center gap-1.5">
          Read as
          <select
            value={choice}
            onChange={(event) => choose(event.target.value)}
            className="h-6 rounded-control border border-border bg-surface px-1 text-meta text-fg"
          >
            <option value="">
              {choice === '' && conversation ? `${conversation.adapter.label} (found)` : 'whatever fits'}
            </option>
            {ADAPTERS.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={onRaw} className="ml-auto hover:text-fg hover:underline">
          Show raw
        </button>
      </div>
      {conversation ? (
        <ToolRunLinks run={document.run} share={share}>
          <ChatView conversation={conversation} toolRuns={toolRuns} />
        </ToolRunLinks>
      ) : (
        <EmptyState title="No conversation in this run" actions={<Button onClick={onRaw}>Inputs and outputs</Button>}>
          {choice === ''
            ? 'Its inputs and outputs hold no messages in a shape we know.'
            : 'Nothing in it has that shape.'}
        </EmptyState>
      )}
    </div>
  )
}
