import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Run } from '@touchstone/sdk'
import { feedbackConfigQuery } from '#features/feedback/configs/queries.ts'
import { FeedbackForm } from '#features/feedback/feedback-form.tsx'
import { createFeedback } from '#features/feedback/queries.ts'

/** The form for a score on a turn, that is on the root run of its trace. */
export function TurnScoreForm({ turn, onClose }: { turn: Run; onClose: () => void }) {
  const queryClient = useQueryClient()
  const configs = useQuery(feedbackConfigQuery.list())
  if (configs.isPending) return null
  return (
    <div className="max-w-xl pb-2">
      <FeedbackForm
        configs={configs.data ?? []}
        about={turn.id}
        action="Save"
        onSave={async (draft) => {
          await createFeedback(queryClient, { runId: turn.id }, { ...draft, comment: draft.comment || undefined })
          onClose()
        }}
        onCancel={onClose}
      />
    </div>
  )
}
