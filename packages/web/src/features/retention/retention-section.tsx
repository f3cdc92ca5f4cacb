import type { RetentionEstimate } from '@touchstone/sdk'
import { useState } from 'react'
import { describeFailure } from '#lib/errors.ts'
import { formatAbsoluteTime, pluralize } from '#lib/format.ts'
import type { SelectOption } from '#lib/select.ts'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { CONTROL, FormField } from '#ui/field.tsx'
import { FormSection } from '#ui/form-section.tsx'
import { Select } from '#ui/select.tsx'

/** Days; 0 keeps traces forever, null uses the workspace default. */
export type RetentionChoice = number | null

export interface RetentionSectionProps {
  title: string
  description: string
  saved: RetentionChoice
  /** The selected value. The parent holds it because the estimate depends on it. */
  chosen: RetentionChoice
  onChoose: (days: RetentionChoice) => void
  /** The workspace default, for projects that can inherit it. */
  inherited?: number | undefined
  estimate: RetentionEstimate | undefined
  estimateError: unknown
  isSaving: boolean
  error: unknown
  onSave: () => void
  /** Reason why the user may not change the setting; undefined if they may. */
  lockedBecause?: string | undefined
}

const PRESETS = [0, 7, 14, 30, 60, 90, 180, 365]

/** Retention setting. Counts the affected traces before saving, and asks to type the count if there are any. */
export function RetentionSection(props: RetentionSectionProps) {
  const { title, description, saved, chosen, onChoose, inherited, estimate, estimateError } = props
  const [isAsking, setAsking] = useState(false)
  const [isCustom, setCustom] = useState(chosen !== null && !PRESETS.includes(chosen))
  const isEstimated = estimate !== undefined && estimate.days === (chosen ?? inherited ?? 0)
  const affected = isEstimated ? estimate.trace_count : undefined
  const isInvalid = chosen !== null && !(Number.isInteger(chosen) && chosen >= 0 && chosen <= 36_500)
  const named = (days: RetentionChoice) => (days === null ? 'workspace default' : describeDays(days))

  function choose(value: string) {
    setCustom(value === 'custom')
    if (value === 'custom') onChoose(chosen || 30)
    else onChoose(value === 'inherit' ? null : Number(value))
  }
  return (
    <>
      <FormSection
        title={title}
        description={description}
        changes={chosen === saved ? [] : [{ label: 'Keep traces', from: named(saved), to: named(chosen) }]}
        isSaving={props.isSaving}
        isInvalid={isInvalid || affected === undefined}
        error={props.error}
        lockedBecause={props.lockedBecause}
        onSave={() => (affected === 0 ? props.onSave() : setAsking(true))}
        onDiscard={() => {
          onChoose(saved)
          setCustom(saved !== null && !PRESETS.includes(saved))
        }}
      >
        <div className="flex flex-wrap gap-3">
          <FormField label="Keep traces" className="w-64">
            {(control) => (
              <Select
                {...control}
                value={isCustom ? 'custom' : chosen === null ? 'inherit' : String(chosen)}
                onChange={choose}
                options={listChoices(inherited)}
              />
            )}
          </FormField>
          {isCustom && (
            <FormField label="Days" className="w-28" error={isInvalid ? 'Enter a number from 1 to 36,500.' : undefined}>
              {(control) => (
                <input
                  {...control}
                  type="number"
                  min={1}
                  max={36_500}
                  value={Number.isNaN(chosen) ? '' : (chosen ?? '')}
                  onChange={(event) => onChoose(event.target.valueAsNumber)}
                  className={`${CONTROL} num`}
                />
              )}
            </FormField>
          )}
        </div>
        <p role="status" className={affected ? 'text-row text-warn' : 'text-row text-fg-muted'}>
          {estimateError != null && `Could not count the affected traces: ${describeFailure(estimateError).message}`}
          {estimateError == null && !isInvalid && (isEstimated ? describeEstimate(estimate) : 'Counting…')}
        </p>
      </FormSection>
      {isAsking && isEstimated && (
        <ConfirmDialog
          title={`Delete ${describeCounts(estimate)}?`}
          action="Save and delete"
          typed={String(estimate.trace_count)}
          isBusy={props.isSaving}
          onCancel={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false)
            props.onSave()
          }}
        >
          <p>
            {describeEstimate(estimate)} Their feedback and attachments are deleted too. Deletion starts at once and
            cannot be undone. From then on, traces are deleted when they reach this age.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}

function listChoices(inherited: number | undefined): SelectOption[] {
  return [
    ...(inherited === undefined ? [] : [{ value: 'inherit', label: `Workspace default (${describeDays(inherited)})` }]),
    ...PRESETS.map((days) => ({ value: String(days), label: days === 0 ? 'Forever' : describeDays(days) })),
    { value: 'custom', label: 'Custom' },
  ]
}

/** `forever`, `1 day`, `30 days`. */
export function describeDays(days: number): string {
  if (days === 0) return 'forever'
  return pluralize(days, 'day')
}

/** Describes the traces that a retention setting deletes, in a sentence. */
function describeEstimate(estimate: RetentionEstimate): string {
  if (estimate.removes_before === null) return 'No traces will be deleted.'
  const day = formatAbsoluteTime(estimate.removes_before).replace(/ \d\d:.*$/, '')
  const kept =
    estimate.kept_trace_count === 0
      ? ''
      : ` ${pluralize(estimate.kept_trace_count, 'older trace')} will be kept because they are shared or in an annotation queue.`
  if (estimate.trace_count === 0) return `No traces will be deleted: none ended before ${day}.${kept}`
  const where = estimate.project_count > 1 ? ` in ${pluralize(estimate.project_count, 'project')}` : ''
  return `Deletes ${describeCounts(estimate)}${where} older than ${day}.${kept}`
}

/** `12 traces (36 runs)`. */
function describeCounts({ trace_count, run_count }: RetentionEstimate): string {
  return `${pluralize(trace_count, 'trace')} (${pluralize(run_count, 'run')})`
}
