import type { ChartMetric, DashboardChart, RunGrouping } from '@touchstone/contract'
import { FilterError, parseFilter } from '@touchstone/contract/filter'
import { type FormEvent, type ReactNode, useState } from 'react'
import { labelOfChart } from '#lib/monitor/metrics.ts'
import { parseGrouping } from '#lib/url/monitor-search.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { CONTROL, FormField } from '#ui/form-field.tsx'

export interface ChartDialogProps {
  /** The chart to change, or what a new one begins with. */
  chart: DashboardChart
  isNew: boolean
  /** Keys that runs were given, to choose from. */
  feedbackKeys: readonly string[]
  onSave: (chart: DashboardChart) => void
  onClose: () => void
}

const METRICS = ['runs', 'error_rate', 'latency', 'first_token', 'tokens', 'cost', 'feedback', 'errors'] as const
const GROUPS = ['model', 'name', 'tag', 'run_type'] as const

/** What a chart shows, of which runs, and how. */
export function ChartDialog({ chart, isNew, feedbackKeys, onSave, onClose }: ChartDialogProps) {
  const [wish, setWish] = useState(chart)
  const [key, setKey] = useState(chart.group_by?.attribute === 'metadata' ? (chart.group_by.path ?? '') : '')
  const set = (part: Partial<DashboardChart>) => setWish({ ...wish, ...part })
  const filterProblem = problemOf(wish.filter ?? '')
  const isByMetadata = wish.group_by?.attribute === 'metadata'
  const needsFeedback = wish.metric === 'feedback' && !wish.feedback_key
  const isReady = filterProblem === undefined && !needsFeedback && (!isByMetadata || key !== '')

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isReady) return
    onSave({
      ...wish,
      title: wish.title?.trim() || null,
      filter: wish.filter?.trim() || null,
      feedback_key: wish.metric === 'feedback' ? (wish.feedback_key ?? null) : null,
      group_by: isByMetadata ? { attribute: 'metadata', path: key } : (wish.group_by ?? null),
      kind: wish.metric === 'errors' ? 'table' : wish.kind,
    })
    onClose()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={isNew ? 'Add a chart' : 'Change the chart'}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="chart" look="primary" disabled={!isReady}>
            {isNew ? 'Add' : 'Save'}
          </Button>
        </>
      }
    >
      <form id="chart" onSubmit={submit} className="grid gap-3 sm:grid-cols-2">
        <Choice
          label="Shows"
          value={wish.metric}
          onChange={(metric) => set({ metric: metric as ChartMetric })}
          options={METRICS.map((metric) => [metric, metric === 'feedback' ? 'Feedback' : labelOfChart({ metric })])}
        />
        {wish.metric === 'feedback' && (
          <FormField label="Feedback key" hint="Its mean is drawn.">
            {(props) => (
              <>
                <input
                  {...props}
                  list="feedback-keys"
                  value={wish.feedback_key ?? ''}
                  onChange={(event) => set({ feedback_key: event.target.value })}
                  className={CONTROL}
                />
                <datalist id="feedback-keys">
                  {feedbackKeys.map((one) => (
                    <option key={one} value={one} />
                  ))}
                </datalist>
              </>
            )}
          </FormField>
        )}
        <Choice
          label="Of"
          value={wish.scope}
          onChange={(scope) => set({ scope: scope === 'runs' ? 'runs' : 'traces' })}
          options={[
            ['traces', 'traces (root runs)'],
            ['runs', 'all runs'],
          ]}
        />
        {wish.metric !== 'errors' && (
          <>
            <Choice
              label="Drawn as"
              value={wish.kind}
              onChange={(kind) => set({ kind: kind as DashboardChart['kind'] })}
              options={[
                ['line', 'lines'],
                ['bar', 'bars'],
                ['table', 'a table'],
              ]}
            />
            <Choice
              label="Group by"
              value={wish.group_by?.attribute ?? 'none'}
              onChange={(value) => set({ group_by: groupOf(value, key) })}
              options={[
                ['none', 'as the page says'],
                ...GROUPS.map((group): [string, string] => [group, group === 'run_type' ? 'type' : group]),
                ['metadata', 'metadata'],
              ]}
            />
            {isByMetadata && (
              <FormField label="Metadata key">
                {(props) => (
                  <input {...props} value={key} onChange={(event) => setKey(event.target.value)} className={CONTROL} />
                )}
              </FormField>
            )}
          </>
        )}
        <Choice
          label="Width"
          value={wish.size}
          onChange={(size) => set({ size: size as DashboardChart['size'] })}
          options={[
            ['small', 'one column'],
            ['wide', 'two columns'],
            ['full', 'the whole page'],
          ]}
        />
        <FormField
          label="Only runs that match"
          hint="In the filter language, on top of the page’s filter; empty: all."
          error={filterProblem}
          className="sm:col-span-2"
        >
          {(props) => (
            <input
              {...props}
              value={wish.filter ?? ''}
              onChange={(event) => set({ filter: event.target.value })}
              placeholder='eq(run_type, "llm")'
              spellCheck={false}
              className={`${CONTROL} font-mono`}
            />
          )}
        </FormField>
        <FormField label="Title" hint="Empty: named by what it shows." className="sm:col-span-2">
          {(props) => (
            <input
              {...props}
              value={wish.title ?? ''}
              maxLength={200}
              onChange={(event) => set({ title: event.target.value })}
              placeholder={needsFeedback ? '' : labelOfChart({ ...wish, title: null })}
              className={CONTROL}
            />
          )}
        </FormField>
      </form>
    </Dialog>
  )
}

interface ChoiceProps {
  label: ReactNode
  value: string
  onChange: (value: string) => void
  options: readonly (readonly [value: string, label: string])[]
}

function Choice({ label, value, onChange, options }: ChoiceProps) {
  return (
    <FormField label={label}>
      {(props) => (
        <select {...props} value={value} onChange={(event) => onChange(event.target.value)} className={CONTROL}>
          {options.map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </FormField>
  )
}

function groupOf(value: string, key: string): RunGrouping | null {
  if (value === 'none') return null
  return value === 'metadata' ? { attribute: 'metadata', path: key } : (parseGrouping(value) ?? null)
}

function problemOf(filter: string): string | undefined {
  try {
    parseFilter(filter)
    return undefined
  } catch (error) {
    if (error instanceof FilterError) return error.message
    throw error
  }
}
