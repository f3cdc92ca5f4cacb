import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Feedback } from '@touchstone/sdk'
import { MessageSquarePlus, StickyNote } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { createFeedback, deleteFeedback, feedbackQuery, NOTE, updateFeedback } from '#data/feedback.ts'
import { feedbackConfigQuery } from '#data/feedback-configs.ts'
import { useMay } from '#data/me.ts'
import { type FeedbackDraft, FeedbackForm } from '#domain/feedback/feedback-form.tsx'
import { FeedbackRecord } from '#domain/feedback/feedback-record.tsx'
import { buildCorrection, isFromEvaluator } from '#domain/feedback/feedback-values.ts'
import { formatCount } from '#lib/format.ts'
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
  const feedback = useQuery(feedbackQuery.ofRun(runId))
  const configs = useQuery(feedbackConfigQuery.list())
  const mayWrite = useMay('member')
  const [edited, setEdited] = useState<string>()

  async function give(draft: FeedbackDraft) {
    await createFeedback(queryClient, runId, { ...draft, comment: draft.comment || undefined })
    onAdding(false)
  }
  async function change(record: Feedback, { score, value, comment }: FeedbackDraft) {
    await updateFeedback(queryClient, record, {
      score,
      value,
      comment,
      correction: buildCorrection(record, { score, value }),
    })
    setEdited(undefined)
  }
  function remove(record: Feedback) {
    const undo = deleteFeedback(queryClient, record, (cause) => toast.failure(`Could not delete ${record.key}`, cause))
    toast.done(`Deleted ${record.key}`, { label: 'Undo', run: undo })
  }

  if (feedback.error && !feedback.data)
    return <ErrorState title="Could not load feedback" error={feedback.error} onRetry={() => void feedback.refetch()} />
  if (!feedback.data || configs.isPending) return <SkeletonRows rows={4} label="Loading feedback" />
  const known = configs.data ?? []
  return (
    <div className="flex flex-col gap-2 p-3">
      {mayWrite && adding && (
        <FeedbackForm configs={known} action="Save" onSave={give} onCancel={() => onAdding(false)} />
      )}
      {mayWrite && !adding && (
        <Button className="self-start" onClick={() => onAdding(true)}>
          <MessageSquarePlus size={14} aria-hidden />
          Add feedback
        </Button>
      )}
      {mayWrite && <NoteForm onSave={(comment) => createFeedback(queryClient, runId, { key: NOTE, comment })} />}
      <h3 className="sr-only" role="status">
        {formatCount(feedback.data.length)} records
      </h3>
      {feedback.data.length === 0 && (
        <p className="text-row text-fg-muted">No feedback yet. Add a score, a comment or a note.</p>
      )}
      {feedback.data.map((record) =>
        record.id === edited ? (
          <FeedbackForm
            key={record.id}
            initial={toFeedbackDraft(record)}
            configs={known}
            action={isFromEvaluator(record) ? 'Correct' : 'Save'}
            onSave={(draft) => change(record, draft)}
            onCancel={() => setEdited(undefined)}
          />
        ) : (
          <FeedbackRecord
            key={record.id}
            record={record}
            mayOpen
            onEdit={mayWrite ? () => setEdited(record.id) : undefined}
            onDelete={mayWrite ? () => remove(record) : undefined}
          />
        ),
      )}
    </div>
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

function toFeedbackDraft({ key, score, value, comment }: Feedback): FeedbackDraft {
  return {
    key,
    score: score === null || score === undefined ? undefined : Number(score),
    value: typeof value === 'string' ? value : undefined,
    comment: comment ?? '',
  }
}
