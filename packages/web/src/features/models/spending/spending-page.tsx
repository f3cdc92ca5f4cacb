import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { Spending } from '@touchstone/sdk'
import { useMay } from '#features/accounts/me.ts'
import { formatCost, pluralize } from '#lib/format.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { DraftConflict } from '#ui/edit-conflict.tsx'
import { CONTROL, FormField } from '#ui/field.tsx'
import { type Change, FormSection } from '#ui/form-section.tsx'
import { Progress } from '#ui/progress.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { useDraft } from '#ui/use-draft.tsx'
import {
  findAmountProblem,
  type LimitTexts,
  listChanged,
  listLimited,
  MAX_LIMIT,
  MAX_UNPRICED,
  toChange,
  toLabels,
  toTexts,
  UNPRICED_CALL,
  WORKSPACE,
} from './draft.ts'
import { spendingMutation, spendingQuery } from './queries.ts'

const route = getRouteApi('/o/$tenant/settings/spending')

/** What calls of models cost this month, and the limits of it. */
export function SpendingPage() {
  const { tenant } = route.useParams()
  const spending = useQuery(spendingQuery.current())
  return (
    <PageFrame title="Spending">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its fields may all be disabled, and it must scroll by keyboard */}
      <div tabIndex={0} className="min-h-0 flex-1 overflow-auto p-3 outline-offset-[-2px] sm:p-6">
        {spending.isPending && <SkeletonRows rows={4} label="Loading spending" />}
        {spending.isError && (
          <ErrorState title="Could not load spending" error={spending.error} onRetry={() => void spending.refetch()} />
        )}
        {spending.data && (
          <div className="flex max-w-4xl flex-col gap-4">
            <LimitForm key={spending.data.month} tenant={tenant} spending={spending.data} />
          </div>
        )}
      </div>
    </PageFrame>
  )
}

function LimitForm({ tenant, spending }: { tenant: string; spending: Spending }) {
  const queryClient = useQueryClient()
  const mayChange = useMay('admin')
  const save = useMutation(spendingMutation.setLimits(queryClient))
  const saved = toTexts(spending)
  const draft = useDraft(saved, 'spending limits')
  const texts = draft.value
  // What is being saved comes back before the draft ends.
  const overtaken = save.isPending ? [] : draft.overtaken
  const limited = listLimited(spending.providers)
  const deleted = spending.providers.filter(({ name }) => name === null)
  const isInvalid = Object.entries(texts).some(([field, text]) =>
    field === UNPRICED_CALL ? findAmountProblem(text, MAX_UNPRICED, true) : findAmountProblem(text, MAX_LIMIT),
  )
  function type(field: string, text: string) {
    draft.set({ [field]: text })
    if (save.isError) save.reset()
  }
  return (
    <FormSection
      title="Monthly limits"
      description={<Description resetsAt={spending.resets_at} />}
      changes={describeChanges(spending, texts)}
      isSaving={save.isPending}
      isRestored={draft.isRestored}
      isInvalid={isInvalid || overtaken.length > 0}
      error={overtaken.length > 0 ? undefined : save.error}
      lockedBecause={mayChange ? undefined : 'Only admins can change limits of spending.'}
      onSave={() =>
        save.mutate(toChange(draft.base, texts), {
          onSuccess: () => {
            draft.settle(texts)
            toast.done('Limits saved')
          },
        })
      }
      onDiscard={() => {
        draft.discard()
        save.reset()
      }}
    >
      {overtaken.length > 0 && (
        <DraftConflict what="these limits" labels={toLabels(spending)} draft={draft} saved={saved} />
      )}
      <LimitRow
        name="Workspace"
        sums={spending.workspace}
        text={texts[WORKSPACE] ?? ''}
        onChange={(text) => type(WORKSPACE, text)}
      />
      {limited.map((provider) => (
        <LimitRow
          key={provider.provider_id}
          name={provider.name ?? ''}
          sums={provider}
          text={texts[provider.provider_id] ?? ''}
          onChange={(text) => type(provider.provider_id, text)}
        />
      ))}
      {limited.length === 0 && (
        <p className="text-row text-fg-muted">
          No providers yet.{' '}
          <Link to="/o/$tenant/settings/providers" params={{ tenant }} className="text-link underline">
            Add a provider
          </Link>{' '}
          to call models.
        </p>
      )}
      {deleted.length > 0 && (
        <p className="text-row text-fg-muted">
          Deleted providers: {formatCost(String(deleted.reduce((sum, { spent_usd }) => sum + spent_usd, 0)))} this
          month.
        </p>
      )}
      <FormField
        label="Cost of a call without a price (US dollars)"
        className="sm:w-80"
        hint="Counted for calls of models that the price table does not know."
        error={findAmountProblem(texts[UNPRICED_CALL] ?? '', MAX_UNPRICED, true)}
      >
        {(control) => (
          <input
            {...control}
            inputMode="decimal"
            value={texts[UNPRICED_CALL] ?? ''}
            onChange={(event) => type(UNPRICED_CALL, event.target.value)}
            className={`${CONTROL} num`}
          />
        )}
      </FormField>
    </FormSection>
  )
}

function Description({ resetsAt }: { resetsAt: string }) {
  return (
    <>
      For calls of the playground, of judges, their previews and of jobs. A call that would exceed a limit is refused.
      All sums start again on {resetsAt.slice(0, 10)} at 00:00 UTC.
    </>
  )
}

interface LimitRowProps {
  name: string
  sums: Spending['workspace']
  text: string
  onChange: (text: string) => void
}

/** What is spent of a limit, and the field of the limit. */
function LimitRow({ name, sums, text, onChange }: LimitRowProps) {
  const { limit_usd: limit, spent_usd: spent, calls, unknown_calls: unknown } = sums
  const isReached = limit !== null && spent >= limit
  return (
    <div className="flex flex-wrap items-start gap-x-6 gap-y-2 border-b border-border pb-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="truncate text-base font-medium" title={name}>
          {name}
        </p>
        <p className={isReached ? 'text-row text-warn' : 'text-row'}>
          <span className="num">{formatCost(String(spent))}</span>
          {limit === null ? ' spent' : ` of ${formatCost(String(limit))} spent`}
          {isReached && ': calls are refused'}
        </p>
        {limit !== null && (
          <Progress
            label={`Spent by ${name}`}
            value={isReached ? 100 : (100 * spent) / limit}
            max={100}
            className="mt-1 h-1.5 w-full"
          />
        )}
        <p className="mt-0.5 text-meta text-fg-subtle">
          {pluralize(calls, 'call')}
          {unknown > 0 && `, ${pluralize(unknown, 'call')} of unknown cost counted with an estimate`}
        </p>
      </div>
      <FormField
        label={
          <>
            Limit<span className="sr-only"> of {name}</span> (US dollars)
          </>
        }
        className="w-full sm:w-56"
        error={findAmountProblem(text, MAX_LIMIT)}
      >
        {(control) => (
          <input
            {...control}
            inputMode="decimal"
            placeholder="No limit"
            value={text}
            onChange={(event) => onChange(event.target.value)}
            className={`${CONTROL} num`}
          />
        )}
      </FormField>
    </div>
  )
}

function describeChanges(spending: Spending, texts: LimitTexts): Change[] {
  const [saved, labels] = [toTexts(spending), toLabels(spending)]
  const show = (text = '') => (text.trim() === '' ? 'no limit' : `$${text.trim()}`)
  return listChanged(saved, texts).map((field) => ({
    label: labels[field] ?? field,
    from: show(saved[field]),
    to: show(texts[field]),
  }))
}
