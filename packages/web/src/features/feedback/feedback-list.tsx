import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Feedback } from '@touchstone/sdk'
import { MessageSquarePlus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { pluralize } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { feedbackConfigQuery } from './configs/queries.ts'
import { type FeedbackDraft, FeedbackForm } from './feedback-form.tsx'
import { FeedbackRecord } from './feedback-record.tsx'
import { buildChange, isFromEvaluator } from './feedback-values.ts'
import { createFeedback, deleteFeedback, type FeedbackTarget, feedbackQuery, updateFeedback } from './queries.ts'

export interface FeedbackListProps {
  target: FeedbackTarget
  /** Whether the form for new feedback is open. */
  adding: boolean
  onAdding: (adding: boolean) => void
  /** Shown without feedback. */
  whenEmpty: string
  /** Further forms, shown to users who may write. */
  children?: ReactNode
}

/** The feedback on a run or a thread, with forms to add and change it. */
export function FeedbackList({ target, adding, onAdding, whenEmpty, children }: FeedbackListProps) {
  const queryClient = useQueryClient()
  const feedback = useQuery(feedbackQuery.of(target))
  const configs = useQuery(feedbackConfigQuery.list())
  const mayWrite = useMay('member')

  async function give(draft: FeedbackDraft) {
    await createFeedback(queryClient, target, { ...draft, comment: draft.comment || undefined })
    onAdding(false)
  }

  if (feedback.error && !feedback.data)
    return <ErrorState title="Could not load feedback" error={feedback.error} onRetry={() => void feedback.refetch()} />
  if (!feedback.data || configs.isPending) return <SkeletonRows rows={4} label="Loading feedback" />
  const known = configs.data ?? []
  return (
    <div className="flex flex-col gap-2 p-3">
      {mayWrite && adding && (
        <FeedbackForm
          configs={known}
          about={'runId' in target ? target.runId : `${target.projectId} ${target.threadId}`}
          action="Save"
          onSave={give}
          onCancel={() => onAdding(false)}
        />
      )}
      {mayWrite && !adding && (
        <Button className="self-start" onClick={() => onAdding(true)}>
          <MessageSquarePlus size={14} aria-hidden />
          Add feedback
        </Button>
      )}
      {mayWrite && children}
      <h3 className="sr-only" role="status">
        {pluralize(feedback.data.length, 'record')}
      </h3>
      {feedback.data.length === 0 && <p className="text-row text-fg-muted">{whenEmpty}</p>}
      <Records records={feedback.data} configs={known} mayWrite={mayWrite} />
    </div>
  )
}

interface RecordsProps {
  records: readonly Feedback[]
  configs: Parameters<typeof FeedbackForm>[0]['configs']
  mayWrite: boolean
}

/** The records; one of them can be edited in its place. */
function Records({ records, configs, mayWrite }: RecordsProps) {
  const queryClient = useQueryClient()
  const [edited, setEdited] = useState<string>()
  async function change(record: Feedback, draft: FeedbackDraft) {
    const change = buildChange(record, draft)
    if (change !== undefined) await updateFeedback(queryClient, record, change)
    setEdited(undefined)
  }
  function remove(record: Feedback) {
    const undo = deleteFeedback(queryClient, record, (cause) => {
      takeBack()
      toast.failure(`Could not delete ${record.key}`, cause)
    })
    const takeBack = toast.done(`Deleted ${record.key}`, { label: 'Undo', run: undo })
  }
  return records.map((record) =>
    record.id === edited ? (
      <FeedbackForm
        key={record.id}
        record={record}
        configs={configs}
        action={isFromEvaluator(record) ? 'Correct' : 'Save'}
        onSave={(draft, base = record) => change(base, draft)}
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
  )
}
