import { type Filter, type FilterClause, FilterError, parseClauses } from '@touchstone/contract/filter'
import { useState } from 'react'
import {
  type Chip,
  type Draft,
  FILTER_SCOPES,
  type FilterScope,
  type Filters,
  newGroup,
  newLine,
  toClause,
  toDraft,
  toFilter,
} from '#lib/filter/chips.ts'
import { isUnary } from '#lib/filter/fields.ts'
import { Button } from '#ui/button.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { ConditionForm, GroupBuilder } from './condition-form.tsx'
import type { Suggest } from './suggestions.tsx'

export interface ChipEditorProps {
  /** The chip to edit; a new chip has no position yet. */
  chip: Pick<Chip, 'scope' | 'filter' | 'text'> & Partial<Chip>
  /** The other active filters; they narrow the suggestions. */
  filters: Filters
  suggest: Suggest
  onApply: (scope: FilterScope, clauses: readonly FilterClause[]) => void
  onRemove: (() => void) | undefined
}

/** Form of one chip: its scope, and its condition as a line, a group or text. */
export function ChipEditor({ chip, filters, suggest, onApply, onRemove }: ChipEditorProps) {
  const [scope, setScope] = useState(chip.scope)
  const [draft, setDraft] = useState<Draft>(() =>
    chip.filter ? toDraft(chip.filter) : chip.text === '' ? newLine() : { kind: 'text', id: 'text', text: chip.text },
  )
  const [problem, setProblem] = useState<string>()

  function apply() {
    const isBlank = draft.kind === 'line' && draft.condition.value === '' && !isUnary(draft.condition.operation)
    if (isBlank && draft.condition !== draft.origin?.condition) return setProblem('Enter a value.')
    try {
      onApply(scope, toClauses(draft, chip.filter))
    } catch (error) {
      if (!(error instanceof FilterError)) throw error
      setProblem(draft.kind === 'text' ? error.message : error.reason)
    }
  }
  function change(next: Draft) {
    setProblem(undefined)
    setDraft(next)
  }
  return (
    <form
      className="flex flex-col gap-2"
      // Keeps the focus in the text field: otherwise the suggestions below it close and the button moves before
      // mouseup.
      onMouseDown={(event) => (event.target as Element).closest('button') && event.preventDefault()}
      onSubmit={(event) => {
        event.preventDefault()
        apply()
      }}
    >
      <Segmented
        label="Applies to"
        value={scope}
        onChange={setScope}
        options={FILTER_SCOPES.map((value) => ({ value, label: SCOPE_LABELS[value], hint: HINTS[value] }))}
      />
      {draft.kind === 'line' && (
        <ConditionForm
          condition={draft.condition}
          onChange={(condition) => change({ ...draft, condition })}
          suggest={suggest}
          filters={filters}
          autoFocus
        />
      )}
      {draft.kind === 'group' && <GroupBuilder group={draft} onChange={change} suggest={suggest} filters={filters} />}
      {draft.kind === 'text' && (
        <textarea
          aria-label="Condition as text"
          rows={4}
          value={draft.text}
          spellCheck={false}
          onChange={(event) => change({ ...draft, text: event.target.value })}
          className="w-full rounded-control border border-border-strong bg-surface px-2 py-1 font-mono text-row"
        />
      )}
      {(problem ?? chip.error?.message) && (
        <p role="alert" className="text-meta text-err">
          {problem ?? chip.error?.message}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-1.5 border-t border-border pt-2">
        <Button type="submit" look="primary">
          Apply
        </Button>
        {draft.kind === 'line' && (
          <Button look="quiet" onClick={() => change({ ...newGroup('or'), items: [draft, ...newGroup('or').items] })}>
            Or…
          </Button>
        )}
        {onRemove && (
          <Button look="quiet" onClick={onRemove} className="ml-auto">
            Remove
          </Button>
        )}
      </div>
    </form>
  )
}

/** Text may contain several clauses, also ones that the condition form cannot show. */
function toClauses(draft: Draft, before: Filter | undefined): readonly FilterClause[] {
  if (draft.kind === 'text') return parseClauses(draft.text)
  const filter = toFilter(draft)
  return [filter === before ? { filter, text: '' } : toClause(filter)]
}

const HINTS: Readonly<Record<FilterScope, string>> = {
  run: 'The listed run',
  root: 'The root run of its trace',
  tree: 'Any run of its trace',
}

/** Names of the filter scopes. */
export const SCOPE_LABELS: Readonly<Record<FilterScope, string>> = {
  run: 'This run',
  root: 'Root run',
  tree: 'Any run in trace',
}
