import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { AnnotationQueueWithDetails } from '@touchstone/sdk'
import { useEffect, useRef, useState } from 'react'
import { meQuery } from '#features/accounts/me.ts'
import { isAtLeast, READ_ONLY } from '#lib/roles.ts'
import { LeaveGuard } from '#ui/form-section.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { queueQuery } from '../queries.ts'
import { Instructions, ReviewForm, type ReviewFormHandle } from '../rubric/review-form.tsx'
import type { ReviewSearch } from '../search.ts'
import { CorrectionDrafts } from './logic/correction-drafts.ts'
import { PairItem } from './pair-item.tsx'
import { type ReviewPlace, reviewQuery, writeCorrection } from './queries.ts'
import { ReviewEnd } from './review-end.tsx'
import { ReviewBanner, ReviewHeader } from './review-header.tsx'
import { ReviewItem, type ReviewItemHandle } from './review-item.tsx'
import { type ReviewState, useReview } from './use-review.ts'

interface ReviewPageProps {
  tenant: string
  queueId: string
  search: ReviewSearch
}

/** The review of a queue, one item at a time, without the navigation of the app. */
export function ReviewPage({ tenant, queueId, search }: ReviewPageProps) {
  const queue = useQuery(queueQuery.one(queueId))
  const me = useQuery(meQuery.current())
  const queryClient = useQueryClient()
  const [round, setRound] = useState(0)
  // Of all rounds: a correction that could not be stored is there when its item comes again.
  const [drafts] = useState(() => new CorrectionDrafts<ReviewPlace>(writeCorrection))
  const error = queue.error ?? me.error
  if (error && (!queue.data || !me.data)) {
    const retry = () => void Promise.all([queue.refetch(), me.refetch()])
    return <ErrorState title="Could not load the queue" error={error} onRetry={retry} />
  }
  if (!queue.data || !me.data) return <SkeletonRows rows={6} label="Loading the review" />
  if (!isAtLeast(me.data.role, 'member')) return <EmptyState title="You may not review">{READ_ONLY}</EmptyState>
  function restart() {
    queryClient.removeQueries({ queryKey: reviewQuery.waiting(queueId).queryKey })
    setRound(round + 1)
  }
  return (
    <>
      <title>{`Review ${queue.data.name} · Touchstone`}</title>
      <Review
        key={round}
        tenant={tenant}
        queue={queue.data}
        authorId={me.data.id}
        // A pair is found from the list only.
        itemId={round === 0 && queue.data.queue_type !== 'pairwise' ? search.item : undefined}
        drafts={drafts}
        onRestart={restart}
      />
    </>
  )
}

/** Fields that text is typed in. */
const TYPED_IN = 'textarea, input:not([type=radio], [type=checkbox]), [role=textbox]'

interface ReviewProps {
  tenant: string
  queue: AnnotationQueueWithDetails
  authorId: string | null
  itemId: string | undefined
  drafts: CorrectionDrafts<ReviewPlace>
  onRestart: () => void
}

function Review({ tenant, queue, authorId, itemId, drafts, onRestart }: ReviewProps) {
  const review = useReview({ queue, authorId, itemId, drafts })
  const navigate = useNavigate()
  const form = useRef<ReviewFormHandle>(null)
  const content = useRef<ReviewItemHandle>(null)
  const page = useRef<HTMLElement>(null)
  const { row, answers, questions, waiting } = review
  const isEnded = review.session.at === undefined && waiting.isSuccess && !waiting.isFetching
  const leave = () =>
    void navigate({ to: '/o/$tenant/annotation-queues/$queueId', params: { tenant, queueId: queue.id } })
  function finish() {
    const missing = review.finish()
    if (missing !== undefined) form.current?.focus(missing)
  }
  useReviewShortcuts({ review, form: () => form.current, content: () => content.current, finish, leave })
  useFocusOnFirstQuestion(row?.item.id, answers.records !== undefined, () => {
    // The answers may arrive when the reviewer already corrects the output.
    if (page.current?.contains(document.activeElement) && document.activeElement?.matches(TYPED_IN)) return
    const first = questions[0]
    if (first) form.current?.focus(first.key)
    // On a phone the form is below the item, which has to be read first.
    if (page.current) page.current.scrollTop = 0
  })
  return (
    <div className="flex min-h-0 flex-1 flex-col bg-bg">
      <ReviewHeader queue={queue} review={review} isEnded={isEnded} onDone={finish} onLeave={leave} />
      <ReviewBanner review={review} />
      <main ref={page} className="flex min-h-0 flex-1 flex-col overflow-y-auto md:flex-row md:overflow-hidden">
        {isEnded ? (
          <ReviewEnd
            queue={queue}
            session={review.session}
            onRestart={onRestart}
            onLeave={leave}
            onUndo={review.undo}
          />
        ) : (
          <>
            <OpenItem
              tenant={tenant}
              queue={queue}
              authorId={authorId}
              review={review}
              drafts={drafts}
              contentRef={content}
            />
            <aside
              aria-label="Rubric"
              className="shrink-0 border-border bg-surface max-md:border-t md:w-88 md:overflow-y-auto md:border-l"
            >
              <Instructions text={queue.rubric_instructions ?? ''} />
              {row && <QuestionsOfItem key={row.item.id} review={review} formRef={form} onDone={finish} />}
            </aside>
          </>
        )}
      </main>
      <LeaveGuard isDirty={review.hasUnsaved} title="The review" />
    </div>
  )
}

interface OpenItemProps {
  tenant: string
  queue: AnnotationQueueWithDetails
  authorId: string | null
  review: ReviewState
  drafts: CorrectionDrafts<ReviewPlace>
  contentRef: React.Ref<ReviewItemHandle>
}

function OpenItem({ tenant, queue, authorId, review, drafts, contentRef }: OpenItemProps) {
  const { row, partner, open, waiting, answers } = review
  const failed = open.isError ? open : waiting.isError ? waiting : undefined
  return (
    <section aria-label="Item" data-pane="item" className="flex min-w-0 flex-1 flex-col md:min-h-0 md:overflow-hidden">
      {failed && !row && (
        <ErrorState title="Could not load the item" error={failed.error} onRetry={() => void failed.refetch()} />
      )}
      {!failed && !row && <SkeletonRows rows={8} label="Loading the item" />}
      {row && partner && <PairItem key={row.item.id} ref={contentRef} row={row} partner={partner} />}
      {row && !partner && (
        <ReviewItem
          key={row.item.id}
          ref={contentRef}
          tenant={tenant}
          row={row}
          queue={queue}
          authorId={authorId}
          records={answers.records}
          drafts={drafts}
          isReadOnly={review.isLost}
        />
      )}
    </section>
  )
}

interface QuestionsProps {
  review: ReviewState
  formRef: React.Ref<ReviewFormHandle>
  onDone: () => void
}

function QuestionsOfItem({ review, formRef, onDone }: QuestionsProps) {
  const { answers, questions, row } = review
  const [activeKey, setActiveKey] = useState(questions[0]?.key)
  if (answers.read.isError && answers.records === undefined) {
    return (
      <ErrorState
        title="Could not load the answers"
        error={answers.read.error}
        onRetry={() => void answers.read.refetch()}
      />
    )
  }
  if (answers.records === undefined) return <SkeletonRows rows={4} label="Loading the answers" />
  return (
    <>
      <ReviewForm
        ref={formRef}
        questions={questions}
        answers={answers.answers}
        statuses={answers.statuses}
        activeKey={activeKey}
        onActivate={setActiveKey}
        problem={review.problem}
        isReadOnly={review.isLost}
        onAnswer={review.answer}
        onLeave={() => row && void answers.flush(row.item.id)}
        onDone={onDone}
      />
      {questions.length === 0 && (
        <p className="px-3 text-row text-fg-muted">
          The queue has no questions. Add them in its settings, or correct the output with e.
        </p>
      )}
    </>
  )
}

interface ReviewKeys {
  review: ReviewState
  form: () => ReviewFormHandle | null
  content: () => ReviewItemHandle | null
  finish: () => void
  leave: () => void
}

function useReviewShortcuts({ review, form, content, finish, leave }: ReviewKeys) {
  useShortcuts('Review', [
    { keys: 'mod+enter', label: 'Done and next', run: finish },
    { keys: 'arrowright', label: 'Skip to the end', run: review.skip },
    { keys: 'arrowleft', label: 'Previous item', run: review.previous },
    { keys: 'arrowdown', label: 'Next question', run: () => form()?.move(1) },
    { keys: 'arrowup', label: 'Previous question', run: () => form()?.move(-1) },
    {
      keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'],
      label: 'Choose an answer',
      run: (event) => form()?.choose(Number(event.key)),
    },
    { keys: 'c', label: 'Comment on the question', run: () => form()?.comment() },
    { keys: 'e', label: 'Correct the output', run: () => content()?.edit?.() },
    { keys: 'shift+d', label: 'Add to the dataset', run: () => content()?.addToDataset?.() },
    { keys: 'r', label: 'Messages or JSON', run: () => content()?.toggleRaw() },
    { keys: 'u', label: 'Undo the last Done', run: review.undo },
    { keys: 'escape', label: 'Leave the review', run: leave },
  ])
}

/** The form of a new item can be answered without the pointer. */
function useFocusOnFirstQuestion(itemId: string | undefined, isReady: boolean, focus: () => void) {
  const latest = useRef(focus)
  useEffect(() => {
    latest.current = focus
  })
  useEffect(() => {
    if (itemId !== undefined && isReady) latest.current()
  }, [itemId, isReady])
}
