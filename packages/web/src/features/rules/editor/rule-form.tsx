import type { RuleTarget } from '@touchstone/sdk'
import type { ReactNode } from 'react'
import { FormField, TextField } from '#ui/field.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { Select } from '#ui/select.tsx'
import type { DraftResult, RuleDraft } from '../draft.ts'
import type { Names } from '../use-names.ts'
import { ActionList } from './action-list.tsx'
import { ChannelPicker } from './channel-picker.tsx'
import { ForecastPanel } from './forecast-panel.tsx'
import { SourceFields } from './source-fields.tsx'

export interface RuleFormProps {
  tenant: string
  draft: RuleDraft
  result: DraftResult
  names: Names
  /** Whether what is missing is shown; before the first save it is not. */
  isChecked: boolean
  readOnly?: boolean
  onChange: (draft: RuleDraft) => void
  /** Learns whether the filter has text that is not applied. It must not change between renders. */
  onFilterOpen: (isOpen: boolean) => void
  /** Fields before those of the definition. */
  children?: ReactNode
}

const TARGETS: readonly { value: RuleTarget; label: string; hint: string }[] = [
  { value: 'trace', label: 'Traces', hint: 'The root of a trace, when the trace has ended and is quiet' },
  { value: 'run', label: 'Runs', hint: 'Every run that ends' },
  { value: 'thread', label: 'Threads', hint: 'The last turn of a thread, when no other turn has come' },
  { value: 'feedback', label: 'Feedback', hint: 'A run that gets feedback' },
]

/** The form of a rule; beside it what it would have done in the last 24 hours. */
export function RuleForm(props: RuleFormProps) {
  const { tenant, draft, result, names, isChecked, readOnly = false, onChange, onFilterOpen, children } = props
  const problems = isChecked && 'problems' in result ? result.problems : NONE
  const change = (part: Partial<RuleDraft>) => onChange({ ...draft, ...part })
  return (
    <div className="flex gap-5 p-3 max-lg:flex-col sm:p-4">
      <fieldset disabled={readOnly} className="flex min-w-0 flex-1 flex-col gap-4 lg:max-w-3xl">
        {children}
        <div className="flex flex-col gap-1 text-row">
          <span className="text-fg-muted">Acts on</span>
          <Segmented label="Acts on" value={draft.target} onChange={(target) => change({ target })} options={TARGETS} />
          <p className={problems.target === undefined ? 'text-fg-muted' : 'text-err'}>
            {problems.target ?? `${TARGETS.find(({ value }) => value === draft.target)?.hint}.`}
          </p>
        </div>
        <SourceFields draft={draft} problems={problems} names={names} onChange={change} onFilterOpen={onFilterOpen} />
        <ReadyFields draft={draft} problems={problems} onChange={change} />
        <ActionList draft={draft} problems={problems} names={names} onChange={change} />
        <SamplingFields draft={draft} problems={problems} onChange={change} />
        <section aria-label="Notices" className="flex flex-col gap-2">
          <h2 className="text-row font-medium">Notices</h2>
          <p className="text-row text-fg-muted">
            When the rule is blocked, and at 80 and 100 % of its spend limit. For a notice about each match, add the
            action "Send notice".
          </p>
          <ChannelPicker
            chosen={draft.noticeChannelIds}
            names={names}
            onChange={(noticeChannelIds) => change({ noticeChannelIds })}
          />
        </section>
        {Object.keys(problems).length > 0 && (
          <p role="alert" className="text-row text-err">
            The rule is not complete: see the fields above.
          </p>
        )}
      </fieldset>
      <ForecastPanel tenant={tenant} result={result} />
    </div>
  )
}

const NONE: Readonly<Record<string, string>> = {}

interface PartProps {
  draft: RuleDraft
  problems: Readonly<Record<string, string>>
  onChange: (part: Partial<RuleDraft>) => void
}

const OPERATORS = [
  { value: '', label: 'any score' },
  { value: 'lt', label: 'below' },
  { value: 'lte', label: 'at most' },
  { value: 'eq', label: 'equal to' },
  { value: 'gte', label: 'at least' },
  { value: 'gt', label: 'above' },
]

/** When a target is ready, and which feedback triggers the rule. */
function ReadyFields({ draft, problems, onChange }: PartProps) {
  if (draft.target === 'trace') {
    return (
      <TextField
        className="sm:w-64"
        label="Quiet seconds"
        hint="Late spans come in until nothing has changed for this long."
        isNumber
        autoComplete="off"
        value={draft.quietSeconds}
        error={problems.quiet}
        onChange={(quietSeconds) => onChange({ quietSeconds })}
      />
    )
  }
  if (draft.target === 'thread') {
    return (
      <TextField
        className="sm:w-64"
        label="Idle minutes"
        hint="The conversation counts as over after this long without a turn."
        isNumber
        autoComplete="off"
        value={draft.idleMinutes}
        error={problems.idle}
        onChange={(idleMinutes) => onChange({ idleMinutes })}
      />
    )
  }
  if (draft.target === 'run') return null
  return (
    <div className="flex gap-3 max-sm:flex-col sm:items-start">
      <TextField
        className="flex-1"
        label="Feedback key"
        hint="Feedback of rules never triggers rules."
        isCode
        autoComplete="off"
        maxLength={255}
        value={draft.feedbackKey}
        error={problems.feedbackKey}
        onChange={(feedbackKey) => onChange({ feedbackKey })}
      />
      <FormField className="sm:w-40" label="With a score">
        {(field) => (
          <Select
            {...field}
            value={draft.operator}
            onChange={(operator) => onChange({ operator })}
            options={OPERATORS}
          />
        )}
      </FormField>
      {draft.operator !== '' && (
        <TextField
          className="sm:w-24"
          label="Score"
          isNumber
          autoComplete="off"
          value={draft.threshold}
          error={problems.threshold}
          onChange={(threshold) => onChange({ threshold })}
        />
      )}
    </div>
  )
}

const WINDOWS = [
  { value: 'day' as const, label: 'a day' },
  { value: 'week' as const, label: 'a week' },
]

/** The share of the traces, and what evaluators may spend. */
function SamplingFields({ draft, problems, onChange }: PartProps) {
  return (
    <section aria-label="Sampling and spend" className="flex flex-col gap-4">
      <h2 className="text-row font-medium">Sampling and spend</h2>
      <div className="flex gap-3 max-sm:flex-col sm:items-start">
        <TextField
          className="flex-1"
          label="Percent of the traces"
          hint="By the id of the trace: a higher share contains the traces of a lower one."
          isNumber
          autoComplete="off"
          value={draft.percent}
          error={problems.percent}
          onChange={(percent) => onChange({ percent })}
        />
        <TextField
          className="flex-1"
          label="Seed"
          hint="Rules with different seeds take different traces."
          isCode
          autoComplete="off"
          maxLength={28}
          value={draft.seed}
          onChange={(seed) => onChange({ seed })}
        />
      </div>
      <div className="flex gap-3 max-sm:flex-col sm:items-start">
        <TextField
          className="flex-1"
          label="Spend limit in US dollars"
          hint="Empty: none. What is over it waits for the next window."
          isNumber
          autoComplete="off"
          value={draft.limit}
          error={problems.limit}
          onChange={(limit) => onChange({ limit })}
        />
        <FormField className="sm:w-40" label="For">
          {(field) => (
            <Select
              {...field}
              value={draft.limitWindow}
              onChange={(limitWindow) => onChange({ limitWindow })}
              options={WINDOWS}
            />
          )}
        </FormField>
      </div>
      {draft.limit.trim() !== '' && (
        <label className="flex items-center gap-2 text-row coarse:min-h-10">
          <input
            type="checkbox"
            checked={draft.allowsUnpriced}
            onChange={(event) => onChange({ allowsUnpriced: event.target.checked })}
          />
          Also call models without a price; they count as 0
        </label>
      )}
    </section>
  )
}
