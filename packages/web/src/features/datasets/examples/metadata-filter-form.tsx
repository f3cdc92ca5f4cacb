import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import { Combobox } from '#ui/combobox.tsx'
import { CONTROL, FormField } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { findFilterProblem, type MetadataCondition, OPERATORS, printCondition } from './logic/metadata-filter.ts'

export interface MetadataFilterFormProps {
  /** The filter in the filter language. */
  filter: string
  /** Known metadata keys. */
  keys: readonly string[]
  /** @param filter  empty to remove the filter */
  onApply: (filter: string) => void
}

const EMPTY: MetadataCondition = { key: '', operator: 'eq', value: '' }

/** Adds conditions on metadata, or edits the filter as text. */
export function MetadataFilterForm({ filter, keys, onApply }: MetadataFilterFormProps) {
  const [text, setText] = useState(filter)
  const [condition, setCondition] = useState(EMPTY)
  const problem = findFilterProblem(text)
  const canAdd = condition.key.trim() !== '' && problem === undefined
  return (
    <div className="flex flex-col gap-3">
      <form
        className="flex flex-col gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          if (canAdd) onApply(printCondition(condition, text))
        }}
      >
        <FormField label="Metadata key">
          {(props) => (
            <Combobox
              {...props}
              value={condition.key}
              onChange={(key) => setCondition({ ...condition, key })}
              suggestions={keys}
            />
          )}
        </FormField>
        <div className="grid grid-cols-[6rem_1fr] gap-2">
          <Select
            aria-label="Operator"
            value={condition.operator}
            onChange={(operator) => setCondition({ ...condition, operator })}
            options={OPERATORS.map(({ id, label }) => ({ value: id, label }))}
          />
          <input
            aria-label="Value"
            placeholder="Value"
            value={condition.value}
            onChange={(event) => setCondition({ ...condition, value: event.target.value })}
            className={CONTROL}
          />
        </div>
        <Button type="submit" look="primary" disabled={!canAdd} className="self-end">
          Add condition
        </Button>
      </form>
      <form
        className="flex flex-col gap-2 border-t border-border pt-2"
        onSubmit={(event) => {
          event.preventDefault()
          if (problem === undefined) onApply(text.trim())
        }}
      >
        <FormField
          label="As text"
          error={problem}
          hint='For example: and(eq(metadata.topic, "auth"), gt(metadata.level, 2))'
        >
          {(props) => (
            <input
              {...props}
              value={text}
              spellCheck={false}
              onChange={(event) => setText(event.target.value)}
              className={`${CONTROL} font-mono text-row`}
            />
          )}
        </FormField>
        <div className="flex justify-end gap-2">
          {filter !== '' && <Button onClick={() => onApply('')}>Remove filter</Button>}
          <Button type="submit" disabled={problem !== undefined}>
            Apply
          </Button>
        </div>
      </form>
    </div>
  )
}
