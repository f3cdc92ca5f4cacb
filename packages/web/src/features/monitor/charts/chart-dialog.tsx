import type { DashboardChart } from '@touchstone/contract'
import { type ReactNode, useState } from 'react'
import { Combobox } from '#ui/combobox.tsx'
import { FormDialog } from '#ui/dialog.tsx'
import { EditConflict } from '#ui/edit-conflict.tsx'
import { FormField, TextField } from '#ui/field.tsx'
import { DraftRestored } from '#ui/form-section.tsx'
import { Select } from '#ui/select.tsx'
import { useDraft } from '#ui/use-draft.tsx'
import { getChartLabel } from '../logic/metrics.ts'
import {
  type ChartDraft,
  findFilterProblem,
  GROUP_OPTIONS,
  isCompleteChart,
  KIND_OPTIONS,
  METRIC_OPTIONS,
  needsFeedbackKey,
  printChart,
  SCOPE_OPTIONS,
  SIZE_OPTIONS,
  toChart,
  toChartDraft,
} from './chart-draft.ts'

export interface ChartDialogProps {
  /** The chart to edit, or the defaults of a new one. */
  chart: DashboardChart
  isNew: boolean
  /** Name under which what is typed survives a reload. */
  keptAs: string
  /** Feedback keys of the runs, as suggestions. */
  feedbackKeys: readonly string[]
  onSave: (chart: DashboardChart) => void
  onClose: () => void
}

/** Adds or edits a chart: its metric, its runs and its display. */
export function ChartDialog({ chart, isNew, keptAs, feedbackKeys, onSave, onClose }: ChartDialogProps) {
  const [start] = useState(() => toChartDraft(chart))
  // A new chart has a new id each time.
  const edit = useDraft(start, keptAs)
  const draft = { ...edit.value, id: start.id }
  const set = (part: Partial<ChartDraft>) => edit.set(part)
  // Only a restored draft can be: the dialog does not follow the dashboard. A new chart is based on no saved one.
  const overtaken = isNew ? [] : edit.overtaken
  function close() {
    edit.discard()
    onClose()
  }
  return (
    <FormDialog
      title={isNew ? 'Add chart' : 'Edit chart'}
      action={isNew ? 'Add' : 'Save'}
      canSubmit={isCompleteChart(draft) && overtaken.length === 0}
      onSubmit={() => {
        onSave(toChart(draft))
        close()
      }}
      onClose={close}
    >
      {edit.isRestored && <DraftRestored onDiscard={edit.discard} />}
      {overtaken.length > 0 && (
        <EditConflict
          what="this chart"
          fields={[
            {
              label: getChartLabel(chart),
              theirs: printChart(toChart(start)),
              mine: printChart(toChart(draft)),
            },
          ]}
          isEditable={false}
          keepLabel="Keep mine"
          onKeep={edit.keep}
          onTake={() => edit.follow(overtaken)}
        />
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        <Choice label="Metric" value={draft.metric} onChange={(metric) => set({ metric })} options={METRIC_OPTIONS} />
        {draft.metric === 'feedback' && (
          <FeedbackKeyField
            value={draft.feedbackKey}
            onChange={(feedbackKey) => set({ feedbackKey })}
            keys={feedbackKeys}
          />
        )}
        <Choice label="Scope" value={draft.scope} onChange={(scope) => set({ scope })} options={SCOPE_OPTIONS} />
        {draft.metric !== 'errors' && (
          <>
            <Choice label="Chart type" value={draft.kind} onChange={(kind) => set({ kind })} options={KIND_OPTIONS} />
            <Choice label="Group by" value={draft.group} onChange={(group) => set({ group })} options={GROUP_OPTIONS} />
            {draft.group === 'metadata' && (
              <TextField
                label="Metadata key"
                value={draft.metadataKey}
                onChange={(metadataKey) => set({ metadataKey })}
              />
            )}
          </>
        )}
        <Choice label="Width" value={draft.size} onChange={(size) => set({ size })} options={SIZE_OPTIONS} />
        <TextField
          label="Filter"
          hint="Filter expression, added to the filter of the page. Leave empty for all runs."
          error={findFilterProblem(draft.filter)}
          value={draft.filter}
          onChange={(filter) => set({ filter })}
          placeholder='eq(run_type, "llm")'
          isCode
          className="sm:col-span-2"
        />
        <TextField
          label="Title"
          hint="Leave empty for an automatic title."
          value={draft.title}
          onChange={(title) => set({ title })}
          maxLength={200}
          placeholder={needsFeedbackKey(draft) ? '' : getChartLabel({ ...toChart(draft), title: null })}
          className="sm:col-span-2"
        />
      </div>
    </FormDialog>
  )
}

interface FeedbackKeyFieldProps {
  value: string
  onChange: (key: string) => void
  keys: readonly string[]
}

function FeedbackKeyField({ value, onChange, keys }: FeedbackKeyFieldProps) {
  return (
    <FormField label="Feedback key" hint="The chart shows the average score.">
      {(props) => <Combobox {...props} value={value} onChange={onChange} suggestions={keys} />}
    </FormField>
  )
}

interface ChoiceProps<Value extends string> {
  label: ReactNode
  value: Value
  onChange: (value: Value) => void
  options: readonly (readonly [value: Value, label: string])[]
}

function Choice<Value extends string>({ label, value, onChange, options }: ChoiceProps<Value>) {
  return (
    <FormField label={label}>
      {(props) => (
        <Select
          {...props}
          value={value}
          onChange={onChange}
          options={options.map(([id, name]) => ({ value: id, label: name }))}
        />
      )}
    </FormField>
  )
}
