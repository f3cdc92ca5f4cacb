import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { AnnotationQueueWithDetails } from '@touchstone/sdk'
import { ArrowLeft, Play } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { describeFailure } from '#lib/errors.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { buttonLook } from '#ui/button.tsx'
import { EditConflict } from '#ui/edit-conflict.tsx'
import { DangerZone, FormSection } from '#ui/form-section.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { useDraft } from '#ui/use-draft.tsx'
import { findDatasetId, queueMutation, queueQuery } from './queries.ts'
import { QuestionFields } from './queue-questions.tsx'
import {
  findSettingsProblems,
  printQuestion,
  type SettingsDraft,
  toExpectedQueue,
  toQueueChange,
  toRubricItem,
  toSettingsDraft,
} from './queue-settings.ts'
import { QueueFields, ReviewerFields } from './queue-settings-fields.tsx'
import { Instructions, ReviewForm } from './rubric/review-form.tsx'
import { type Answers, findFirstProblem, type Question, toQuestions } from './rubric/rubric.ts'

const DeleteQueueDialog = lazyExtra(() => import('./queue-dialogs.tsx').then((module) => module.DeleteQueueDialog))

/** Settings of an annotation queue, with a preview of the review form. */
export function QueueSettingsPage({ tenant, queueId }: { tenant: string; queueId: string }) {
  const queue = useQuery(queueQuery.one(queueId))
  const mayWrite = useMay('member')
  const params = { tenant, queueId }
  return (
    <PageFrame
      title={queue.data ? `Settings of ${queue.data.name}` : 'Queue settings'}
      actions={
        <>
          <Link to="/o/$tenant/annotation-queues/$queueId" params={params} className={buttonLook()}>
            <ArrowLeft size={13} aria-hidden />
            Items
          </Link>
          {mayWrite && (
            <Link to="/o/$tenant/annotation-queues/$queueId/review" params={params} className={buttonLook('primary')}>
              <Play size={13} aria-hidden />
              Review
            </Link>
          )}
        </>
      }
    >
      <div className="min-w-0 flex-1 overflow-y-auto p-4">
        {queue.isPending && <SkeletonRows rows={8} label="Loading the settings" />}
        {queue.isError && !queue.data && (
          <ErrorState title="Could not load the queue" error={queue.error} onRetry={() => void queue.refetch()} />
        )}
        {queue.data && <Settings tenant={tenant} queue={queue.data} />}
      </div>
    </PageFrame>
  )
}

const LABELS: Record<keyof SettingsDraft, string> = {
  name: 'Name',
  description: 'Description',
  instructions: 'Instructions',
  questions: 'Questions',
  reviewersPerItem: 'Reviews per item',
  isReserved: 'Reservations',
  reservationMinutes: 'Reservation',
  access: 'Reviewers',
  isBlind: 'Scores of others',
  reviewers: 'Assigned reviewers',
  dataset: 'Default dataset',
}

function Settings({ tenant, queue }: { tenant: string; queue: AnnotationQueueWithDetails }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const mayWrite = useMay('member')
  const saved = useMemo(() => toSettingsDraft(queue), [queue])
  const draft = useDraft(saved, `queue ${queue.id}`)
  const dataset = useMutation({ mutationFn: findDatasetId })
  const update = useMutation(queueMutation.update(queryClient))
  const assign = useMutation(queueMutation.assign(queryClient))
  const problems = findSettingsProblems(draft.value)
  async function save() {
    const { reviewers } = draft.value
    try {
      const change = toQueueChange(draft.value, draft.changed, await dataset.mutateAsync(draft.value.dataset))
      const expected = toExpectedQueue(draft.base, draft.changed)
      if (Object.keys(change).length > 0) await update.mutateAsync({ id: queue.id, change, expected })
      await assign.mutateAsync({
        id: queue.id,
        add: reviewers.filter((id) => !saved.reviewers.includes(id)),
        remove: saved.reviewers.filter((id) => !reviewers.includes(id)),
      })
    } catch {
      return // the section shows the error
    }
    draft.settle(draft.value)
    toast.done('Saved the queue')
  }
  const fields = { draft: draft.value, problems, onChange: draft.set }
  const isSaving = dataset.isPending || update.isPending || assign.isPending
  // What is being saved comes back before the draft is discarded.
  const overtaken = isSaving ? [] : draft.overtaken
  // The fields that others have changed are shown above; the other fields can be saved after that.
  const isOvertaken = overtaken.length > 0 && describeFailure(update.error).status === 409
  return (
    <div className="mx-auto grid max-w-6xl grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="flex min-w-0 flex-col gap-4">
        <FormSection
          title="Annotation queue"
          description="The rubric is shown to reviewers; each answer is stored as feedback under its key."
          changes={draft.changed.map((field) => toChange(field, saved, draft.value))}
          isSaving={isSaving}
          isInvalid={Object.keys(problems).length > 0 || overtaken.length > 0}
          error={dataset.error ?? (isOvertaken ? undefined : update.error) ?? assign.error}
          isRestored={draft.isRestored}
          lockedBecause={mayWrite ? undefined : READ_ONLY}
          onSave={() => void save()}
          onDiscard={draft.discard}
        >
          {overtaken.length > 0 && (
            <EditConflict
              what="this queue"
              fields={overtaken.map((field) => ({
                label: LABELS[field],
                theirs: printSetting(field, saved, queue),
                mine: printSetting(field, draft.value, queue),
              }))}
              keepLabel="Keep mine"
              onKeep={draft.keep}
              onTake={() => draft.follow(overtaken)}
            />
          )}
          <QueueFields {...fields} savedDatasetId={queue.default_dataset ?? undefined} />
          <QuestionFields questions={draft.value.questions} onChange={(questions) => draft.set({ questions })} />
          <ReviewerFields {...fields} known={queue.assigned_reviewers ?? []} />
        </FormSection>
        {mayWrite && (
          <DangerZone
            explanation="Deletes the queue with its rubric and the progress of its reviewers. Runs and feedback stay."
            label="Delete queue…"
            dialog={(close) => (
              <DeleteQueueDialog
                queue={queue}
                onClose={close}
                onDeleted={() => void navigate({ to: '/o/$tenant/annotation-queues', params: { tenant } })}
              />
            )}
          />
        )}
      </div>
      <Preview draft={draft.value} queue={queue} />
    </div>
  )
}

function printSetting(field: keyof SettingsDraft, from: SettingsDraft, queue: AnnotationQueueWithDetails): string {
  if (field === 'questions') return from.questions.map(printQuestion).join('\n\n')
  if (field === 'reviewers') {
    const known = queue.assigned_reviewers ?? []
    return from.reviewers.map((id) => known.find((one) => one.id === id)?.name ?? id).join('\n')
  }
  if (field === 'dataset') return 'id' in from.dataset ? from.dataset.id : from.dataset.name
  if (field === 'access') return from.access === 'any' ? 'Everybody' : 'Assigned reviewers'
  if (field === 'isBlind') return from.isBlind ? 'Hidden until the item is completed' : 'Shown'
  if (field === 'isReserved') return from.isReserved ? 'Items are reserved' : 'Items are not reserved'
  return from[field] || (field === 'reviewersPerItem' ? 'all' : '')
}

function toChange(field: keyof SettingsDraft, from: SettingsDraft, to: SettingsDraft) {
  const label = LABELS[field]
  if (field === 'name' || field === 'reviewersPerItem' || field === 'reservationMinutes') {
    return { label, from: from[field] || 'all', to: to[field] || 'all' }
  }
  return { label }
}

/** The review form as reviewers will see it, with the unsaved changes; answers are not stored. */
function Preview({ draft, queue }: { draft: SettingsDraft; queue: AnnotationQueueWithDetails }) {
  const configs = useMemo(
    () => new Map((queue.rubric_items ?? []).map((item) => [item.feedback_key, item.feedback_config])),
    [queue],
  )
  const questions = useMemo(
    () =>
      toQuestions(
        draft.questions.map(toRubricItem).map((item) => ({ ...item, feedback_config: configs.get(item.feedback_key) })),
      ),
    [draft.questions, configs],
  )
  return (
    <section
      aria-labelledby="preview"
      className="sticky top-0 max-h-full overflow-y-auto rounded-card border border-border bg-surface"
    >
      <h2 id="preview" className="px-3 pt-3 text-form font-semibold">
        Preview
      </h2>
      <p className="px-3 text-row text-fg-muted">What reviewers see. Try it; nothing is stored.</p>
      {questions.length === 0 && draft.instructions === '' ? (
        <p className="p-3 text-row text-fg-subtle">Add a question to see it here.</p>
      ) : (
        <PreviewForm questions={questions} instructions={draft.instructions} />
      )}
    </section>
  )
}

/** A review form to try: it checks answers like the real one and stores nothing. */
function PreviewForm({ questions, instructions }: { questions: readonly Question[]; instructions: string }) {
  const [answers, setAnswers] = useState<Answers>({})
  const [activeKey, setActiveKey] = useState<string>()
  const [problem, setProblem] = useState<{ key: string; problem: string }>()
  return (
    <>
      <Instructions text={instructions} />
      <ReviewForm
        questions={questions}
        answers={answers}
        statuses={new Map()}
        activeKey={activeKey}
        onActivate={setActiveKey}
        problem={problem}
        isReadOnly={false}
        onAnswer={(key, answer) => {
          setProblem(undefined)
          setAnswers({ ...answers, [key]: answer })
        }}
        onLeave={() => undefined}
        onDone={() => setProblem(findFirstProblem(questions, answers))}
      />
    </>
  )
}
