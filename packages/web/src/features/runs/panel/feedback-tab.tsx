import { useQuery, useQueryClient } from '@tanstack/react-query'
import { StickyNote } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { FeedbackList } from '#features/feedback/feedback-list.tsx'
import { FeedbackRecord } from '#features/feedback/feedback-record.tsx'
import { createFeedback, feedbackQuery, NOTE } from '#features/feedback/queries.ts'
import { Button } from '#ui/button.tsx'
import { FIELD } from '#ui/field.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'

export interface FeedbackTabProps {
  runId: string
  /** Whether the form for new feedback is open. */
  adding: boolean
  onAdding: (adding: boolean) => void
}

/** Feedback of a run, with forms to add and change it. */
export function FeedbackTab({ runId, adding, onAdding }: FeedbackTabProps) {
  const queryClient = useQueryClient()
  return (
    <FeedbackList
      target={{ runId }}
      adding={adding}
      onAdding={onAdding}
      whenEmpty="No feedback yet. Add a score, a comment or a note."
    >
      <NoteForm onSave={(comment) => createFeedback(queryClient, { runId }, { key: NOTE, comment })} />
    </FeedbackList>
  )
}

/** Feedback on public pages, read-only. */
export function PublicFeedback({ runId, share }: { runId: string; share: string }) {
  const { data, error, refetch } = useQuery(feedbackQuery.ofRun(runId, share))
  if (error && !data) return <ErrorState title="Could not load feedback" error={error} onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows rows={4} label="Loading feedback" />
  if (data.length === 0) return <EmptyState title="No feedback yet">This run has no scores or comments.</EmptyState>
  return (
    <div className="flex flex-col gap-2 p-3">
      {data.map((record) => (
        <FeedbackRecord key={record.id} record={record} />
      ))}
    </div>
  )
}

/** Adds a comment without a score. */
function NoteForm({ onSave }: { onSave: (text: string) => Promise<void> }) {
  const [text, setText] = useState('')
  const [isBusy, setBusy] = useState(false)
  async function save(event: FormEvent) {
    event.preventDefault()
    if (text.trim() === '') return
    setBusy(true)
    await onSave(text.trim())
      .then(() => setText(''))
      .catch((cause) => toast.failure('Could not save the note', cause))
    setBusy(false)
  }
  return (
    <form onSubmit={save} className="flex gap-2">
      <input
        aria-label="Note"
        placeholder="Write a note"
        value={text}
        onChange={(event) => setText(event.target.value)}
        className={`${FIELD} flex-1`}
      />
      <Button type="submit" disabled={isBusy || text.trim() === ''} className="h-8">
        <StickyNote size={14} aria-hidden />
        Add note
      </Button>
    </form>
  )
}
