import { useQuery } from '@tanstack/react-query'
import { Gauge } from 'lucide-react'
import { useState } from 'react'
import { FeedbackList } from '#features/feedback/feedback-list.tsx'
import { feedbackQuery } from '#features/feedback/queries.ts'
import { formatCount } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { PeekPane } from '#ui/peek-pane.tsx'

interface ThreadScoresProps {
  projectId: string
  threadId: string
  onClose: () => void
}

/** The scores of the whole conversation, beside it or above it in a narrow window. */
export function ThreadScores({ projectId, threadId, onClose }: ThreadScoresProps) {
  const [adding, setAdding] = useState(false)
  return (
    <PeekPane
      label="Scores of the thread"
      className="w-96"
      onClose={onClose}
      header={<h2 className="text-row font-semibold">Scores of the thread</h2>}
    >
      <div className="min-h-0 flex-1 overflow-y-auto">
        <FeedbackList
          target={{ projectId, threadId }}
          adding={adding}
          onAdding={setAdding}
          whenEmpty="No scores for the whole conversation yet. Scores of single turns are shown at the turns."
        />
      </div>
    </PeekPane>
  )
}

interface ThreadScoresButtonProps {
  projectId: string
  threadId: string
  isOpen: boolean
  onClick: () => void
}

/** Opens the scores of the conversation and shows how many there are. */
export function ThreadScoresButton({ projectId, threadId, isOpen, onClick }: ThreadScoresButtonProps) {
  const { data } = useQuery(feedbackQuery.of({ projectId, threadId }))
  return (
    <Button
      aria-pressed={isOpen}
      aria-label="Scores of the thread"
      onClick={onClick}
      className="aria-pressed:border-accent aria-pressed:bg-selected"
    >
      <Gauge size={13} aria-hidden />
      <span className="hidden sm:inline">Scores</span>
      {data !== undefined && data.length > 0 && <span className="tabular-nums">{formatCount(data.length)}</span>}
    </Button>
  )
}
