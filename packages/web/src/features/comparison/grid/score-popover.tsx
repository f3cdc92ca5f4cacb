import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Feedback } from '@touchstone/sdk'
import { type ReactElement, useCallback, useEffect, useRef, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { feedbackConfigQuery } from '#features/feedback/configs/queries.ts'
import { type FeedbackDraft, FeedbackForm } from '#features/feedback/feedback-form.tsx'
import { FeedbackRecord } from '#features/feedback/feedback-record.tsx'
import { buildChange, isFromEvaluator } from '#features/feedback/feedback-values.ts'
import { feedbackQuery, updateFeedback } from '#features/feedback/queries.ts'
import { Popover } from '#ui/popover.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { comparisonQuery } from '../queries.ts'

export interface ScorePopoverProps {
  datasetId: string
  /** The runs behind the score, by repetition. */
  runIds: readonly string[]
  feedbackKey: string
  trigger: ReactElement
}

/** The records behind a score: value, the evaluator's reasoning, its trace, and a form to correct it. */
export function ScorePopover({ datasetId, runIds, feedbackKey, trigger }: ScorePopoverProps) {
  return (
    <Popover trigger={trigger} label={`Feedback ${feedbackKey}`} className="w-96 max-w-[calc(100vw-24px)]">
      <div className="flex max-h-[60vh] flex-col gap-3 overflow-y-auto p-2">
        {runIds.map((id, at) => (
          <section key={id} aria-label={runIds.length > 1 ? `Repetition ${at + 1}` : feedbackKey}>
            {runIds.length > 1 && <h3 className="pb-1 text-meta text-fg-muted">Repetition {at + 1}</h3>}
            <RunRecords datasetId={datasetId} runId={id} feedbackKey={feedbackKey} />
          </section>
        ))}
      </div>
    </Popover>
  )
}

function RunRecords({ datasetId, runId, feedbackKey }: { datasetId: string; runId: string; feedbackKey: string }) {
  const queryClient = useQueryClient()
  const mayWrite = useMay('member')
  const feedback = useQuery(feedbackQuery.ofRun(runId))
  const configs = useQuery(feedbackConfigQuery.list())
  const [edited, setEdited] = useState<string>()
  const noteCorrection = useRefreshOnClose(datasetId)

  async function correct(record: Feedback, draft: FeedbackDraft) {
    const change = buildChange(record, draft)
    if (change !== undefined) await updateFeedback(queryClient, record, change)
    noteCorrection()
    setEdited(undefined)
  }
  if (feedback.error && !feedback.data)
    return (
      <ErrorState
        compact
        title="Could not load the feedback"
        error={feedback.error}
        onRetry={() => void feedback.refetch()}
      />
    )
  if (!feedback.data) return <SkeletonRows rows={2} label="Loading feedback" />
  const records = feedback.data.filter(({ key }) => key === feedbackKey)
  if (records.length === 0) return <p className="text-row text-fg-muted">No feedback with this key.</p>
  return (
    <div className="flex flex-col gap-2">
      {records.map((record) =>
        record.id === edited ? (
          <FeedbackForm
            key={record.id}
            record={record}
            configs={configs.data ?? []}
            action={isFromEvaluator(record) ? 'Correct' : 'Save'}
            onSave={(draft, base = record) => correct(base, draft)}
            onCancel={() => setEdited(undefined)}
          />
        ) : (
          <FeedbackRecord
            key={record.id}
            record={record}
            mayOpen
            onEdit={mayWrite ? () => setEdited(record.id) : undefined}
          />
        ),
      )}
    </div>
  )
}

/**
 * Reads the comparison again when the popover closes, if a score was corrected in it, or when a correction is stored after
 * that. Earlier, the corrected row may leave a filtered list, and the popover with it.
 *
 * @returns notes a stored correction
 */
function useRefreshOnClose(datasetId: string): () => void {
  const queryClient = useQueryClient()
  const popover = useRef({ isOpen: true, isCorrected: false })
  const refresh = useCallback(
    () => void queryClient.invalidateQueries({ queryKey: comparisonQuery.ofDataset(datasetId) }),
    [queryClient, datasetId],
  )
  useEffect(() => {
    const state = popover.current
    state.isOpen = true
    return () => {
      state.isOpen = false
      if (state.isCorrected) refresh()
    }
  }, [refresh])
  return () => {
    popover.current.isCorrected = true
    if (!popover.current.isOpen) refresh()
  }
}
