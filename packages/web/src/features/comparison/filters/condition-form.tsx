import { type FormEvent, useState } from 'react'
import { Button } from '#ui/button.tsx'
import { FIELD, Field } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import type { Comparison } from '../comparison.ts'
import { describeColumn, listConditionChoices, listConditionColumns } from '../logic/describe-condition.ts'
import type { CellCondition } from '../logic/row-filter.ts'

export interface ConditionFormProps {
  comparison: Comparison
  onAdd: (condition: CellCondition) => void
}

/** A new condition: a range of a score, of its change, or of a figure, or one of the labels or errors. */
export function ConditionForm({ comparison: { cells, measured }, onAdd }: ConditionFormProps) {
  const columns = listConditionColumns(cells)
  const metric = measured.measure.kind === 'score' ? `score:${measured.measure.key}` : measured.measure.kind
  const [of, setOf] = useState('')
  const [on, setOn] = useState(metric)
  const [range, setRange] = useState({ min: '', max: '' })
  const [any, setAny] = useState<readonly string[]>([])
  const choices = listConditionChoices(cells, on)
  const bounds = { min: toNumber(range.min), max: toNumber(range.max) }
  const hasRange = bounds.min !== undefined || bounds.max !== undefined
  function submit(event: FormEvent) {
    event.preventDefault()
    const part = any.length > 0 ? { any } : bounds
    onAdd({ on, ...(of !== '' && { of }), ...part })
    setRange({ min: '', max: '' })
    setAny([])
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3 p-2">
      <Field label="Experiment">
        <Select
          value={of}
          onChange={setOf}
          options={[
            { value: '', label: 'Any' },
            ...cells.experiments.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      </Field>
      <Field label="Column">
        <Select
          value={on}
          onChange={(column) => {
            setOn(column)
            setAny([])
          }}
          options={columns.map((column) => ({ value: column, label: describeColumn(column) }))}
        />
      </Field>
      {choices.length > 0 && <Choices choices={choices} chosen={any} onChange={setAny} />}
      {on !== 'error' && any.length === 0 && (
        <div className="flex gap-2">
          {(['min', 'max'] as const).map((end) => (
            <Field key={end} label={end === 'min' ? 'From' : 'To'} className="flex-1">
              <input
                type="number"
                step="any"
                value={range[end]}
                onChange={(event) => setRange({ ...range, [end]: event.target.value })}
                className={`${FIELD} tabular-nums`}
              />
            </Field>
          ))}
        </div>
      )}
      <Button look="primary" type="submit" disabled={any.length === 0 && !hasRange} className="self-end">
        Add filter
      </Button>
    </form>
  )
}

interface ChoicesProps {
  choices: readonly string[]
  chosen: readonly string[]
  onChange: (chosen: readonly string[]) => void
}

function Choices({ choices, chosen, onChange }: ChoicesProps) {
  return (
    <fieldset className="flex max-h-48 flex-col overflow-y-auto">
      <legend className="mb-1 text-row text-fg-muted">One of</legend>
      {choices.map((choice) => (
        <label key={choice} className="flex min-h-6 items-center gap-2 text-row coarse:min-h-10">
          <input
            type="checkbox"
            checked={chosen.includes(choice)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, choice] : chosen.filter((one) => one !== choice))
            }
          />
          <span className="min-w-0 truncate" title={choice}>
            {choice}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

function toNumber(text: string): number | undefined {
  const number = Number(text)
  return text.trim() === '' || !Number.isFinite(number) ? undefined : number
}
